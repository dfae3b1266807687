/* Small helpers between Node-API values and C: what addon functions share to read arguments and to make results. */
#pragma once

#include <node_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Arguments of a call. Missing ones read as undefined. */
#define JS_ARGS(env, info, n)                                                                      \
	napi_value args[n];                                                                        \
	{                                                                                          \
		size_t argc_ = (n);                                                                \
		napi_get_cb_info(env, info, &argc_, args, NULL, NULL);                             \
	}

/* Bytes of a Uint8Array (or of any other typed array, whose element size the caller knows). */
struct js_bytes {
	uint8_t *data;
	size_t size; /* in bytes */
};

/* Each reader returns false, with a JavaScript exception pending, when the value has another type. The checks are a
 * net for mistakes in our own TypeScript, which validates what users give before it calls here. */
bool js_read_bytes(napi_env env, napi_value value, struct js_bytes *out);
bool js_read_u32_array(napi_env env, napi_value value, uint32_t **data, size_t *count);
bool js_read_f64_array(napi_env env, napi_value value, const double **data, size_t *count);
bool js_read_int(napi_env env, napi_value value, int64_t *out);
bool js_read_string(napi_env env, napi_value value, char *buf, size_t size);

/* Like the above for a property of an object. The optional ones leave *out alone when it is undefined. */
napi_value js_property(napi_env env, napi_value object, const char *name);
bool js_is_undefined(napi_env env, napi_value value);
bool js_int_property(napi_env env, napi_value object, const char *name, int64_t *out);
bool js_optional_int(napi_env env, napi_value object, const char *name, int64_t *out);
bool js_optional_bytes(napi_env env, napi_value object, const char *name, struct js_bytes *out);

napi_value js_undefined(napi_env env);
napi_value js_int(napi_env env, int64_t value);
napi_value js_bool(napi_env env, bool value);
napi_value js_string(napi_env env, const char *text);
napi_value js_copy_bytes(napi_env env, const void *data, size_t size); /* a fresh Uint8Array */
napi_value js_new_bytes(napi_env env, size_t size, void **data);
void js_set(napi_env env, napi_value object, const char *name, napi_value value);
void js_set_int(napi_env env, napi_value object, const char *name, int64_t value);
void js_set_string(napi_env env, napi_value object, const char *name, const char *text);
napi_value js_type_error(napi_env env, const char *message); /* throws, returns NULL */
