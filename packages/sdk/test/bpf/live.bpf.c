/* Programs for real interfaces. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, struct bpf_devmap_val);
} targets SEC(".maps");

__u64 seen;

SEC("xdp") int pass(struct xdp_md *ctx) { (void)ctx; return XDP_PASS; }
SEC("xdp") int tx(struct xdp_md *ctx) { (void)ctx; return XDP_TX; }
SEC("xdp") int to_target(struct xdp_md *ctx) { (void)ctx; return bpf_redirect_map(&targets, 0, XDP_ABORTED); }
SEC("xdp") int count_and_drop(struct xdp_md *ctx)
{
	(void)ctx;
	__sync_fetch_and_add(&seen, 1);
	return XDP_DROP;
}

char LICENSE[] SEC("license") = "GPL";
