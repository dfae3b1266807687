/* Counts how often the kernel rewrites the XDP dispatcher: the ground truth of the dispatcher probe, where the kernel
 * lets fentry programs attach. bpf_dispatcher_change_prog (kernel/bpf/dispatcher.c) is called for each change that is
 * wanted; it rewrites only when a program comes that is not there yet, or the last user of one goes. A parked program
 * has a user more, so its test runs change counts and rewrite nothing. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

enum { SLOTS = 48 }; /* BPF_DISPATCHER_MAX */

/* What is needed of the kernel's own types; libbpf puts in the offsets of the kernel that runs (CO-RE). */
struct bpf_dispatcher_prog {
	const void *prog;
	struct {
		int count;
	} users; /* refcount_t */
};
struct bpf_dispatcher {
	struct bpf_dispatcher_prog progs[SLOTS];
	int num_progs;
} __attribute__((preserve_access_index));

__u64 rewrites;

/* How many keep a program on the dispatcher; 0 for one that is not there. */
static __always_inline int users_of(const struct bpf_dispatcher *d, const void *prog)
{
	struct bpf_dispatcher_prog slot;

	for (int i = 0; i < SLOTS; i++)
		if (!bpf_probe_read_kernel(&slot, sizeof(slot), (const struct bpf_dispatcher_prog *)&d->progs + i) &&
		    slot.prog == prog)
			return slot.users.count;
	return 0;
}

SEC("fentry/bpf_dispatcher_change_prog")
int count_rewrites(__u64 *ctx)
{
	const struct bpf_dispatcher *d = (const void *)ctx[0];
	const void *from = (const void *)ctx[1], *to = (const void *)ctx[2];

	/* The dispatcher's lock is not held yet, but others meanwhile change the slots of their own programs alone. */
	if (from == to)
		return 0;
	if ((from && users_of(d, from) == 1) || (to && d->num_progs < SLOTS && users_of(d, to) == 0))
		__sync_fetch_and_add(&rewrites, 1);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
