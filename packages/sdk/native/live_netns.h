/* Private network namespaces: held by a descriptor alone, so that the kernel removes one, with all that is in it, when
 * the descriptor is closed or the process dies. */
#pragma once

#include <node_api.h>

/* Runs `work` on a thread of its own inside of the namespace (a new one for -1) and waits for it. setns and unshare act
 * on the calling thread alone, and none of Node's may change namespace. Returns 0 or the error number of getting there. */
int in_netns(int netns_fd, void (*work)(void *argument), void *argument);

napi_value netns_create(napi_env env, napi_callback_info info); /* () -> handle | -errno */
napi_value netns_socket(napi_env env, napi_callback_info info); /* (netns, family, type, protocol) -> handle | -errno */
napi_value netns_attach(napi_env env, napi_callback_info info); /* (netns, program, ifindex, flags) -> link | -errno */
napi_value netns_map_update(napi_env env, napi_callback_info info); /* (netns, map, key, value) -> 0 | -errno */
napi_value netns_read(napi_env env, napi_callback_info info);   /* (netns, path) -> Uint8Array | -errno */
napi_value netns_write(napi_env env, napi_callback_info info);  /* (netns, path, bytes) -> 0 | -errno */
napi_value netns_run(napi_env env, napi_callback_info info);    /* (netns, run) -> 0 | -errno */
