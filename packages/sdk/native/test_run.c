/* BPF_PROG_TEST_RUN: one packet, or a slice of many; see test_run.h. net/bpf/test_run.c is the kernel's side. */
#include "test_run.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "columns.h"
#include "handle.h"
#include "js.h"
#include "signals.h"

uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void test_run(const struct test_run *run, struct test_result *result)
{
	struct xdp_md context_in = { 0 };
	union bpf_attr attr;

	result->retries = 0;
	for (;;) {
		/* Sizes are in/out: all of them are set anew for each try. */
		memset(&attr, 0, sizeof(attr));
		memset(&result->context, 0, sizeof(result->context));
		attr.test.prog_fd = (uint32_t)run->program_fd;
		attr.test.data_in = (uintptr_t)run->packet;
		attr.test.data_size_in = run->size;
		/* NULL for no room: with a pointer and a size of 0 the kernel writes the whole packet. */
		attr.test.data_out = run->output_size ? (uintptr_t)run->output : 0;
		attr.test.data_size_out = run->output ? run->output_size : 0;
		attr.test.repeat = run->repeat;
		attr.test.flags = run->flags;
		attr.test.batch_size = run->batch_size;
		if (run->use_context) {
			/* Always complete: with a zeroed context, or with ctx_out alone, the program sees 0 bytes. */
			context_in.data = run->metadata;
			context_in.data_end = run->size;
			context_in.ingress_ifindex = run->ingress_ifindex;
			context_in.rx_queue_index = run->rx_queue;
			attr.test.ctx_in = (uintptr_t)&context_in;
			attr.test.ctx_size_in = sizeof(context_in);
			/* Live frames come back to nobody: the kernel refuses a place for them. */
			if (!run->flags) {
				attr.test.ctx_out = (uintptr_t)&result->context;
				attr.test.ctx_size_out = sizeof(result->context);
			}
		}
		if (syscall(__NR_bpf, BPF_PROG_TEST_RUN, &attr, sizeof(attr)) == 0) {
			result->error = 0;
			break;
		}
		result->error = errno;
		/* Nothing was written back; the packet is as it was, so the run can be made again. */
		if (errno != EINTR || (run->deadline && monotonic_ns() >= run->deadline))
			break;
		result->retries++;
	}
	result->verdict = attr.test.retval;
	result->output_size = attr.test.data_size_out;
	result->duration_ns = attr.test.duration;
}

bool test_run_read_context(napi_env env, napi_value options, struct test_run *run)
{
	int64_t ifindex = 0, rx_queue = 0, use_context = 1;

	if (!js_optional_int(env, options, "ingressIfindex", &ifindex) ||
	    !js_optional_int(env, options, "rxQueue", &rx_queue) ||
	    !js_optional_int(env, options, "useContext", &use_context))
		return false;
	run->ingress_ifindex = (uint32_t)ifindex;
	run->rx_queue = (uint32_t)rx_queue;
	run->use_context = use_context != 0;
	return true;
}

/* A run on one CPU: binds the calling thread to it and undoes that. -> an error number when it cannot be bound */
static int test_run_on(int cpu, const struct test_run *run, struct test_result *result)
{
	cpu_set_t old, one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_getaffinity(0, sizeof(old), &old) || sched_setaffinity(0, sizeof(one), &one))
		return errno;
	test_run(run, result);
	sched_setaffinity(0, sizeof(old), &old);
	return 0;
}

enum {
	OUT_ERROR,
	OUT_VERDICT,
	OUT_SIZE,
	OUT_DURATION,
	OUT_RETRIES,
	OUT_DATA,
	OUT_DATA_END,
	OUT_IFINDEX,
	OUT_RX_QUEUE,
	OUT_PIN_ERROR,
	OUT_COUNT
};

/* What a run needs beside its program and bytes, in the order in which TypeScript fills a Float64Array: reading these as
 * properties of an object would cost more than the system call. */
enum {
	SET_METADATA,
	SET_REPEAT,
	SET_IFINDEX,
	SET_RX_QUEUE,
	SET_USE_CONTEXT,
	SET_TIMEOUT_MS,
	SET_CPU, /* -1: any */
	SET_FLAGS,
	SET_BATCH_SIZE,
	SET_COUNT
};

/* (program, packet, output?, settings, Uint32Array result); the packet has its metadata in front. */
napi_value test_run_one(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 5);
	struct js_bytes packet, output = { 0 };
	struct test_result result = { 0 };
	struct test_run run = { .program_fd = handle_fd(env, args[0]) };
	int cpu, pin_error = 0;
	sigset_t old_signals;
	const double *set;
	uint32_t *out;
	size_t out_count, set_count;

	if (!js_read_bytes(env, args[1], &packet) ||
	    (!js_is_undefined(env, args[2]) && !js_read_bytes(env, args[2], &output)) ||
	    !js_read_f64_array(env, args[3], &set, &set_count) || !js_read_u32_array(env, args[4], &out, &out_count))
		return NULL;
	if (out_count < OUT_COUNT || set_count < SET_COUNT)
		return js_type_error(env, "the result or the settings are too short");
	run.packet = packet.data;
	run.size = (uint32_t)packet.size;
	run.metadata = (uint32_t)set[SET_METADATA];
	run.output = output.data;
	run.output_size = (uint32_t)output.size;
	run.repeat = (uint32_t)set[SET_REPEAT];
	run.ingress_ifindex = (uint32_t)set[SET_IFINDEX];
	run.rx_queue = (uint32_t)set[SET_RX_QUEUE];
	run.use_context = set[SET_USE_CONTEXT] != 0;
	run.flags = (uint32_t)set[SET_FLAGS];
	run.batch_size = (uint32_t)set[SET_BATCH_SIZE];
	run.deadline = set[SET_TIMEOUT_MS] > 0 ? monotonic_ns() + (uint64_t)(set[SET_TIMEOUT_MS] * 1e6) : 0;
	cpu = (int)set[SET_CPU];
	if (cpu >= CPU_SETSIZE)
		return js_type_error(env, "there is no such CPU");
	signals_hold(&old_signals);
	if (cpu >= 0)
		pin_error = test_run_on(cpu, &run, &result);
	else
		test_run(&run, &result);
	signals_release(&old_signals);
	out[OUT_ERROR] = (uint32_t)result.error;
	out[OUT_VERDICT] = result.verdict;
	out[OUT_SIZE] = result.output_size;
	out[OUT_DURATION] = result.duration_ns;
	out[OUT_RETRIES] = result.retries;
	out[OUT_DATA] = result.context.data;
	out[OUT_DATA_END] = result.context.data_end;
	out[OUT_IFINDEX] = result.context.ingress_ifindex;
	out[OUT_RX_QUEUE] = result.context.rx_queue_index;
	out[OUT_PIN_ERROR] = (uint32_t)pin_error;
	return NULL;
}

/* Runs packets [from, to) one system call each until `sliceNs` are over or the room for outputs is used up.
 * -> { next, outPosition, retries, errno } */
napi_value test_run_slice(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 1);
	struct test_result result = { 0 };
	struct test_run run = { .repeat = 1 };
	struct columns c = { 0 };
	uint64_t retries = 0;
	struct slice s;
	bool outside = false;
	sigset_t old_signals;
	napi_value out;

	run.program_fd = handle_fd(env, js_property(env, args[0], "program"));
	if (!columns_read(env, args[0], &c) || !slice_read(env, args[0], &c, &s) ||
	    !test_run_read_context(env, args[0], &run))
		return NULL;
	signals_hold(&old_signals);
	while (s.from < s.to) {
		outside = !columns_packet_inside(&c, s.from);
		if (outside)
			break;
		run.packet = c.bytes.data + c.offsets[s.from];
		run.size = c.lengths[s.from];
		if (c.out_bytes.data) {
			if (s.out_end - s.out_position < s.out_room)
				break;
			run.output = c.out_bytes.data + s.out_position;
			run.output_size = (uint32_t)(s.out_end - s.out_position);
		}
		test_run(&run, &result);
		retries += result.retries;
		if (result.error)
			break;
		c.verdicts[s.from] = result.verdict;
		/* The output starts with the metadata, whose length is the context's data. */
		c.out_metadata[s.from] = result.context.data;
		c.out_lengths[s.from] = result.output_size - result.context.data;
		c.out_offsets[s.from] = (uint32_t)s.out_position + result.context.data;
		if (c.out_bytes.data)
			s.out_position += result.output_size;
		s.from++;
		if (monotonic_ns() >= s.stop_ns)
			break;
	}
	signals_release(&old_signals);
	if (outside)
		return js_type_error(env, "a packet lies outside of its batch");
	napi_create_object(env, &out);
	js_set_int(env, out, "next", s.from);
	js_set_int(env, out, "outPosition", s.out_position);
	js_set_int(env, out, "retries", (int64_t)retries);
	js_set_int(env, out, "errno", result.error);
	return out;
}
