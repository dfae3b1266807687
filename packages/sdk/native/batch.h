/* The batch engine's calls; bpf/driver.bpf.c is their other half. */
#pragma once

#include <node_api.h>

/* Packets [from, to) through the driver, until the slice is over or the room for outputs used up:
 * -> { next, outPosition, retries, errno, driverError } */
napi_value batch_run_slice(napi_env env, napi_callback_info info);
/* One packet `runs` times, restored each time, outputs dropped: -> { done, elapsedNs, retries, errno, driverError } */
napi_value batch_repeat(napi_env env, napi_callback_info info);
