/* One of each kind of type, for the types that are made of them. */
#include <linux/bpf.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <bpf/bpf_helpers.h>
#include <stdbool.h>
#include "kinds.h"

struct vip_key {
	__be32 addr;
	__be16 port;
	__u8 proto;
	__u8 pad;
};

typedef struct {
	__u32 id;
	__u8 mac[6];
	char name[16];
} backend_t;

struct everything {
	bool enabled;
	__s8 small;
	__u64 large;
	enum mode mode;
	struct in_addr v4;
	__u8 v6[16];
	__u8 bytes[3];
	__u16 words[4];
	unsigned int low : 3, high : 29;
	bool flag : 1;
	struct vip_key nested;
	struct vip_key list[2];
	union {
		__u32 as_number;
		struct {
			__u16 first;
			__u16 second;
		};
	};
	struct {
		__u32 inside;
	} anonymous;
	struct everything *next;
	float ratio;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, struct vip_key);
	__type(value, backend_t);
} vips SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u64);
} hits SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct everything);
} all SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, 5);
	__uint(value_size, 7);
} untyped SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 2);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} programs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH_OF_MAPS);
	__uint(max_entries, 2);
	__type(key, __u32);
	__array(values, struct {
		__uint(type, BPF_MAP_TYPE_HASH);
		__uint(max_entries, 8);
		__type(key, __u32);
		__type(value, struct vip_key);
	});
} tables SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 4);
	__uint(value_size, sizeof(__u32));
} waiting SEC(".maps");

const volatile __u32 backend_count = 3;
const volatile enum mode mode = MODE_FAST;
__u64 packets;
struct vip_key last_vip;
__be32 gateway;

SEC("xdp")
int first(struct xdp_md *ctx)
{
	struct vip_key key = { .addr = gateway };
	__u32 zero = 0;
	void *inner;

	(void)ctx;
	packets++;
	last_vip = key;
	if (mode == MODE_SLOW || !bpf_map_lookup_elem(&vips, &key) || !bpf_map_lookup_elem(&hits, &zero))
		return XDP_DROP;
	inner = bpf_map_lookup_elem(&tables, &zero);
	if (inner && bpf_map_lookup_elem(inner, &zero))
		return XDP_TX;
	bpf_map_push_elem(&waiting, &zero, 0);
	bpf_tail_call(ctx, &programs, backend_count);
	return bpf_map_lookup_elem(&all, &zero) ? XDP_PASS : XDP_ABORTED;
}

SEC("xdp.frags")
int second(struct xdp_md *ctx)
{
	(void)ctx;
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "GPL";
