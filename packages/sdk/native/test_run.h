/* BPF_PROG_TEST_RUN: one packet, or a slice of many. */
#pragma once

#include <linux/bpf.h>
#include <node_api.h>
#include <stdbool.h>
#include <stdint.h>

/* One run as a caller wants it. */
struct test_run {
	int program_fd;
	const uint8_t *packet; /* metadata first, then the packet */
	uint32_t size;         /* of both */
	uint32_t metadata;     /* bytes of it that are metadata */
	uint8_t *output;       /* NULL: the kernel copies nothing out (it ignores the size when there is a pointer) */
	uint32_t output_size;
	uint32_t repeat;
	uint32_t ingress_ifindex;
	uint32_t rx_queue;
	int use_context; /* 0 on kernels before 5.15, which refuse any */
	uint32_t flags, batch_size; /* BPF_F_TEST_XDP_LIVE_FRAMES and its batch */
	uint64_t deadline; /* CLOCK_MONOTONIC ns after which an interrupted run is not tried again; 0: none */
};

/* What came back. `error` is a positive error number and never mixes with the verdict. */
struct test_result {
	int error;
	uint32_t verdict;
	uint32_t output_size; /* true size, metadata included, also when the output was cut (ENOSPC) */
	uint32_t duration_ns;
	uint32_t retries; /* how often a signal interrupted the run */
	struct xdp_md context;
};

void test_run(const struct test_run *run, struct test_result *result);
/* Reads { ingressIfindex?, rxQueue?, useContext? }. */
bool test_run_read_context(napi_env env, napi_value options, struct test_run *run);
uint64_t monotonic_ns(void);

napi_value test_run_one(napi_env env, napi_callback_info info);
napi_value test_run_slice(napi_env env, napi_callback_info info);
