/* Maps: the calls behind XdpMap. Failures come back as a negative error number. */
#pragma once

#include <node_api.h>

napi_value map_lookup(napi_env env, napi_callback_info info);      /* (map, key, valueSize) -> bytes | -errno */
napi_value map_update(napi_env env, napi_callback_info info);      /* (map, key, value, flags) -> 0 | -errno */
napi_value map_delete(napi_env env, napi_callback_info info);      /* (map, key) -> 0 | -errno */
napi_value map_update_many(napi_env env, napi_callback_info info); /* (map, keys, values, count, flags) -> { done, errno } */
napi_value map_delete_many(napi_env env, napi_callback_info info); /* (map, keys, count) -> { done, errno } */
napi_value map_keys(napi_env env, napi_callback_info info);        /* (map, keySize, limit) -> bytes | -errno */
napi_value map_values(napi_env env, napi_callback_info info);      /* (map, keys, count, valueSize) -> { values, found } */
napi_value map_push(napi_env env, napi_callback_info info);        /* (map, value) -> 0 | -errno */
napi_value map_pop(napi_env env, napi_callback_info info);         /* (map, valueSize) -> bytes | -errno */
napi_value map_create(napi_env env, napi_callback_info info);      /* ({ type, name, ... }) -> handle | -errno */
napi_value map_by_id(napi_env env, napi_callback_info info);       /* (id) -> handle | -errno */
napi_value map_max_entries(napi_env env, napi_callback_info info); /* (map) -> number | -errno */
napi_value map_pin(napi_env env, napi_callback_info info);         /* (map or program, path) -> 0 | -errno */
napi_value map_memory(napi_env env, napi_callback_info info);      /* (map, size, offset, length, bytes?) -> bytes | -errno */
napi_value map_drain(napi_env env, napi_callback_info info);       /* (ringbuf map) -> bytes[] | -errno */
