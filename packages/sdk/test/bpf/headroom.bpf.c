/* Tells what it finds in front of the packet, and leaves something there. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("xdp") int find_headroom(struct xdp_md *ctx)
{
	__u8 *data, found;

	if (bpf_xdp_adjust_head(ctx, -8))
		return XDP_ABORTED;
	data = (void *)(long)ctx->data;
	if (data + 8 > (__u8 *)(long)ctx->data_end)
		return XDP_ABORTED;
	found = data[3];
	data[3] = 0xee;
	return found;
}

char LICENSE[] SEC("license") = "GPL";
