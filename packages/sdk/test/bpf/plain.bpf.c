/* Compiled without -g: no BTF, as of an old or a stripped object. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

__u32 counter;

SEC("xdp") int count(struct xdp_md *ctx)
{
	(void)ctx;
	return ++counter;
}

char LICENSE[] SEC("license") = "GPL";
