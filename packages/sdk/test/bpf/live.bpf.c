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

/* Frames, on each CPU by itself: what counts is not to be slowed down by counting. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} counted SEC(".maps");

static __always_inline void count(void)
{
	__u32 key = 0;
	__u64 *n = bpf_map_lookup_elem(&counted, &key);

	if (n)
		++*n;
}

SEC("xdp") int pass(struct xdp_md *ctx) { (void)ctx; return XDP_PASS; }
SEC("xdp") int tx(struct xdp_md *ctx) { (void)ctx; return XDP_TX; }
SEC("xdp") int to_target(struct xdp_md *ctx) { (void)ctx; return bpf_redirect_map(&targets, 0, XDP_ABORTED); }
SEC("xdp") int count_and_drop(struct xdp_md *ctx)
{
	(void)ctx;
	__sync_fetch_and_add(&seen, 1);
	return XDP_DROP;
}

/* Of IPv4 only: what interfaces say by themselves passes. */
static __always_inline int ipv4(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data;

	return (void *)(data + 14) <= (void *)(long)ctx->data_end && data[12] == 8 && data[13] == 0;
}

SEC("xdp") int drop_counted(struct xdp_md *ctx)
{
	if (!ipv4(ctx))
		return XDP_PASS;
	count();
	return XDP_DROP;
}
SEC("xdp") int tx_ipv4(struct xdp_md *ctx) { return ipv4(ctx) ? XDP_TX : XDP_PASS; }

/* Sends out what it gets, with another source port each time: a flow for each frame. */
SEC("xdp") int tx_flows(struct xdp_md *ctx)
{
	__u16 *port = (void *)(long)ctx->data + 34;

	if ((void *)(port + 1) > (void *)(long)ctx->data_end)
		return XDP_ABORTED;
	*port = (__u16)++seen;
	return XDP_TX;
}

char LICENSE[] SEC("license") = "GPL";
