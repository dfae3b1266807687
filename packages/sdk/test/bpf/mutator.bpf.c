/* Programs that do to a packet what its own bytes say: the targets of the differential tests. What single calls and the
 * batch engine make of the same packet must be equal in every byte. */
#include "mutator.h"

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u32);
} steps SEC(".maps");

SEC("xdp") int mutator(struct xdp_md *ctx) { return mutate(ctx); }

/* The same behind tail calls: slot 0 and 1 of `steps`. */
SEC("xdp") int first_step(struct xdp_md *ctx)
{
	bpf_tail_call(ctx, &steps, 0);
	return 998;
}
SEC("xdp") int second_step(struct xdp_md *ctx)
{
	bpf_tail_call(ctx, &steps, 1);
	return 997;
}

/* Calls itself for as long as it may: 33 times from a program that was called in the ordinary way. */
SEC("xdp") int tail_calls(struct xdp_md *ctx)
{
	__u8 *data = (void *)(long)ctx->data;
	__u8 count;

	if (data + 14 > (__u8 *)(long)ctx->data_end)
		return 996;
	/* The verifier of 6.12 lets no pointer to the packet outlive a tail call. */
	count = ++data[0];
	bpf_tail_call(ctx, &steps, 2);
	return count;
}

/* Never the same answer twice. */
__u32 calls;
SEC("xdp") int counter(struct xdp_md *ctx)
{
	(void)ctx;
	return ++calls;
}

char LICENSE[] SEC("license") = "GPL";
