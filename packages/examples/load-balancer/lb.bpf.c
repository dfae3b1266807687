// SPDX-License-Identifier: MIT
/*
 * A layer 4 load balancer in XDP.
 *
 * A packet to a virtual address (VIP) is sent on, inside of another IP packet, to the backend that the flow's hash finds
 * in the VIP's Maglev table (Eisenbud et al., "Maglev: A Fast and Reliable Software Network Load Balancer", NSDI 2016).
 * There is no state per connection: every balancer with the same table sends a flow to the same backend, and the backend
 * answers the client directly. The packet leaves on the interface that it came in on, to the router that sent it.
 *
 * IPv4 goes in IPv4 (RFC 2003), IPv6 in IPv6 (RFC 2473); TCP and UDP. Whatever is not for a VIP goes to the kernel's
 * stack untouched. The tables are filled from user space: see maglev.ts.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define MAX_VIPS 8
#define MAX_BACKENDS 1024
/* A prime well above 100 times the number of backends keeps the shares within 1 % of each other (Maglev, 3.4). */
#define MAGLEV_SIZE 65537

#define TUNNEL_TTL 64
#define IP_DF 0x4000
#define IP_FRAGMENT 0x3fff /* more fragments, or an offset */

/* What the flow hash is made of; XOR is there to show that the tests catch a bad one. */
enum hash_kind {
	HASH_MIX,
	HASH_XOR,
};

/* ---- Configuration, set before the load ---- */

/*
 * Sources of the outer packets. The low 16 bits (IPv4) or 32 bits (IPv6) are taken from the flow's hash: routers and the
 * backend's network card spread by the outer addresses alone, and one source would put all flows on one queue.
 */
const volatile __be32 tunnel_source4 = bpf_htonl(0xac100000); /* 172.16.0.0 */
const volatile __u8 tunnel_source6[16] = { 0xfd, [15] = 0 };  /* fd00:: */
/* The longest IP packet that the way to the backends takes. Longer ones are dropped, and counted. */
const volatile __u32 tunnel_mtu = 1540;
/* Makes the hash another one for each installation, so that nobody outside can aim at one backend. */
const volatile __u64 hash_seed = 0;
const volatile enum hash_kind hash_kind = HASH_MIX;

/* ---- Maps ---- */

struct vip4 {
	__be32 addr;
	__be16 port;
	__u8 proto;
	__u8 pad;
};

struct vip6 {
	__u8 addr[16];
	__be16 port;
	__u8 proto;
	__u8 pad;
};

struct vip {
	__u32 id; /* its Maglev table starts at id * MAGLEV_SIZE */
};

/* A backend may have an address of either family, or both. Zero stands for none. */
struct backend {
	__u8 addr6[16];
	__be32 addr4;
};

struct traffic {
	__u64 packets;
	__u64 bytes; /* of the inner packets */
};

/* Why a packet was not sent on. */
enum event {
	EVENT_NOT_IP,
	EVENT_NOT_VIP,
	EVENT_FRAGMENT,
	EVENT_MALFORMED,
	EVENT_TOO_BIG,
	EVENT_NO_BACKEND,
	EVENT_NO_HEADROOM,
	EVENT_COUNT,
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_VIPS);
	__type(key, struct vip4);
	__type(value, struct vip);
} vips4 SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_VIPS);
	__type(key, struct vip6);
	__type(value, struct vip);
} vips6 SEC(".maps");

/* The tables of all VIPs, one after the other: indexes into `backends`. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MAX_VIPS * MAGLEV_SIZE);
	__type(key, __u32);
	__type(value, __u32);
} maglev SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MAX_BACKENDS);
	__type(key, __u32);
	__type(value, struct backend);
} backends SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MAX_BACKENDS);
	__type(key, __u32);
	__type(value, struct traffic);
} backend_traffic SEC(".maps");

/* Indexed by enum event. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, EVENT_COUNT);
	__type(key, __u32);
	__type(value, __u64);
} events SEC(".maps");

/* Per-CPU, and an XDP program is not interrupted by itself: plain additions are enough. */
static __always_inline int leave(enum event event, int action)
{
	__u32 key = event;
	__u64 *count = bpf_map_lookup_elem(&events, &key);

	if (count)
		(*count)++;
	return action;
}

/*
 * A 16-bit length of a header, in the host's order. The verifier of 5.10 knows nothing of a number whose bytes were
 * swapped, and adds it to no pointer; nor does the compiler keep a mask that changes nothing, unless it cannot see that.
 */
static __always_inline __u32 length16(__be16 field)
{
	__u32 bytes = bpf_ntohs(field);

	asm("" : "+r"(bytes));
	return bytes & 0xffff;
}

/* ---- The flow's hash ---- */

struct ports {
	__be16 source;
	__be16 dest;
};

/* The finaliser of splitmix64 (Stafford's variant 13): every bit of the input moves every bit of the output. */
static __always_inline __u64 mix(__u64 x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/*
 * The destination address is left out: it is the VIP's, the same for all flows of a table. The source's words go in by
 * pairs, the last of them (IPv4's only one) together with the ports.
 */
static __always_inline __u64 flow_hash(const __be32 *source, int words, struct ports ports, __u8 proto)
{
	__u32 both = (__u32)bpf_ntohs(ports.source) << 16 | bpf_ntohs(ports.dest);
	__u64 hash = hash_seed + proto * 0x9e3779b97f4a7c15ULL;
	int i = 0;

	if (hash_kind == HASH_XOR) {
		__u32 folded = both;

		for (; i < words; i++)
			folded ^= bpf_ntohl(source[i]);
		return (__u64)folded << 32;
	}
	for (; i + 1 < words; i += 2)
		hash = mix(hash ^ ((__u64)source[i] << 32 | source[i + 1]));
	return mix(hash ^ ((__u64)(i < words ? source[i] : 0) << 32 | both));
}

/*
 * The backend's index for a flow, and the backend itself. The slot is hash * size / 2^32 for the upper half of the hash:
 * as even as a remainder to one part in 65,535, without a division.
 */
static __always_inline struct backend *choose(__u32 vip, __u64 hash, __u32 *index)
{
	__u32 slot = vip * MAGLEV_SIZE + (__u32)(((hash >> 32) * MAGLEV_SIZE) >> 32);
	__u32 *entry = bpf_map_lookup_elem(&maglev, &slot);

	if (!entry)
		return NULL;
	*index = *entry;
	return bpf_map_lookup_elem(&backends, index);
}

static __always_inline void count(__u32 backend, __u32 bytes)
{
	struct traffic *traffic = bpf_map_lookup_elem(&backend_traffic, &backend);

	if (traffic) {
		traffic->packets++;
		traffic->bytes += bytes;
	}
}

/* ---- Sending on ---- */

/* Makes room for an outer header of `size` bytes and writes the Ethernet header in front of it. */
static __always_inline void *make_room(struct xdp_md *ctx, int size, __be16 ether_type)
{
	struct ethhdr *old = (void *)(long)ctx->data;
	unsigned char router[ETH_ALEN];
	unsigned char self[ETH_ALEN];
	struct ethhdr *eth;
	void *outer;

	if ((void *)(old + 1) > (void *)(long)ctx->data_end)
		return NULL;
	__builtin_memcpy(router, old->h_source, ETH_ALEN);
	__builtin_memcpy(self, old->h_dest, ETH_ALEN);
	if (bpf_xdp_adjust_head(ctx, -size))
		return NULL;
	eth = (void *)(long)ctx->data;
	outer = eth + 1;
	if (outer + size > (void *)(long)ctx->data_end)
		return NULL;
	__builtin_memcpy(eth->h_dest, router, ETH_ALEN);
	__builtin_memcpy(eth->h_source, self, ETH_ALEN);
	eth->h_proto = ether_type;
	return outer;
}

/* Written as five words, and summed before they are written: reading a header back that was written in bytes and halves
 * makes the processor wait. */
static __always_inline int send_in_ipv4(struct xdp_md *ctx, __be32 backend, __u64 hash, __u8 tos, __u16 inner_bytes)
{
	__be32 *outer = make_room(ctx, sizeof(struct iphdr), bpf_htons(ETH_P_IP));
	__be32 words[5];
	__u64 sum;

	if (!outer)
		return leave(EVENT_NO_HEADROOM, XDP_DROP);
	/* Version, header length; both DSCP and ECN: a uniform tunnel (RFC 2983), and congestion marks survive it (RFC 6040). */
	words[0] = bpf_htonl(0x45000000 | (__u32)tos << 16 | (__u32)(inner_bytes + sizeof(struct iphdr)));
	/* A packet that is never fragmented needs no identification (RFC 6864). */
	words[1] = bpf_htonl(IP_DF);
	words[2] = bpf_htonl(TUNNEL_TTL << 24 | IPPROTO_IPIP << 16);
	words[3] = tunnel_source4 | bpf_htonl((__u32)hash & 0xffff);
	words[4] = backend;
	/* RFC 1071: the sum of 16-bit words may be taken in 32-bit words, in any byte order, and folded. */
	sum = (__u64)words[0] + words[1] + words[2] + words[3] + words[4];
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	words[2] |= bpf_htonl(bpf_ntohs((__u16)~sum));
	for (int i = 0; i < 5; i++)
		outer[i] = words[i];
	return XDP_TX;
}

static __always_inline int send_in_ipv6(struct xdp_md *ctx, const __u8 *backend, __u64 hash, __be32 first, __u16 inner_bytes)
{
	struct ipv6hdr *ip = make_room(ctx, sizeof(*ip), bpf_htons(ETH_P_IPV6));

	if (!ip)
		return leave(EVENT_NO_HEADROOM, XDP_DROP);
	/* Version and traffic class of the inner header; the flow label from the flow's hash, for ECMP (RFC 6438). */
	*(__be32 *)ip = (first & bpf_htonl(0xfff00000)) | bpf_htonl((__u32)hash & 0xfffff);
	ip->payload_len = bpf_htons(inner_bytes);
	ip->nexthdr = IPPROTO_IPV6;
	ip->hop_limit = TUNNEL_TTL;
	for (int i = 0; i < 16; i++)
		ip->saddr.in6_u.u6_addr8[i] = tunnel_source6[i];
	ip->saddr.in6_u.u6_addr32[3] |= bpf_htonl((__u32)hash);
	__builtin_memcpy(&ip->daddr, backend, 16);
	return XDP_TX;
}

/* ---- The two families ---- */

static __always_inline int balance4(struct xdp_md *ctx, struct iphdr *ip, void *end)
{
	struct vip4 key = {};
	struct backend *backend;
	struct ports *ports;
	struct vip *vip;
	__u32 index, header, total;
	__u64 hash;
	__u8 tos;

	if ((void *)(ip + 1) > end)
		return leave(EVENT_MALFORMED, XDP_DROP);
	header = ip->ihl * 4;
	/* Not the frame's length: short packets are padded to 60 bytes on the wire. */
	total = length16(ip->tot_len);
	if (ip->version != 4 || header < sizeof(*ip) || total < header || (void *)ip + total > end)
		return leave(EVENT_MALFORMED, XDP_DROP);
	if (ip->protocol != IPPROTO_TCP && ip->protocol != IPPROTO_UDP)
		return leave(EVENT_NOT_VIP, XDP_PASS);
	/* Only the first fragment has ports; the kernel puts the pieces together where it is the receiver. */
	if (ip->frag_off & bpf_htons(IP_FRAGMENT))
		return leave(EVENT_FRAGMENT, XDP_PASS);
	ports = (void *)ip + header;
	if ((void *)(ports + 1) > end || total < header + sizeof(*ports))
		return leave(EVENT_MALFORMED, XDP_DROP);

	key.addr = ip->daddr;
	key.port = ports->dest;
	key.proto = ip->protocol;
	vip = bpf_map_lookup_elem(&vips4, &key);
	if (!vip)
		return leave(EVENT_NOT_VIP, XDP_PASS);
	if (total + sizeof(struct iphdr) > tunnel_mtu)
		return leave(EVENT_TOO_BIG, XDP_DROP);

	hash = flow_hash(&ip->saddr, 1, *ports, ip->protocol);
	backend = choose(vip->id, hash, &index);
	if (!backend || !backend->addr4)
		return leave(EVENT_NO_BACKEND, XDP_DROP);
	count(index, total);
	tos = ip->tos;
	return send_in_ipv4(ctx, backend->addr4, hash, tos, total);
}

static __always_inline int balance6(struct xdp_md *ctx, struct ipv6hdr *ip, void *end)
{
	struct vip6 key = {};
	struct backend *backend;
	struct ports *ports;
	struct vip *vip;
	__u32 index, payload, total;
	__be32 first;
	__u64 hash;

	if ((void *)(ip + 1) > end || ip->version != 6)
		return leave(EVENT_MALFORMED, XDP_DROP);
	if (ip->nexthdr == IPPROTO_FRAGMENT)
		return leave(EVENT_FRAGMENT, XDP_PASS);
	if (ip->nexthdr != IPPROTO_TCP && ip->nexthdr != IPPROTO_UDP)
		return leave(EVENT_NOT_VIP, XDP_PASS);
	ports = (void *)(ip + 1);
	payload = length16(ip->payload_len);
	if ((void *)(ports + 1) > end || payload < sizeof(*ports) || (void *)(ip + 1) + payload > end)
		return leave(EVENT_MALFORMED, XDP_DROP);

	__builtin_memcpy(key.addr, &ip->daddr, 16);
	key.port = ports->dest;
	key.proto = ip->nexthdr;
	vip = bpf_map_lookup_elem(&vips6, &key);
	if (!vip)
		return leave(EVENT_NOT_VIP, XDP_PASS);
	total = payload + sizeof(*ip);
	if (total + sizeof(*ip) > tunnel_mtu)
		return leave(EVENT_TOO_BIG, XDP_DROP);

	hash = flow_hash(ip->saddr.in6_u.u6_addr32, 4, *ports, ip->nexthdr);
	backend = choose(vip->id, hash, &index);
	if (!backend || !(*(__u64 *)&backend->addr6[0] | *(__u64 *)&backend->addr6[8]))
		return leave(EVENT_NO_BACKEND, XDP_DROP);
	count(index, total);
	first = *(__be32 *)ip;
	return send_in_ipv6(ctx, backend->addr6, hash, first, total);
}

SEC("xdp")
int balance(struct xdp_md *ctx)
{
	void *end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = (void *)(long)ctx->data;

	if ((void *)(eth + 1) > end)
		return leave(EVENT_MALFORMED, XDP_DROP);
	if (eth->h_proto == bpf_htons(ETH_P_IP))
		return balance4(ctx, (void *)(eth + 1), end);
	if (eth->h_proto == bpf_htons(ETH_P_IPV6))
		return balance6(ctx, (void *)(eth + 1), end);
	return leave(EVENT_NOT_IP, XDP_PASS);
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
