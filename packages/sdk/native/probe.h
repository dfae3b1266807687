/* What finding out about a kernel takes: timed runs, programs made without an object, a program in the way of a function. */
#pragma once

#include <node_api.h>

/* (program, repeat, calls, maxNs) -> { calls, medianNs, voluntarySwitches, errno }: what a test run costs, and how
 * often the thread slept in them. A call that rewrites the dispatcher sleeps twice where the kernel waits for RCU. */
napi_value probe_timed_runs(napi_env env, napi_callback_info info);
/* (frags, verdict?, attach?) -> handle | -errno: an XDP program that returns the verdict or, without one, moves the
 * packet's head by the number in its first 4 bytes and returns what bpf_xdp_adjust_head said: not 0 when fewer than 14
 * linear bytes would be left. With `attach` its expected attach type is BPF_XDP. Made without libbpf, so that a probe
 * depends on nothing but bpf(2). */
napi_value probe_load_bare(napi_env env, napi_callback_info info);
/* (program) -> link handle | -errno: attaches a loaded fentry program where its BTF says. */
napi_value probe_attach_tracing(napi_env env, napi_callback_info info);
