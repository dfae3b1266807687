/* Compiled without -g: an object without BTF. */
#include <linux/bpf.h>

__attribute__((section("xdp"), used)) int swap(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data, old;

	if ((void *)(data + 14) > (void *)(long)ctx->data_end)
		return XDP_ABORTED;
	old = data[0];
	data[0] = data[6];
	data[6] = old;
	return data[1];
}

__attribute__((section("license"), used)) char LICENSE[] = "GPL";
