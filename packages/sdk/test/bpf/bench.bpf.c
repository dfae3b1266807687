/* Tells whether each run gets the packet as it was given: it marks the packet, and looks for marks. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

__u64 fresh, stale;

SEC("xdp") int expects_fresh(struct xdp_md *ctx)
{
	__u8 *data = (void *)(long)ctx->data;

	if (data + 14 > (__u8 *)(long)ctx->data_end)
		return XDP_ABORTED;
	if (data[0] || ctx->data_end - ctx->data != 64)
		stale++;
	else
		fresh++;
	data[0] = 1;
	return bpf_xdp_adjust_head(ctx, -20) ? XDP_ABORTED : XDP_TX;
}

char LICENSE[] SEC("license") = "GPL";
