/* A map that asks to be pinned. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} shared_state SEC(".maps");

SEC("xdp") int bump(struct xdp_md *ctx)
{
	__u32 key = 0, *value = bpf_map_lookup_elem(&shared_state, &key);

	(void)ctx;
	return value ? (*value)++ : XDP_ABORTED;
}

char LICENSE[] SEC("license") = "GPL";
