// SPDX-License-Identifier: MIT
/*
 * The transmit policies of the Linux bonding driver, as an XDP program: which port of a bond a frame leaves by.
 *
 * Written from the formulas in Documentation/networking/bonding.rst (xmit_hash_policy, packets_per_slave) and from what
 * the driver does (drivers/net/bonding/bond_main.c, Linux 5.15 to 6.12), so that a program can spread frames over ports as
 * a bond would, and so that the formulas can be tested by the million. The number of the port is put in front of the frame
 * as metadata; in production `bpf_redirect_map` with a devmap of the ports would take its place.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <stdbool.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

/* linux/if_bonding.h has the policies in this order; round robin is a mode there. */
enum policy {
	LAYER2,
	LAYER34,
	LAYER23,
	ENCAP23,
	ENCAP34,
	VLAN_SRCMAC,
	ROUND_ROBIN,
};

/* ---- Configuration, set before the load ---- */

const volatile enum policy policy = LAYER2;
const volatile __u32 ports = 2;
const volatile __u32 packets_per_port = 1;

/* Tunnels in tunnels that the encap policies look into. */
#define MAX_DEPTH 3
#define IP_FRAGMENT 0x3fff /* more fragments, or an offset */
#define GRE_CHECKSUM 0x8000
#define GRE_KEY 0x2000
#define GRE_SEQUENCE 0x1000
#define GRE_VERSION 0x0007
#define GRE_ROUTING 0x4000

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} round_robin SEC(".maps");

/* What the layer 3 and 4 policies hash. All words are as they lie in the packet, whatever the byte order of the machine. */
struct flow {
	__u32 addresses; /* source and destination, XORed */
	__u32 transport; /* both ports, or type, code and identifier of ICMP */
	bool ip;
};

struct cursor {
	void *at;
	void *end;
	__be16 protocol; /* EtherType of what is at `at` */
};

/* Types of ICMP and ICMPv6 messages with an identifier. */
static __always_inline bool has_identifier(__u8 protocol, __u8 type)
{
	if (protocol == IPPROTO_ICMP)
		return type == 8 || type == 0 || type == 13 || type == 14;
	return type == 128 || type == 129;
}

/* The word that tells flows between two addresses apart. */
static __always_inline __u32 transport_word(const struct cursor *c, __u8 protocol)
{
	struct { __u8 type, code; __be16 checksum, identifier; } *icmp = c->at;
	/* Of an authentication header the index is hashed, which is its second word; of the others the first one. */
	__u32 *word = protocol == IPPROTO_AH ? c->at + 4 : c->at;

	switch (protocol) {
	case IPPROTO_TCP:
	case IPPROTO_UDP:
	case IPPROTO_SCTP:
	case IPPROTO_DCCP:
	case IPPROTO_UDPLITE:
	case IPPROTO_ESP:
	case IPPROTO_AH:
		return (void *)(word + 1) <= c->end ? *word : 0;
	case IPPROTO_ICMP:
	case IPPROTO_ICMPV6:
		if ((void *)(icmp + 1) > c->end || !has_identifier(protocol, icmp->type))
			return 0;
		/* struct flow_dissector_key_icmp: the identifier in host order, and 1 for 0. */
		struct { __u8 type, code; __u16 identifier; } key = {
			icmp->type, icmp->code, icmp->identifier ? bpf_ntohs(icmp->identifier) : 1,
		};
		__u32 packed;

		__builtin_memcpy(&packed, &key, sizeof(packed));
		return packed;
	}
	return 0;
}

/* Takes one IP header in. Gives the protocol behind it, or -1 where nothing behind it can be read. */
static __always_inline int take_ip(struct cursor *c, struct flow *flow)
{
	struct iphdr *ip = c->at;
	struct ipv6hdr *ip6 = c->at;
	int protocol = -1;

	if (c->protocol == bpf_htons(ETH_P_IP)) {
		if ((void *)(ip + 1) > c->end || ip->ihl < 5)
			return -1;
		flow->ip = true;
		flow->addresses = ip->saddr ^ ip->daddr;
		if (!(ip->frag_off & bpf_htons(IP_FRAGMENT)))
			protocol = ip->protocol;
		c->at += ip->ihl * 4;
		return protocol;
	}
	if (c->protocol != bpf_htons(ETH_P_IPV6) || (void *)(ip6 + 1) > c->end)
		return -1;
	flow->ip = true;
	flow->addresses = 0;
	for (int i = 0; i < 4; i++)
		flow->addresses ^= ip6->saddr.in6_u.u6_addr32[i] ^ ip6->daddr.in6_u.u6_addr32[i];
	protocol = ip6->nexthdr;
	c->at += sizeof(*ip6);
	return protocol;
}

/* Steps over a tunnel's header; false where there is none, or one of a kind that the kernel does not look into. */
static __always_inline bool enter_tunnel(struct cursor *c, int protocol)
{
	struct { __be16 flags, protocol; } *gre = c->at;
	__u16 flags;

	if (protocol == IPPROTO_IPIP || protocol == IPPROTO_IPV6) {
		c->protocol = protocol == IPPROTO_IPIP ? bpf_htons(ETH_P_IP) : bpf_htons(ETH_P_IPV6);
		return true;
	}
	if (protocol != IPPROTO_GRE || (void *)(gre + 1) > c->end)
		return false;
	flags = bpf_ntohs(gre->flags);
	if (flags & (GRE_VERSION | GRE_ROUTING))
		return false;
	c->protocol = gre->protocol;
	c->at += sizeof(*gre);
	c->at += flags & GRE_CHECKSUM ? 4 : 0;
	c->at += flags & GRE_KEY ? 4 : 0;
	c->at += flags & GRE_SEQUENCE ? 4 : 0;
	return c->protocol == bpf_htons(ETH_P_IP) || c->protocol == bpf_htons(ETH_P_IPV6);
}

static __always_inline struct flow dissect(struct ethhdr *eth, void *end)
{
	bool encap = policy == ENCAP23 || policy == ENCAP34, layer4 = policy == LAYER34 || policy == ENCAP34;
	struct cursor c = { .at = eth + 1, .end = end, .protocol = eth->h_proto };
	struct flow flow = {};
	int protocol = -1;

	for (int depth = 0; depth < MAX_DEPTH; depth++) {
		protocol = take_ip(&c, &flow);
		if (!encap || protocol < 0 || !enter_tunnel(&c, protocol))
			break;
	}
	if (layer4 && protocol >= 0)
		flow.transport = transport_word(&c, protocol);
	return flow;
}

static __always_inline __u32 layer2_hash(const struct ethhdr *eth)
{
	return eth->h_source[5] ^ eth->h_dest[5] ^ bpf_ntohs(eth->h_proto);
}

static __always_inline __u32 vlan_srcmac_hash(const struct ethhdr *eth, const void *end)
{
	const __be16 *tci = (const void *)(eth + 1);
	__u32 vendor = 0, device = 0, vlan = 0;

	for (int i = 0; i < 3; i++) {
		vendor = vendor << 8 | eth->h_source[i];
		device = device << 8 | eth->h_source[i + 3];
	}
	if ((eth->h_proto == bpf_htons(ETH_P_8021Q) || eth->h_proto == bpf_htons(ETH_P_8021AD)) &&
	    (const void *)(tci + 1) <= end)
		vlan = bpf_ntohs(*tci);
	return vlan ^ vendor ^ device;
}

static __always_inline __u32 hash_of(struct ethhdr *eth, void *end)
{
	bool layer4 = policy == LAYER34 || policy == ENCAP34;
	struct flow flow;
	__u32 hash;

	if (policy == VLAN_SRCMAC)
		return vlan_srcmac_hash(eth, end);
	if (policy == LAYER2)
		return layer2_hash(eth);
	flow = dissect(eth, end);
	if (!flow.ip)
		return layer2_hash(eth);
	hash = layer4 ? flow.transport : layer2_hash(eth);
	hash ^= flow.addresses;
	hash ^= hash >> 16;
	hash ^= hash >> 8;
	/* Many clients use even ports only: their lowest bit says nothing. */
	return layer4 ? hash >> 1 : hash;
}

static __always_inline __u32 next_in_turn(void)
{
	__u32 key = 0, *turn = bpf_map_lookup_elem(&round_robin, &key);

	/* Counted on each CPU by itself, as the driver does: no CPU waits for another. */
	return turn ? ++*turn / packets_per_port : 0;
}

SEC("xdp")
int choose_port(struct xdp_md *ctx)
{
	struct ethhdr *eth = (void *)(long)ctx->data;
	void *end = (void *)(long)ctx->data_end;
	__u32 port, *meta;

	if ((void *)(eth + 1) > end)
		return XDP_ABORTED;
	port = (policy == ROUND_ROBIN ? next_in_turn() : hash_of(eth, end)) % ports;
	if (bpf_xdp_adjust_meta(ctx, -(int)sizeof(*meta)))
		return XDP_ABORTED;
	meta = (void *)(long)ctx->data_meta;
	if ((void *)(meta + 1) > (void *)(long)ctx->data)
		return XDP_ABORTED;
	*meta = port;
	return XDP_TX;
}

/* For the real driver: on one bond IPv4 turns round, on the other one all passes. What the bonds themselves say to each
 * other must get through, or those of 802.3ad never agree. */
SEC("xdp")
int turn_round(struct xdp_md *ctx)
{
	struct ethhdr *eth = (void *)(long)ctx->data;

	if ((void *)(eth + 1) > (void *)(long)ctx->data_end)
		return XDP_ABORTED;
	return eth->h_proto == bpf_htons(ETH_P_IP) ? XDP_TX : XDP_PASS;
}

SEC("xdp") int pass(struct xdp_md *ctx) { (void)ctx; return XDP_PASS; }

char LICENSE[] SEC("license") = "Dual MIT/GPL";
