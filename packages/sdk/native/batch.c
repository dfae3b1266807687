/* The batch engine's calls; see batch.h. Each call of the kernel runs up to BATCH_PACKETS packets: they are copied into
 * the driver's memory, the driver runs them one by one, and what came out is copied into the caller's columns. */
#include "batch.h"

#include <errno.h>
#include <string.h>

#include "bpf/driver.h"
#include "columns.h"
#include "handle.h"
#include "signals.h"
#include "test_run.h"

/* The packet of the system call itself. The driver replaces it at once. */
static const uint8_t placeholder[64];

static struct driver_memory *memory_of(napi_env env, napi_value options)
{
	struct handle *h = handle_of(env, js_property(env, options, "memory"));
	void *memory = h && h->fd >= 0 ? handle_map(h, sizeof(struct driver_memory)) : NULL;

	if (h && (!memory || !h->writable))
		js_type_error(env, "the driver's memory cannot be mapped");
	return memory;
}

/* Copies as many of the packets [from, to) as one call takes; returns their number. */
static uint32_t fill(struct driver_memory *m, const struct columns *c, int64_t from, int64_t to)
{
	uint32_t n = 0, used = 0;

	for (; n < BATCH_PACKETS && from + n < to; n++) {
		uint32_t length = c->lengths[from + n];

		if (used + length > BATCH_INPUT_BYTES)
			break;
		memcpy(m->input + used, c->bytes.data + c->offsets[from + n], length);
		m->packets[n] = (struct driver_packet){ .offset = used, .length = length };
		used += (length + 7) & ~7u;
	}
	m->cursor = 0;
	m->end = n;
	m->output_used = 0;
	m->output_full = 0;
	m->error = DRIVER_OK;
	return n;
}

/* Copies the results of packets [first, cursor) of the call into the columns, from packet `base` on. */
static void drain(struct driver_memory *m, struct columns *c, struct slice *s, int64_t base, uint32_t first)
{
	for (uint32_t i = first; i < m->cursor; i++) {
		const struct driver_result *r = &m->results[i];
		int64_t to = base + i;

		c->verdicts[to] = r->verdict;
		c->out_lengths[to] = r->length;
		c->out_metadata[to] = r->metadata;
		c->out_offsets[to] = (uint32_t)s->out_position + r->out_offset + r->metadata;
		if (c->ns)
			c->ns[to] = r->ns;
		if (c->redirect_targets) {
			bool known = r->verdict == XDP_REDIRECT;

			c->redirect_targets[to] = known ? (uint32_t)r->redirect : 0;
			c->redirect_maps[to] = known ? r->redirect_map : REDIRECT_UNKNOWN;
		}
	}
	if (c->out_bytes.data) {
		memcpy(c->out_bytes.data + s->out_position, m->output, m->output_used);
		s->out_position += m->output_used;
	}
	m->output_used = 0;
	m->output_full = 0;
}

/* One system call from the cursor on. A signal ends it between two packets, with the cursor right. */
static int call_driver(struct driver_memory *m, struct test_run *run, uint64_t *retries)
{
	struct test_result result;
	uint32_t before = m->cursor;

	m->fresh = 1;
	run->repeat = m->end - m->cursor;
	run->deadline = 1; /* interrupted runs are not begun again: they go on from the cursor */
	test_run(run, &result);
	if (result.error == EINTR) {
		(*retries)++;
		return 0;
	}
	if (!result.error && !m->error && m->cursor == before && !m->output_full)
		return EPROTO; /* the driver did not run: another program is in its place */
	return result.error;
}

static napi_value slice_result(napi_env env, const struct slice *s, uint64_t retries, int error, uint32_t driver_error)
{
	napi_value out;

	napi_create_object(env, &out);
	js_set_int(env, out, "next", s->from);
	js_set_int(env, out, "outPosition", s->out_position);
	js_set_int(env, out, "retries", (int64_t)retries);
	js_set_int(env, out, "errno", error);
	js_set_int(env, out, "driverError", driver_error);
	return out;
}

napi_value batch_run_slice(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 1);
	struct test_run run = { .packet = placeholder, .size = sizeof(placeholder) };
	struct driver_memory *m = memory_of(env, args[0]);
	struct columns c = { 0 };
	uint64_t retries = 0;
	struct slice s;
	sigset_t old_signals;
	int64_t flags;
	int error = 0;

	run.program_fd = handle_fd(env, js_property(env, args[0], "driver"));
	if (!m || !columns_read(env, args[0], &c) || !slice_read(env, args[0], &c, &s) ||
	    !test_run_read_context(env, args[0], &run) || !js_int_property(env, args[0], "flags", &flags))
		return NULL;
	for (int64_t i = s.from; i < s.to; i++)
		if (!columns_packet_inside(&c, i) || c.lengths[i] > BATCH_PACKET_BYTES)
			return js_type_error(env, "a packet lies outside of its batch, or is too long");
	m->flags = (uint32_t)flags | (c.out_bytes.data ? DRIVER_CAPTURE : 0);
	signals_hold(&old_signals);
	do {
		uint32_t n, first = 0;

		if (c.out_bytes.data && s.out_end - s.out_position < s.out_room)
			break;
		n = fill(m, &c, s.from, s.to);
		while (m->cursor < n && !error && !m->error) {
			/* Outputs that grew: the rest waits for room. */
			if (first && c.out_bytes.data && s.out_end - s.out_position < s.out_room)
				break;
			error = call_driver(m, &run, &retries);
			drain(m, &c, &s, s.from, first);
			first = m->cursor;
		}
		s.from += first;
	} while (s.from < s.to && !error && !m->error && monotonic_ns() < s.stop_ns);
	signals_release(&old_signals);
	return slice_result(env, &s, retries, error, m->error);
}

napi_value batch_repeat(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 1);
	struct test_run run = { .packet = placeholder, .size = sizeof(placeholder) };
	struct driver_memory *m = memory_of(env, args[0]);
	struct js_bytes packet;
	uint64_t retries = 0, begin, elapsed;
	sigset_t old_signals;
	int64_t runs, done = 0, flags;
	int error = 0;
	napi_value out;

	run.program_fd = handle_fd(env, js_property(env, args[0], "driver"));
	if (!m || !js_read_bytes(env, js_property(env, args[0], "packet"), &packet) ||
	    !js_int_property(env, args[0], "runs", &runs) || !js_int_property(env, args[0], "flags", &flags) ||
	    !test_run_read_context(env, args[0], &run))
		return NULL;
	if (packet.size > BATCH_PACKET_BYTES)
		return js_type_error(env, "the packet is too long");
	memcpy(m->input, packet.data, packet.size);
	for (uint32_t i = 0; i < BATCH_PACKETS; i++)
		m->packets[i] = (struct driver_packet){ .offset = 0, .length = (uint32_t)packet.size };
	m->flags = (uint32_t)flags;
	m->error = DRIVER_OK;
	signals_hold(&old_signals);
	begin = monotonic_ns();
	while (done < runs && !error && !m->error) {
		m->cursor = 0;
		m->end = runs - done < BATCH_PACKETS ? (uint32_t)(runs - done) : BATCH_PACKETS;
		m->output_used = 0;
		while (m->cursor < m->end && !error && !m->error)
			error = call_driver(m, &run, &retries);
		done += m->cursor;
	}
	elapsed = monotonic_ns() - begin;
	signals_release(&old_signals);
	napi_create_object(env, &out);
	js_set_int(env, out, "elapsedNs", (int64_t)elapsed);
	js_set_int(env, out, "done", done);
	js_set_int(env, out, "retries", (int64_t)retries);
	js_set_int(env, out, "errno", error);
	js_set_int(env, out, "driverError", m->error);
	return out;
}
