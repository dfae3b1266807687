/* A descriptor as JavaScript holds it: closed once, by close() or, as a net, by the garbage collector. */
#pragma once

#include <node_api.h>
#include <stdbool.h>
#include <stddef.h>

struct handle {
	int fd;          /* -1 once closed */
	int extra_fd;    /* a second one that lives as long (a parked program's namespace), or -1 */
	void *mapping;   /* of an mmapable array map, or NULL */
	size_t mapped;   /* its size in bytes */
	bool writable;   /* the mapping allows writing */
};

/* Takes over the descriptors, also when it fails. */
napi_value handle_new(napi_env env, int fd, int extra_fd);
/* Throws a TypeError and returns NULL for anything else than a handle. A closed one has fd -1. */
struct handle *handle_of(napi_env env, napi_value value);
/* The descriptor of a handle, or the number itself for a plain number; -1 with an exception pending otherwise. */
int handle_fd(napi_env env, napi_value value);

/* The memory of an mmapable array map, mapped once and kept with the handle; NULL with errno set. */
void *handle_map(struct handle *h, size_t size);

napi_value handle_close(napi_env env, napi_callback_info info);     /* (handle) */
napi_value handle_number(napi_env env, napi_callback_info info);    /* (handle) -> number, -1 when closed */
napi_value handle_duplicate(napi_env env, napi_callback_info info); /* (handle | number) -> handle | -errno */
napi_value handle_release(napi_env env, napi_callback_info info);   /* (handle) -> number, now the caller's to close */
