/* Programs that the verifier refuses, or talks about at length. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("xdp") int fine(struct xdp_md *ctx) { (void)ctx; return XDP_PASS; }

/* Reads the packet without a check of its length. */
SEC("xdp") int unchecked(struct xdp_md *ctx) { return *(__u8 *)(long)ctx->data; }

/* A loop of which the verifier walks every round: at log level 2 its log is longer than 16 MiB, the first buffer. */
SEC("?xdp") int long_log(struct xdp_md *ctx)
{
	__u32 sum = ctx->rx_queue_index;

	for (int i = 0; i < 60000; i++) {
		asm volatile("%[sum] *= 3\n%[sum] += 1" : [sum] "+r"(sum));
	}
	return sum & 1 ? XDP_PASS : XDP_TX;
}

char LICENSE[] SEC("license") = "GPL";
