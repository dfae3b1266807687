/* Sending frames on a packet socket that is bound to an interface. */
#pragma once

#include <node_api.h>

/* (socket, bytes, offsets, lengths, { from, to, sliceNs, burst }) -> { next, errno }: frames [from, to), many with each
 * system call, until `sliceNs` are over. */
napi_value send_frames(napi_env env, napi_callback_info info);
