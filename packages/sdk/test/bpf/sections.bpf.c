/* Programs in sections that need an option, or that cannot be test-run at all. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("xdp") int plain(struct xdp_md *ctx) { (void)ctx; return XDP_PASS; }
/* libbpf does not know this section: the loader must say what it is. */
SEC("xdp-root") int root(struct xdp_md *ctx) { (void)ctx; return XDP_TX; }
/* Not loaded unless asked. */
SEC("?xdp") int optional(struct xdp_md *ctx) { (void)ctx; return XDP_DROP; }
SEC("?xdp.frags") int fragments(struct xdp_md *ctx) { (void)ctx; return XDP_PASS; }
SEC("?xdp/devmap") int for_devmap(struct xdp_md *ctx) { (void)ctx; return XDP_PASS; }
SEC("?xdp/cpumap") int for_cpumap(struct xdp_md *ctx) { (void)ctx; return XDP_PASS; }
SEC("?tc") int classifier(struct __sk_buff *skb) { (void)skb; return 0; }

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} next SEC(".maps");

SEC("?xdp") int jumps(struct xdp_md *ctx)
{
	bpf_tail_call(ctx, &next, 0);
	return XDP_ABORTED;
}

char LICENSE[] SEC("license") = "GPL";
