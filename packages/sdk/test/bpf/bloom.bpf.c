/* A bloom filter: kernels before 5.16 (9330986c0300) have none, and would refuse the maps beside it, too. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_BLOOM_FILTER);
	__uint(max_entries, 100);
	__type(value, __u32);
} seen SEC(".maps");

SEC("xdp") int look(struct xdp_md *ctx)
{
	__u32 value = 42;

	(void)ctx;
	return bpf_map_peek_elem(&seen, &value) == 0 ? XDP_TX : XDP_PASS;
}

char LICENSE[] SEC("license") = "GPL";
