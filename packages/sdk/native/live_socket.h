/* Sockets, thinly: addresses and options come as the bytes that the kernel takes. */
#pragma once

#include <node_api.h>

napi_value socket_bind(napi_env env, napi_callback_info info);    /* (socket, address) -> 0 | -errno */
napi_value socket_listen(napi_env env, napi_callback_info info);  /* (socket, backlog) -> 0 | -errno */
napi_value socket_connect(napi_env env, napi_callback_info info); /* (socket, address, timeoutMs) -> Promise<0 | -errno> */
napi_value socket_option(napi_env env, napi_callback_info info);  /* (socket, level, name, bytes) -> 0 | -errno */
napi_value socket_filter(napi_env env, napi_callback_info info);  /* (socket, instructions) -> 0 | -errno */
napi_value socket_ethtool(napi_env env, napi_callback_info info); /* (socket, interface, command, value) -> 0 | -errno */
/* (socket, request) -> Uint8Array | -errno: a netlink request and all messages of its answer. */
napi_value netlink_exchange(napi_env env, napi_callback_info info);
