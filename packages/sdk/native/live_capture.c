/* Capturing; see live_capture.h. Documentation/networking/packet_mmap.rst describes the ring. */
#include "live_capture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "handle.h"
#include "js.h"

struct frame {
	uint64_t offset, timestamp_ns;
	uint32_t length, original_length;
};

struct capture {
	int fd, stop_fd; /* both owned */
	uint8_t *ring;
	size_t block_size, block_count;
	pthread_t thread;
	bool running;
	napi_threadsafe_function notify;

	pthread_mutex_t lock; /* of all that follows */
	uint8_t *bytes;
	size_t bytes_used, bytes_room, max_bytes;
	struct frame *frames;
	size_t count, room;
	uint64_t first;     /* number of frames[0]: how many were forgotten */
	uint64_t watermark; /* 0: nobody waits */
	uint64_t dropped;    /* by the kernel, for want of room in the ring */
	uint64_t overflowed; /* by us, for want of room in memory */
	int error;
};

static bool grow(void **data, size_t *room, size_t wanted, size_t unit)
{
	size_t size = *room ? *room : 1024;
	void *larger;

	if (wanted <= *room)
		return true;
	while (size < wanted)
		size *= 2;
	larger = realloc(*data, size * unit);
	if (!larger)
		return false;
	*data = larger;
	*room = size;
	return true;
}

/* The kernel takes an outer VLAN tag out of the frame and hands it over beside it (skb_vlan_untag): put it back. */
static void keep_frame(struct capture *c, const struct tpacket3_hdr *header)
{
	enum { ADDRESSES = 2 * ETH_ALEN, TAG = 4 };
	const uint8_t *data = (const uint8_t *)header + header->tp_mac;
	bool tagged = (header->tp_status & TP_STATUS_VLAN_VALID) && header->tp_snaplen >= ADDRESSES;
	size_t extra = tagged ? TAG : 0, length = header->tp_snaplen + extra;
	uint8_t *to;

	if (c->bytes_used + length > c->max_bytes ||
	    !grow((void **)&c->bytes, &c->bytes_room, c->bytes_used + length, 1) ||
	    !grow((void **)&c->frames, &c->room, c->count + 1, sizeof(*c->frames))) {
		c->overflowed++;
		return;
	}
	to = c->bytes + c->bytes_used;
	if (tagged) {
		uint16_t tpid = htons((header->tp_status & TP_STATUS_VLAN_TPID_VALID) ? header->hv1.tp_vlan_tpid
										       : ETH_P_8021Q);
		uint16_t tci = htons((uint16_t)header->hv1.tp_vlan_tci);

		memcpy(to, data, ADDRESSES);
		memcpy(to + ADDRESSES, &tpid, sizeof(tpid));
		memcpy(to + ADDRESSES + sizeof(tpid), &tci, sizeof(tci));
		memcpy(to + ADDRESSES + TAG, data + ADDRESSES, header->tp_snaplen - ADDRESSES);
	} else {
		memcpy(to, data, length);
	}
	c->frames[c->count++] = (struct frame){
		.offset = c->bytes_used,
		.timestamp_ns = (uint64_t)header->tp_sec * 1000000000u + header->tp_nsec,
		.length = (uint32_t)length,
		.original_length = (uint32_t)(header->tp_len + extra),
	};
	c->bytes_used += length;
}

static void keep_block(struct capture *c, const struct tpacket_block_desc *block)
{
	const uint8_t *at = (const uint8_t *)block + block->hdr.bh1.offset_to_first_pkt;
	bool wanted;

	pthread_mutex_lock(&c->lock);
	for (uint32_t i = 0; i < block->hdr.bh1.num_pkts; i++) {
		const struct tpacket3_hdr *header = (const struct tpacket3_hdr *)at;

		keep_frame(c, header);
		at += header->tp_next_offset;
	}
	wanted = c->watermark && c->first + c->count >= c->watermark;
	if (wanted)
		c->watermark = 0;
	pthread_mutex_unlock(&c->lock);
	if (wanted)
		napi_call_threadsafe_function(c->notify, NULL, napi_tsfn_nonblocking);
}

static void *drain(void *argument)
{
	enum { AHEAD_OF_OTHERS = -10 };
	struct capture *c = argument;
	struct pollfd ready[] = { { .fd = c->fd, .events = POLLIN }, { .fd = c->stop_fd, .events = POLLIN } };
	size_t next = 0;
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	/* Ahead of the threads that work on the frames; refused without CAP_SYS_NICE, and then the ring has to do. */
	setpriority(PRIO_PROCESS, (id_t)syscall(__NR_gettid), AHEAD_OF_OTHERS);
	for (;;) {
		struct tpacket_block_desc *block = (void *)(c->ring + next * c->block_size);

		if (__atomic_load_n(&block->hdr.bh1.block_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER) {
			keep_block(c, block);
			__atomic_store_n(&block->hdr.bh1.block_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
			next = (next + 1) % c->block_count;
			continue;
		}
		if (poll(ready, 2, -1) < 0 && errno != EINTR)
			break;
		if (ready[1].revents)
			break;
		if (ready[0].revents & POLLERR) {
			/* The interface went down or away. Taking the error lets the wait go on, should it come back. */
			int error = 0;
			socklen_t size = sizeof(error);

			getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &size);
			pthread_mutex_lock(&c->lock);
			c->error = error;
			pthread_mutex_unlock(&c->lock);
		}
	}
	return NULL;
}

static void stop(struct capture *c)
{
	uint64_t one = 1;

	if (c->running) {
		if (write(c->stop_fd, &one, sizeof(one)) == sizeof(one))
			pthread_join(c->thread, NULL);
		napi_release_threadsafe_function(c->notify, napi_tsfn_abort);
	}
	c->running = false;
	if (c->ring)
		munmap(c->ring, c->block_size * c->block_count);
	if (c->fd >= 0)
		close(c->fd);
	if (c->stop_fd >= 0)
		close(c->stop_fd);
	c->ring = NULL;
	c->fd = c->stop_fd = -1;
}

static void finalize(napi_env env, void *data, void *hint)
{
	struct capture *c = data;

	(void)env;
	(void)hint;
	stop(c);
	free(c->bytes);
	free(c->frames);
	free(c);
}

static int set_up(struct capture *c)
{
	struct tpacket_req3 ring = {
		.tp_block_size = (unsigned)c->block_size,
		.tp_block_nr = (unsigned)c->block_count,
		.tp_frame_size = TPACKET_ALIGNMENT << 7, /* 2048: checked by the kernel, without a meaning in V3 */
		.tp_retire_blk_tov = 1,                  /* ms until a block that is not full is handed over */
	};
	int version = TPACKET_V3;

	ring.tp_frame_nr = ring.tp_block_size / ring.tp_frame_size * ring.tp_block_nr;
	if (c->fd < 0 || c->stop_fd < 0 ||
	    setsockopt(c->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) ||
	    setsockopt(c->fd, SOL_PACKET, PACKET_RX_RING, &ring, sizeof(ring)))
		return errno;
	c->ring = mmap(NULL, c->block_size * c->block_count, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, 0);
	if (c->ring == MAP_FAILED) {
		c->ring = NULL;
		return errno;
	}
	return 0;
}

napi_value capture_start(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 3);
	struct capture *c;
	int64_t blocks, block_bytes, max_bytes;
	napi_value value;
	int error;

	if (!js_int_property(env, args[1], "blocks", &blocks) ||
	    !js_int_property(env, args[1], "blockBytes", &block_bytes) ||
	    !js_int_property(env, args[1], "maxBytes", &max_bytes))
		return NULL;
	c = calloc(1, sizeof(*c));
	if (!c)
		return js_int(env, -ENOMEM);
	pthread_mutex_init(&c->lock, NULL);
	c->block_count = (size_t)blocks;
	c->block_size = (size_t)block_bytes;
	c->max_bytes = (size_t)max_bytes;
	c->fd = dup(handle_fd(env, args[0]));
	c->stop_fd = eventfd(0, EFD_CLOEXEC);
	error = set_up(c);
	if (!error && napi_create_threadsafe_function(env, args[2], NULL, js_string(env, "xdptest capture"), 0, 1, NULL,
						      NULL, NULL, NULL, &c->notify) != napi_ok)
		error = ENOMEM;
	if (!error) {
		/* A capture alone keeps no process alive. */
		napi_unref_threadsafe_function(env, c->notify);
		error = pthread_create(&c->thread, NULL, drain, c);
		c->running = !error;
	}
	if (error || napi_create_external(env, c, finalize, NULL, &value) != napi_ok) {
		finalize(env, c, NULL);
		return js_int(env, -(error ? error : ENOMEM));
	}
	return value;
}

static struct capture *capture_of(napi_env env, napi_value value)
{
	void *c = NULL;

	if (napi_get_value_external(env, value, &c) != napi_ok)
		js_type_error(env, "expected a capture");
	return c;
}

napi_value capture_state(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 2);
	struct capture *c = capture_of(env, args[0]);
	struct tpacket_stats_v3 counted;
	socklen_t size = sizeof(counted);
	int64_t watermark;
	napi_value out;

	if (!c || !js_read_int(env, args[1], &watermark))
		return NULL;
	napi_create_object(env, &out);
	pthread_mutex_lock(&c->lock);
	c->watermark = (uint64_t)watermark;
	/* Reading the kernel's counters sets them to zero. */
	if (c->fd >= 0 && getsockopt(c->fd, SOL_PACKET, PACKET_STATISTICS, &counted, &size) == 0)
		c->dropped += counted.tp_drops;
	js_set_int(env, out, "frames", (int64_t)(c->first + c->count));
	js_set_int(env, out, "bytes", (int64_t)c->bytes_used);
	js_set_int(env, out, "dropped", (int64_t)c->dropped);
	js_set_int(env, out, "overflowed", (int64_t)c->overflowed);
	js_set_int(env, out, "errno", c->error);
	pthread_mutex_unlock(&c->lock);
	return out;
}

/* Frames [from, from + count) in memory, or NULL when some were forgotten or never came. Call it with the lock held. */
static const struct frame *frames_at(const struct capture *c, int64_t from, size_t count)
{
	if (from < 0 || (uint64_t)from < c->first || (uint64_t)from - c->first + count > c->count)
		return NULL;
	return c->frames + ((uint64_t)from - c->first);
}

napi_value capture_columns(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 5);
	struct capture *c = capture_of(env, args[0]);
	uint32_t *lengths, *originals;
	size_t count, original_count, time_count;
	const struct frame *frames;
	napi_typedarray_type type;
	uint64_t *times;
	int64_t from;

	if (!c || !js_read_int(env, args[1], &from) || !js_read_u32_array(env, args[2], &lengths, &count) ||
	    !js_read_u32_array(env, args[3], &originals, &original_count))
		return NULL;
	if (napi_get_typedarray_info(env, args[4], &type, &time_count, (void **)&times, NULL, NULL) != napi_ok ||
	    type != napi_biguint64_array || original_count < count || time_count < count)
		return js_type_error(env, "expected columns of equal length");
	pthread_mutex_lock(&c->lock);
	frames = frames_at(c, from, count);
	for (size_t i = 0; frames && i < count; i++) {
		lengths[i] = frames[i].length;
		originals[i] = frames[i].original_length;
		times[i] = frames[i].timestamp_ns;
	}
	pthread_mutex_unlock(&c->lock);
	return frames ? NULL : js_type_error(env, "these frames are not here");
}

napi_value capture_bytes(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 4);
	struct capture *c = capture_of(env, args[0]);
	const struct frame *frames;
	struct js_bytes to;
	int64_t from, count;
	size_t size = 0;

	if (!c || !js_read_int(env, args[1], &from) || !js_read_int(env, args[2], &count) ||
	    !js_read_bytes(env, args[3], &to))
		return NULL;
	pthread_mutex_lock(&c->lock);
	frames = frames_at(c, from, (size_t)count);
	if (frames && count > 0) {
		/* Frames lie one after another. */
		size = frames[count - 1].offset + frames[count - 1].length - frames[0].offset;
		if (size <= to.size)
			memcpy(to.data, c->bytes + frames[0].offset, size);
		else
			frames = NULL;
	}
	pthread_mutex_unlock(&c->lock);
	return frames ? NULL : js_type_error(env, "these frames are not here, or do not fit");
}

napi_value capture_forget(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 2);
	struct capture *c = capture_of(env, args[0]);
	int64_t up_to;
	size_t n, cut;

	if (!c || !js_read_int(env, args[1], &up_to))
		return NULL;
	pthread_mutex_lock(&c->lock);
	n = (uint64_t)up_to > c->first ? (size_t)((uint64_t)up_to - c->first) : 0;
	if (n > c->count)
		n = c->count;
	cut = n < c->count ? c->frames[n].offset : c->bytes_used;
	if (n > 0) {
		memmove(c->bytes, c->bytes + cut, c->bytes_used - cut);
		memmove(c->frames, c->frames + n, (c->count - n) * sizeof(*c->frames));
		c->bytes_used -= cut;
		c->count -= n;
		c->first += n;
		for (size_t i = 0; i < c->count; i++)
			c->frames[i].offset -= cut;
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

napi_value capture_stop(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 1);
	struct capture *c = capture_of(env, args[0]);

	if (c)
		stop(c);
	return NULL;
}
