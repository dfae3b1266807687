/* The batch driver: one BPF_PROG_TEST_RUN runs N distinct packets through the program under test.
 *
 * The kernel's repeat loop is the batch loop: with repeat N this program runs N times on the same buffer, and each time
 * it takes the next packet. It gives the buffer the packet's length, copies the packet in, calls the target, records
 * what came out and puts the buffer's ends back. The kernel's loop also honours signals and lets other tasks run, and a
 * tail call's budget starts anew for each packet; bpf_loop() does none of that.
 *
 * The target is any loaded XDP program, by a tail call into slot 0 of a prog array. A tail call made in a subprogram
 * returns to the subprogram's caller (x86-64 from 5.10 on, arm64 from 6.0 on). */
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <stdbool.h>

#include "driver.h"

struct driver_memory memory;

/* bpf_xdp_load_bytes and bpf_xdp_store_bytes exist (5.18); set before the load, so that older kernels see no call. */
const volatile bool has_bulk_copy = true;
/* The redirect target can be read from the task (6.11), or from the CPU's variable before that. */
const volatile bool has_task_redirect = true;
const volatile bool has_cpu_redirect = false;

/* Up to here copying by words beats the helper, whose call costs 20 ns. */
#define WORD_COPY_BYTES 512

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} target_slot SEC(".maps");

/* The difference of two packet pointers, as a 64-bit number that the compiler may not narrow. */
#define DISTANCE(to, from)                                                                        \
	({                                                                                        \
		__u64 d_ = (__u64)(long)(to);                                                     \
		asm volatile("%0 -= %1" : "+r"(d_) : "r"((__u64)(long)(from)));                   \
		d_;                                                                               \
	})

/* base + (offset & mask) in one piece. Verifiers before 6.8 lose a bound when the number that was checked and the
 * number that is used part ways, as compilers like them to do. */
#define AT(base, offset, mask)                                                                    \
	({                                                                                        \
		__u64 o_ = (offset);                                                              \
		void *p_ = (base);                                                                \
		asm volatile("%[o] &= %[m]\n\t%[p] += %[o]" : [p] "+r"(p_), [o] "+r"(o_) : [m] "i"(mask)); \
		p_;                                                                               \
	})

/* A global function: of a static one the verifier would believe that it returns what the line below says.
 * The slot's number comes from memory: for a constant one the kernel patches the jump into the code, as fast, but each
 * change of the target then costs a text update and a wait for RCU (10 ms). */
__attribute__((noinline)) int target(struct xdp_md *ctx)
{
	volatile int verdict = XDP_ABORTED;

	if (!ctx)
		return XDP_ABORTED;
	bpf_tail_call(ctx, &target_slot, memory.slot);
	return verdict;
}

/* The kernel's types for redirects, as far as they are read; CO-RE finds the members' places. */
struct bpf_map {
	__u32 id;
} __attribute__((preserve_access_index));

struct bpf_redirect_info {
	__u64 tgt_index;
	__u32 map_id; /* 5.12 */
	enum bpf_map_type map_type;
	struct bpf_map *map; /* before that */
} __attribute__((preserve_access_index));

struct bpf_net_context {
	struct bpf_redirect_info ri;
} __attribute__((preserve_access_index));

struct task_struct {
	struct bpf_net_context *bpf_net_context;
} __attribute__((preserve_access_index));

extern const struct bpf_redirect_info bpf_redirect_info __ksym __weak;

/* Where the target of the last bpf_redirect() or bpf_redirect_map() stands, or NULL. */
static __always_inline const struct bpf_redirect_info *redirect_info(void)
{
	if (has_task_redirect) {
		struct task_struct *task = bpf_get_current_task_btf();
		struct bpf_net_context *context = task->bpf_net_context;

		return context ? &context->ri : NULL;
	}
	if (has_cpu_redirect && &bpf_redirect_info)
		return bpf_this_cpu_ptr(&bpf_redirect_info);
	return NULL;
}

static __always_inline void record_redirect(struct driver_result *result)
{
	const struct bpf_redirect_info *info = redirect_info();

	result->redirect_map = REDIRECT_UNKNOWN;
	if (!info)
		return;
	result->redirect = info->tgt_index;
	/* bpf_redirect() leaves no map type, or a null map (net/core/filter.c). */
	if (bpf_core_field_exists(info->map_id))
		result->redirect_map = info->map_type ? info->map_id : 0;
	else if (bpf_core_field_exists(info->map))
		result->redirect_map = info->map ? BPF_CORE_READ(info, map, id) : 0;
}

static __always_inline void copy_8_words(__u64 *to, const __u64 *from)
{
	to[0] = from[0], to[1] = from[1], to[2] = from[2], to[3] = from[3];
	to[4] = from[4], to[5] = from[5], to[6] = from[6], to[7] = from[7];
}

/* Copies `length` bytes, at least 14, between the packet and a buffer that has room behind its end. `into` is known at
 * compile time. The last bytes go by one word that overlaps those before. */
static __always_inline int copy_words(struct xdp_md *ctx, __u8 *buffer, __u64 length, bool into)
{
	__u8 *packet = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end, *at = buffer;

	for (int block = 0; block < (BATCH_PACKET_BYTES + BATCH_HEADROOM) / 64 + 1; block++) {
		if (packet + 64 > end)
			break;
		copy_8_words(into ? (__u64 *)packet : (__u64 *)at, into ? (__u64 *)at : (__u64 *)packet);
		packet += 64, at += 64;
	}
	for (int word = 0; word < 8; word++) {
		if (packet + 8 > end)
			break;
		*(__u64 *)(into ? packet : at) = *(__u64 *)(into ? at : packet);
		packet += 8, at += 8;
	}
	if (packet < end) {
		__u64 last = length - 8;
		__u8 *tail;

		asm volatile("" : "+r"(last));
		if (last > BATCH_PACKET_BYTES + BATCH_HEADROOM)
			return -1;
		tail = (void *)(long)ctx->data;
		tail += last;
		if (tail + 8 > (__u8 *)(long)ctx->data_end)
			return -1;
		*(__u64 *)(into ? tail : buffer + last) = *(__u64 *)(into ? buffer + last : tail);
	}
	return 0;
}

static __always_inline int copy_in(struct xdp_md *ctx, __u8 *buffer, __u64 length)
{
	if (!has_bulk_copy || length <= WORD_COPY_BYTES)
		return copy_words(ctx, buffer, length, true);
	asm volatile("" : "+r"(length)); /* checked again here: older verifiers lose the bounds of a spilled number */
	if (length < 14 || length > BATCH_PACKET_BYTES)
		return -1;
	return bpf_xdp_store_bytes(ctx, 0, buffer, length);
}

static __always_inline int copy_out(struct xdp_md *ctx, __u8 *buffer, __u64 length)
{
	if (!has_bulk_copy || length <= WORD_COPY_BYTES)
		return copy_words(ctx, buffer, length, false);
	asm volatile("" : "+r"(length));
	if (length < 14 || length > BATCH_PACKET_BYTES + BATCH_HEADROOM)
		return -1;
	return bpf_xdp_load_bytes(ctx, 0, buffer, length);
}

/* Puts the buffer's ends back for the next packet. A single call hands out a headroom of zeros: that is made again on
 * the way, with the head as far forward as a program can move it. */
static __always_inline int restore(struct xdp_md *ctx, int moved, int length, bool clear)
{
	int missing = 14 - (length + moved);
	__u64 *word;

	/* The head can move only within the packet, less an Ethernet header. */
	if (missing > 0 && bpf_xdp_adjust_tail(ctx, missing))
		return -1;
	if (!clear)
		return moved ? bpf_xdp_adjust_head(ctx, -moved) : 0;
	if (bpf_xdp_adjust_head(ctx, -BATCH_HEADROOM - moved))
		return -1;
	word = (void *)(long)ctx->data;
	if ((void *)(word + BATCH_HEADROOM / 8) > (void *)(long)ctx->data_end)
		return -1;
#pragma unroll
	for (int i = 0; i < BATCH_HEADROOM / 8; i++)
		word[i] = 0;
	return bpf_xdp_adjust_head(ctx, BATCH_HEADROOM);
}

/* Where the packet starts, as a number: a packet pointer that was stored in a map is one when it is read back. */
static __always_inline __u64 head(struct xdp_md *ctx)
{
	volatile __u64 *scratch = &memory.scratch;

	*scratch = (__u64)(long)ctx->data;
	return *scratch;
}

static __always_inline int run_packet(struct xdp_md *ctx, __u32 index)
{
	struct driver_packet *packet = AT(memory.packets, index * sizeof(*packet), sizeof(memory.packets) - 1);
	struct driver_result *result = AT(memory.results, index * sizeof(*result), sizeof(memory.results) - 1);
	__u32 length = packet->length, flags = memory.flags, metadata;
	__u64 started = 0, moved, out_length;
	int verdict, change;

	if (length < 14 || length > BATCH_PACKET_BYTES || packet->offset >= BATCH_INPUT_BYTES)
		return DRIVER_BAD_DESCRIPTOR;
	change = (int)length - (int)DISTANCE(ctx->data_end, ctx->data);
	if (change && bpf_xdp_adjust_tail(ctx, change))
		return DRIVER_RESIZE;
	if (copy_in(ctx, AT(memory.input, packet->offset, BATCH_INPUT_BYTES - 1), length))
		return DRIVER_COPY_IN;

	if (flags & DRIVER_REDIRECTS)
		bpf_redirect(0, 0); /* no interface has index 0; what the kernel keeps is never cleared otherwise */
	if (flags & DRIVER_TIME)
		started = bpf_ktime_get_ns();
	verdict = target(ctx);
	if (flags & DRIVER_TIME)
		result->ns = bpf_ktime_get_ns() - started;

	result->verdict = verdict;
	if (verdict == XDP_REDIRECT)
		record_redirect(result);
	/* How far the target moved the head; negative when it put something in front. */
	moved = head(ctx) - memory.canonical;
	out_length = DISTANCE(ctx->data_end, ctx->data);
	metadata = DISTANCE(ctx->data, ctx->data_meta);
	result->length = out_length;
	result->metadata = metadata;
	result->out_offset = memory.output_used;
	if (metadata) {
		/* Metadata becomes packet bytes when it is to be copied, and is forgotten in any case. */
		if (bpf_xdp_adjust_meta(ctx, metadata))
			return DRIVER_METADATA;
		if (flags & DRIVER_CAPTURE) {
			if (bpf_xdp_adjust_head(ctx, -(int)metadata))
				return DRIVER_METADATA;
			moved -= metadata;
			out_length += metadata;
		}
	}
	if (flags & DRIVER_CAPTURE) {
		if (copy_out(ctx, AT(memory.output, memory.output_used, BATCH_OUTPUT_BYTES - 1), out_length))
			return DRIVER_COPY_OUT;
		memory.output_used += (out_length + 7) & ~7u;
	}
	if (restore(ctx, (int)moved, (int)out_length, !(flags & DRIVER_STALE_HEAD)))
		return DRIVER_RESTORE;
	return DRIVER_OK;
}

SEC("xdp")
int driver(struct xdp_md *ctx)
{
	__u32 index = memory.cursor;
	int error;

	if (index >= memory.end || index >= BATCH_PACKETS || memory.error || memory.output_full)
		return XDP_ABORTED;
	if (memory.output_used > BATCH_OUTPUT_BYTES - BATCH_SLACK) {
		memory.output_full = 1;
		return XDP_ABORTED;
	}
	if (memory.fresh) {
		memory.canonical = head(ctx);
		memory.fresh = 0;
	}
	error = run_packet(ctx, index);
	if (error)
		memory.error = error;
	else
		memory.cursor = index + 1;
	return XDP_ABORTED;
}

char LICENSE[] SEC("license") = "GPL";
