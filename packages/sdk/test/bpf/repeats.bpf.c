/* What goes wrong when one packet runs again and again. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

__u64 runs;
/* From which run on `changes_later` changes the packet. */
__u64 changes_from = 1000;

SEC("xdp") int changes_later(struct xdp_md *ctx)
{
	__u8 *data = (void *)(long)ctx->data;

	if ((void *)(data + 14) > (void *)(long)ctx->data_end)
		return XDP_ABORTED;
	if (++runs >= changes_from)
		data[0]++;
	return XDP_TX;
}

/* Flips the first byte: an even number of runs on its own output leaves no trace in the packet, but in the sum. */
__u64 sum;
SEC("xdp") int flips(struct xdp_md *ctx)
{
	__u8 *data = (void *)(long)ctx->data;

	if ((void *)(data + 14) > (void *)(long)ctx->data_end)
		return XDP_ABORTED;
	sum += data[0];
	data[0] ^= 0xff;
	return XDP_TX;
}

/* Some 20 us a run: for deadlines, and for runs that a signal can hit. */
__u64 spins = 20000;
SEC("xdp") int slow(struct xdp_md *ctx)
{
	__u32 x = ctx->ingress_ifindex;

	runs++;
	for (__u32 i = 0; i < 20000; i++) {
		if (i >= spins)
			break;
		asm volatile("%[x] *= 3" : [x] "+r"(x));
	}
	return x & 1 ? XDP_PASS : XDP_TX;
}

char LICENSE[] SEC("license") = "GPL";
