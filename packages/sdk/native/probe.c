/* What finding out about a kernel takes; see probe.h. */
#include "probe.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "handle.h"
#include "js.h"
#include "signals.h"
#include "test_run.h"

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

napi_value probe_timed_runs(napi_env env, napi_callback_info info)
{
	enum { MOST_CALLS = 1000 };
	const uint64_t LONGEST_NS = 10u * 1000000000ull; /* of trying again after signals that cannot be held */
	JS_ARGS(env, info, 4);
	struct test_run run = { .program_fd = handle_fd(env, args[0]) };
	uint8_t packet[64] = { 0 };
	uint64_t took[MOST_CALLS], start, begin;
	struct test_result result = { 0 };
	struct rusage before, after;
	int64_t repeat, calls, max_ns, n;
	sigset_t old_signals;
	napi_value out;

	if (!js_read_int(env, args[1], &repeat) || !js_read_int(env, args[2], &calls) ||
	    !js_read_int(env, args[3], &max_ns))
		return NULL;
	run.packet = packet;
	run.size = sizeof(packet);
	run.repeat = (uint32_t)repeat;
	if (calls > MOST_CALLS)
		calls = MOST_CALLS;
	signals_hold(&old_signals);
	getrusage(RUSAGE_THREAD, &before);
	begin = monotonic_ns();
	run.deadline = begin + LONGEST_NS;
	for (n = 0; n < calls && (n == 0 || monotonic_ns() - begin < (uint64_t)max_ns); n++) {
		start = monotonic_ns();
		test_run(&run, &result);
		took[n] = monotonic_ns() - start;
		if (result.error)
			break;
	}
	getrusage(RUSAGE_THREAD, &after);
	signals_release(&old_signals);
	qsort(took, (size_t)n, sizeof(took[0]), by_size);
	napi_create_object(env, &out);
	js_set_int(env, out, "calls", n);
	js_set_int(env, out, "medianNs", n ? (int64_t)took[n / 2] : 0);
	js_set_int(env, out, "voluntarySwitches", after.ru_nvcsw - before.ru_nvcsw);
	js_set_int(env, out, "errno", result.error);
	return out;
}

#define BPF_FUNC_XDP_LOAD_BYTES 189 /* bpf_xdp_load_bytes, kernel 5.18: newer than the headers that this may be built with */

/* Moves the packet's head by the number in its first 4 bytes. A comparison of pointers would take CAP_PERFMON on kernels
 * before d75e30dddf73 (6.6, and backports), their difference, which would say more, takes it everywhere. */
static const struct bpf_insn move_head[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_6, .src_reg = BPF_REG_1 },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = 0 },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_3, .src_reg = BPF_REG_10 },
	{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_3, .imm = -8 },
	{ .code = BPF_ST | BPF_DW | BPF_MEM, .dst_reg = BPF_REG_10, .off = -8, .imm = 0 },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_4, .imm = 4 },
	{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_XDP_LOAD_BYTES },
	{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_0, .off = 3, .imm = 0 },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_6 },
	{ .code = BPF_LDX | BPF_W | BPF_MEM, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_10, .off = -8 },
	{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_xdp_adjust_head },
	{ .code = BPF_JMP | BPF_EXIT },
};

/* The same for kernels without that helper. */
static const struct bpf_insn move_head_by_pointer[] = {
	{ .code = BPF_LDX | BPF_W | BPF_MEM, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_1, .off = 0 }, /* data */
	{ .code = BPF_LDX | BPF_W | BPF_MEM, .dst_reg = BPF_REG_3, .src_reg = BPF_REG_1, .off = 4 }, /* data_end */
	{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_4, .src_reg = BPF_REG_2 },
	{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_4, .imm = 4 },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = -1 },
	{ .code = BPF_JMP | BPF_JGT | BPF_X, .dst_reg = BPF_REG_4, .src_reg = BPF_REG_3, .off = 2 },
	{ .code = BPF_LDX | BPF_W | BPF_MEM, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_2, .off = 0 },
	{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_xdp_adjust_head },
	{ .code = BPF_JMP | BPF_EXIT },
};

static int load_bare(union bpf_attr *attr, const struct bpf_insn *insns, size_t bytes)
{
	int fd;

	attr->insns = (uintptr_t)insns;
	attr->insn_cnt = (__u32)(bytes / sizeof(*insns));
	do {
		/* A signal that arrives while the verifier works gives EAGAIN. */
		fd = (int)syscall(__NR_bpf, BPF_PROG_LOAD, attr, sizeof(*attr));
	} while (fd < 0 && (errno == EAGAIN || errno == EINTR));
	return fd < 0 ? -errno : fd;
}

napi_value probe_load_bare(napi_env env, napi_callback_info info)
{
	struct bpf_insn constant[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	JS_ARGS(env, info, 3);
	bool moves = js_is_undefined(env, args[1]);
	int64_t frags, verdict = 0, attach = 0;
	union bpf_attr attr;
	int fd;

	if (!js_read_int(env, args[0], &frags) || (!moves && !js_read_int(env, args[1], &verdict)) ||
	    (!js_is_undefined(env, args[2]) && !js_read_int(env, args[2], &attach)))
		return NULL;
	constant[0].imm = (__s32)verdict;
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_XDP;
	attr.license = (uintptr_t)"GPL";
	attr.expected_attach_type = attach ? BPF_XDP : 0;
	attr.prog_flags = frags ? BPF_F_XDP_HAS_FRAGS : 0;
	memcpy(attr.prog_name, "xdptest_probe", sizeof("xdptest_probe"));
	fd = moves ? load_bare(&attr, move_head, sizeof(move_head)) : load_bare(&attr, constant, sizeof(constant));
	if (moves && fd == -EINVAL)
		fd = load_bare(&attr, move_head_by_pointer, sizeof(move_head_by_pointer));
	return fd < 0 ? js_int(env, fd) : handle_new(env, fd, -1);
}

napi_value probe_attach_tracing(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 1);
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.prog_fd = (uint32_t)handle_fd(env, args[0]);
	fd = (int)syscall(__NR_bpf, BPF_RAW_TRACEPOINT_OPEN, &attr, sizeof(attr));
	return fd < 0 ? js_int(env, -errno) : handle_new(env, fd, -1);
}
