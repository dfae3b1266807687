/* Takes the outer header off IP-in-IP packets, as a server behind a load balancer does whose kernel has no tunnel driver:
 * IPv4 in IPv4 (RFC 2003), IPv6 in IPv6 and IPv4 in IPv6 (RFC 2473). All else passes. */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define IP_FRAGMENT 0x3fff /* more fragments, or an offset */

/* How many outer headers were taken off. */
__u64 decapsulated;

/* Bytes of the outer header and the type of the inner packet; 0 for what is no tunnel packet. */
static __always_inline int outer_header(const struct ethhdr *eth, const void *end, __be16 *inner)
{
	const struct iphdr *ip = (const void *)(eth + 1);
	const struct ipv6hdr *ip6 = (const void *)(eth + 1);

	if (eth->h_proto == bpf_htons(ETH_P_IP) && (const void *)(ip + 1) <= end && ip->protocol == IPPROTO_IPIP &&
	    ip->ihl == sizeof(*ip) / 4 && !(ip->frag_off & bpf_htons(IP_FRAGMENT))) {
		*inner = bpf_htons(ETH_P_IP);
		return sizeof(*ip);
	}
	if (eth->h_proto == bpf_htons(ETH_P_IPV6) && (const void *)(ip6 + 1) <= end &&
	    (ip6->nexthdr == IPPROTO_IPV6 || ip6->nexthdr == IPPROTO_IPIP)) {
		*inner = ip6->nexthdr == IPPROTO_IPV6 ? bpf_htons(ETH_P_IPV6) : bpf_htons(ETH_P_IP);
		return sizeof(*ip6);
	}
	return 0;
}

SEC("xdp")
int decapsulate(struct xdp_md *ctx)
{
	struct ethhdr *eth = (void *)(long)ctx->data, old;
	__be16 inner;
	int size;

	if ((void *)(eth + 1) > (void *)(long)ctx->data_end)
		return XDP_PASS;
	size = outer_header(eth, (void *)(long)ctx->data_end, &inner);
	if (!size)
		return XDP_PASS;
	old = *eth;
	if (bpf_xdp_adjust_head(ctx, size))
		return XDP_ABORTED;
	eth = (void *)(long)ctx->data;
	if ((void *)(eth + 1) > (void *)(long)ctx->data_end)
		return XDP_ABORTED;
	*eth = old;
	eth->h_proto = inner;
	__sync_fetch_and_add(&decapsulated, 1);
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
