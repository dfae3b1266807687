/* Programs that the verifier refuses, or talks about at length. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("xdp") int fine(struct xdp_md *ctx) { (void)ctx; return XDP_PASS; }

/* Reads the packet without a check of its length. */
SEC("xdp") int unchecked(struct xdp_md *ctx) { return *(__u8 *)(long)ctx->data; }

/* A loop of which the verifier walks every round before it comes to what it refuses: its log is longer than 16 MiB, the
 * first buffer. */
SEC("?xdp") int refused_late(struct xdp_md *ctx)
{
	__u32 sum = ctx->rx_queue_index;

	for (int i = 0; i < 31500; i++) {
		asm volatile("%[sum] *= 3\n%[sum] += 1" : [sum] "+r"(sum));
	}
	return sum + *(__u8 *)(long)ctx->data;
}

char LICENSE[] SEC("license") = "GPL";
