/* What the targets of the differential tests do to a packet: what its own bytes say. Included by one object without
 * fragments, which every kernel loads, and by one with them. */
#pragma once

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 8);
	__type(key, __u32);
	__type(value, __u64);
} seen SEC(".maps");

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
