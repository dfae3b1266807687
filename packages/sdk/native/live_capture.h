/* Capturing: a packet socket's ring in memory shared with the kernel (TPACKET_V3), and a thread that empties it into
 * memory of our own, so that a JavaScript thread that is busy elsewhere loses no frame. */
#pragma once

#include <node_api.h>

/* (socket, { blocks, blockBytes, maxBytes }, callback) -> capture | -errno. The socket must not be bound yet: frames
 * come once it is. The callback is called when a watermark is reached. */
napi_value capture_start(napi_env env, napi_callback_info info);
/* (capture, watermark) -> { frames, bytes, dropped, overflowed, errno }: and asks for a call at that many frames. */
napi_value capture_state(napi_env env, napi_callback_info info);
/* (capture, from, lengths, originalLengths, timestamps): columns of as many frames as the arrays are long. */
napi_value capture_columns(napi_env env, napi_callback_info info);
/* (capture, from, count, bytes): their bytes, one after another. */
napi_value capture_bytes(napi_env env, napi_callback_info info);
/* (capture, upTo): forgets the frames before that one, whose numbers stay. */
napi_value capture_forget(napi_env env, napi_callback_info info);
napi_value capture_stop(napi_env env, napi_callback_info info); /* (capture) */
