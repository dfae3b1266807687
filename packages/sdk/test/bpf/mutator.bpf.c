/* Programs that do to a packet what its own bytes say: the targets of the differential tests. What single calls and the
 * batch engine make of the same packet must be equal in every byte. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 8);
	__type(key, __u32);
	__type(value, __u64);
} seen SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u32);
} steps SEC(".maps");

/* Moves head, tail and metadata as the first bytes say, in an order that they say too, writes into some of the new
 * bytes and leaves others as they are found, and returns a verdict made of the packet and of what failed. */
static __always_inline int mutate(struct xdp_md *ctx)
{
	__u8 *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end, *meta;
	__u32 failed = 0, key;
	__u64 *count;
	__s32 head, tail, metadata;
	__u8 order, verdict, flip;

	if (data + 14 > end)
		return 999;
	head = (__s32)data[0] - 200;
	tail = ((__s32)data[1] - 100) * (data[2] & 1 ? 1 : 20);
	metadata = (data[3] % 9) * 4;
	order = data[4];
	verdict = data[5];
	flip = data[6];
	key = data[7] & 7;

	count = bpf_map_lookup_elem(&seen, &key);
	if (count)
		*count += data[8];
	if (order & 1)
		failed |= bpf_xdp_adjust_tail(ctx, tail) ? 1 : 0;
	if (order & 2)
		failed |= bpf_xdp_adjust_head(ctx, head) ? 2 : 0;
	if (order & 4)
		failed |= bpf_xdp_adjust_meta(ctx, -metadata) ? 4 : 0;
	if (order & 8)
		failed |= bpf_xdp_adjust_tail(ctx, -tail) ? 8 : 0;
	if (order & 16)
		failed |= bpf_xdp_adjust_head(ctx, -(head >> 2)) ? 16 : 0;

	meta = (void *)(long)ctx->data_meta;
	data = (void *)(long)ctx->data;
	end = (void *)(long)ctx->data_end;
	if (meta + 4 <= data && order & 32)
		*(__u32 *)meta = 0xa5a5a500 | flip;
	if (data + 14 <= end) {
		data[13] ^= flip;
		/* A byte that may be new: what is found there goes into the verdict. */
		failed ^= data[0];
	}
	return verdict | failed << 8;
}

SEC("xdp") int mutator(struct xdp_md *ctx) { return mutate(ctx); }
SEC("xdp.frags") int mutator_frags(struct xdp_md *ctx) { return mutate(ctx); }

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

	if (data + 14 > (__u8 *)(long)ctx->data_end)
		return 996;
	data[0]++;
	bpf_tail_call(ctx, &steps, 2);
	return data[0];
}

/* Never the same answer twice. */
__u32 calls;
SEC("xdp") int counter(struct xdp_md *ctx)
{
	(void)ctx;
	return ++calls;
}

char LICENSE[] SEC("license") = "GPL";
