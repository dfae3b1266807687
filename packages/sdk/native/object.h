/* ELF objects: a thin skin over libbpf. */
#pragma once

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <node_api.h>

napi_value object_types(napi_env env, const struct btf *btf);
/* { programs, maps, types } of an object that was opened */
napi_value object_describe(napi_env env, struct bpf_object *object);

/* (bytes, name) -> { programs, maps, types } without any contact with the kernel, or { errno, messages } */
napi_value object_inspect(napi_env env, napi_callback_info info);
/* (bytes, name, config) -> { programs, maps } with handles, or { errno, stage, log, messages, program } */
napi_value object_load(napi_env env, napi_callback_info info);
