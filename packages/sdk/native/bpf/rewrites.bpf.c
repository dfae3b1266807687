/* Counts how often the kernel rewrites the XDP dispatcher: the ground truth of the dispatcher probe, where the kernel
 * lets fentry programs attach. bpf_dispatcher_change_prog (kernel/bpf/dispatcher.c) is called for each change. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

__u64 rewrites;

SEC("fentry/bpf_dispatcher_change_prog")
int count_rewrites(void *ctx)
{
	(void)ctx;
	__sync_fetch_and_add(&rewrites, 1);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
