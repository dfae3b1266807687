/* Programs of one line each, for what a verdict can be, and ones that move the packet's ends. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("xdp") int aborted(struct xdp_md *ctx) { (void)ctx; return XDP_ABORTED; }
SEC("xdp") int drop(struct xdp_md *ctx) { (void)ctx; return XDP_DROP; }
SEC("xdp") int pass(struct xdp_md *ctx) { (void)ctx; return XDP_PASS; }
SEC("xdp") int tx(struct xdp_md *ctx) { (void)ctx; return XDP_TX; }
SEC("xdp") int redirect(struct xdp_md *ctx) { (void)ctx; return bpf_redirect(1, 0); }
SEC("xdp") int no_action(struct xdp_md *ctx) { (void)ctx; return -22; }

/* The number of bytes that the program can see. */
SEC("xdp") int seen(struct xdp_md *ctx) { return ctx->data_end - ctx->data; }

/* How many bytes of metadata it sees, and their first word. */
SEC("xdp") int seen_metadata(struct xdp_md *ctx) { return ctx->data - ctx->data_meta; }
SEC("xdp") int first_metadata(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	__u32 *meta = (void *)(long)ctx->data_meta;

	return (void *)(meta + 1) > data ? -1 : *meta;
}
SEC("xdp") int seen_ifindex(struct xdp_md *ctx) { return ctx->ingress_ifindex; }
SEC("xdp") int seen_queue(struct xdp_md *ctx) { return ctx->rx_queue_index; }
SEC("xdp") int seen_cpu(struct xdp_md *ctx) { (void)ctx; return bpf_get_smp_processor_id(); }

/* Writes eight bytes of metadata. */
SEC("xdp") int add_metadata(struct xdp_md *ctx)
{
	__u32 *meta;

	if (bpf_xdp_adjust_meta(ctx, -8))
		return XDP_ABORTED;
	meta = (void *)(long)ctx->data_meta;
	if ((void *)(meta + 2) > (void *)(long)ctx->data)
		return XDP_ABORTED;
	meta[0] = 0x11223344;
	meta[1] = 0x55667788;
	return XDP_PASS;
}

/* Puts 20 bytes in front: succeeds 10 times on one packet, then the headroom is gone. */
SEC("xdp") int prepend(struct xdp_md *ctx)
{
	__u8 *data;

	if (bpf_xdp_adjust_head(ctx, -20))
		return XDP_ABORTED;
	data = (void *)(long)ctx->data;
	if ((void *)(data + 20) > (void *)(long)ctx->data_end)
		return XDP_ABORTED;
	__builtin_memset(data, 0xee, 20);
	return XDP_TX;
}

SEC("xdp") int cut_tail(struct xdp_md *ctx) { return bpf_xdp_adjust_tail(ctx, -4) ? XDP_ABORTED : XDP_TX; }
SEC("xdp") int grow_tail(struct xdp_md *ctx) { return bpf_xdp_adjust_tail(ctx, 1000) ? XDP_ABORTED : XDP_TX; }

/* As much as the headroom holds: the longest linear output there is. */
SEC("xdp") int prepend_all(struct xdp_md *ctx) { return bpf_xdp_adjust_head(ctx, -216) ? XDP_ABORTED : XDP_TX; }

/* Runs, whatever became of the results. */
__u64 runs;
SEC("xdp") int count(struct xdp_md *ctx)
{
	(void)ctx;
	__sync_fetch_and_add(&runs, 1);
	return XDP_PASS;
}

/* The sum of the first two payload bytes decides: results of many packets can be told apart. */
SEC("xdp") int by_content(struct xdp_md *ctx)
{
	__u8 *data = (void *)(long)ctx->data, old;

	if ((void *)(data + 14) > (void *)(long)ctx->data_end)
		return XDP_ABORTED;
	old = data[0];
	data[0] = data[1];
	data[1] = old;
	return (data[0] + data[1]) % 5;
}

char LICENSE[] SEC("license") = "GPL";
