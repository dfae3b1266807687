/* Capturing, as JavaScript sees it; see live_capture.h. */
#include "live_capture.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "handle.h"
#include "js.h"
#include "live_ring.h"

static void wake(void *function)
{
	napi_call_threadsafe_function(function, NULL, napi_tsfn_nonblocking);
}

static void stop(struct capture *c)
{
	bool running = c->running;

	ring_stop(c);
	if (running)
		napi_release_threadsafe_function(c->argument, napi_tsfn_abort);
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

napi_value capture_start(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 3);
	struct capture *c;
	int64_t blocks, block_bytes, max_bytes;
	napi_threadsafe_function function;
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
	error = ring_set_up(c);
	if (!error && napi_create_threadsafe_function(env, args[2], NULL, js_string(env, "xdptest capture"), 0, 1, NULL,
						      NULL, NULL, NULL, &function) != napi_ok)
		error = ENOMEM;
	if (!error) {
		/* A capture alone keeps no process alive. */
		napi_unref_threadsafe_function(env, function);
		c->notify = wake;
		c->argument = function;
		error = ring_start(c);
		if (error)
			napi_release_threadsafe_function(function, napi_tsfn_abort);
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
