/* One map of each type that a test of an XDP program has a use for, and that kernel 5.10 has. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define MAP(map_name, map_type, key_type, value_type, entries)                                                         \
	struct {                                                                                                       \
		__uint(type, map_type);                                                                                \
		__uint(max_entries, entries);                                                                          \
		__type(key, key_type);                                                                                 \
		__type(value, value_type);                                                                             \
	} map_name SEC(".maps")

struct flow {
	__be32 saddr;
	__be16 sport;
	__u8 proto;
	__u8 pad;
};

struct counters {
	__u64 packets;
	__u64 bytes;
};

struct prefix {
	__u32 length;
	__be32 address;
};

/* As bpf_devmap_val: the ifindex, and optionally a program to run there. */
struct target {
	__u32 ifindex;
	__s32 program;
};

struct odd {
	__u8 bytes[5];
};

MAP(flows, BPF_MAP_TYPE_HASH, struct flow, struct counters, 4);
MAP(many, BPF_MAP_TYPE_HASH, __u32, __u64, 131072);
MAP(table, BPF_MAP_TYPE_ARRAY, __u32, __u32, 65537);
MAP(percpu_hash, BPF_MAP_TYPE_PERCPU_HASH, __u32, struct odd, 8);
MAP(percpu_table, BPF_MAP_TYPE_PERCPU_ARRAY, __u32, struct counters, 4);
MAP(lru, BPF_MAP_TYPE_LRU_HASH, __u32, __u32, 64);
MAP(jumps, BPF_MAP_TYPE_PROG_ARRAY, __u32, __u32, 4);
MAP(devices, BPF_MAP_TYPE_DEVMAP, __u32, struct target, 4);
MAP(devices_hash, BPF_MAP_TYPE_DEVMAP_HASH, __u32, struct target, 4);

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 16);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct prefix);
	__type(value, __u32);
} routes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 2);
	__type(value, __u32);
} fifo SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, 2);
	__type(value, __u32);
} lifo SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 65536);
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 2);
	__type(key, __u32);
	__array(
		values, struct {
			__uint(type, BPF_MAP_TYPE_ARRAY);
			__uint(map_flags, BPF_F_INNER_MAP);
			__uint(max_entries, 2);
			__type(key, __u32);
			__type(value, __u64);
		});
} outer_array SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH_OF_MAPS);
	__uint(max_entries, 2);
	__type(key, __u32);
	/* Its inner maps are defined by whoever loads it. */
	__type(value, __u32);
} outer_hash SEC(".maps");

SEC("xdp") int use_maps(struct xdp_md *ctx)
{
	__u32 key = 0, value = 1;
	__u64 *record;
	void *inner;
	struct counters *counters = bpf_map_lookup_elem(&percpu_table, &key);

	if (counters) {
		counters->packets++;
		counters->bytes += ctx->data_end - ctx->data;
	}
	record = bpf_ringbuf_reserve(&events, 8, 0);
	if (record) {
		*record = 0x0102030405060708;
		bpf_ringbuf_submit(record, 0);
	}
	inner = bpf_map_lookup_elem(&outer_array, &key);
	if (inner) {
		__u64 *slot = bpf_map_lookup_elem(inner, &value);

		if (slot)
			__sync_fetch_and_add(slot, 1);
	}
	inner = bpf_map_lookup_elem(&outer_hash, &key);
	if (inner) {
		__u64 *slot = bpf_map_lookup_elem(inner, &key);

		if (slot)
			__sync_fetch_and_add(slot, 1);
	}
	bpf_tail_call(ctx, &jumps, 1);
	return XDP_PASS;
}

SEC("xdp") int jump_target(struct xdp_md *ctx) { (void)ctx; return XDP_DROP; }
SEC("xdp") int to_device(struct xdp_md *ctx) { (void)ctx; return bpf_redirect_map(&devices, 0, XDP_DROP); }

char LICENSE[] SEC("license") = "GPL";
