/* A program for the tests of the plugin: it counts, and changes a packet when told to. */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <bpf/bpf_helpers.h>
#include "sample.h"

struct vip {
	__be32 address;
	__u16 port;
	__u16 pad;
};

struct counters {
	__u64 packets;
	__u64 bytes;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16);
	__type(key, __u32);
	__type(value, struct vip);
} vips SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct counters);
} counted SEC(".maps");

const volatile __u32 verdict = SAMPLE_VERDICT;
__u64 runs;

static __always_inline void count(struct xdp_md *ctx)
{
	__u32 zero = 0;
	struct counters *counters = bpf_map_lookup_elem(&counted, &zero);

	runs++;
	if (counters) {
		counters->packets++;
		counters->bytes += ctx->data_end - ctx->data;
	}
}

SEC("xdp")
int decide(struct xdp_md *ctx)
{
	count(ctx);
	return verdict;
}

/* One hop further, as a router does it, without the checksum: a fault for the tests to find. */
SEC("xdp")
int hop(struct xdp_md *ctx)
{
	struct ethhdr *eth = (void *)(long)ctx->data;
	struct iphdr *ip = (void *)(eth + 1);

	count(ctx);
	if ((void *)(ip + 1) > (void *)(long)ctx->data_end)
		return XDP_ABORTED;
	ip->ttl--;
	return XDP_TX;
}

SEC("xdp")
int to_loopback(struct xdp_md *ctx)
{
	count(ctx);
	return bpf_redirect(1, 0);
}

char LICENSE[] SEC("license") = "GPL";
