/* Redirects to interfaces and into maps, chosen by the packet's first byte. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 8);
	__type(key, __u32);
	__type(value, struct bpf_devmap_val);
} ports SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CPUMAP);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct bpf_cpumap_val);
} cpus SEC(".maps");

SEC("xdp") int choose(struct xdp_md *ctx)
{
	__u8 *data = (void *)(long)ctx->data;

	if (data + 14 > (__u8 *)(long)ctx->data_end)
		return XDP_ABORTED;
	switch (data[0]) {
	case 0:
		return bpf_redirect(42, 0);
	case 1:
		return bpf_redirect_map(&ports, data[1], 0);
	case 2:
		return bpf_redirect_map(&cpus, data[1], 0);
	case 3: /* an empty entry: the lower bits of the flags are the verdict then */
		return bpf_redirect_map(&ports, 7, XDP_DROP);
	case 4:
		return XDP_PASS;
	default: /* says so without naming a target */
		return XDP_REDIRECT;
	}
}

char LICENSE[] SEC("license") = "GPL";
