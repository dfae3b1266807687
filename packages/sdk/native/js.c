/* Small helpers between Node-API values and C; see js.h. */
#include "js.h"

#include <string.h>

napi_value js_type_error(napi_env env, const char *message)
{
	napi_throw_type_error(env, NULL, message);
	return NULL;
}

static bool read_typed_array(napi_env env, napi_value value, napi_typedarray_type *type, void **data, size_t *count)
{
	bool is = false;

	/* The data pointer is right for a view of a SharedArrayBuffer too. */
	if (napi_is_typedarray(env, value, &is) != napi_ok || !is)
		return false;
	return napi_get_typedarray_info(env, value, type, count, data, NULL, NULL) == napi_ok;
}

bool js_read_bytes(napi_env env, napi_value value, struct js_bytes *out)
{
	napi_typedarray_type type;
	void *data;
	size_t count;

	if (!read_typed_array(env, value, &type, &data, &count) || type != napi_uint8_array) {
		js_type_error(env, "expected a Uint8Array");
		return false;
	}
	out->data = data;
	out->size = count;
	return true;
}

bool js_read_u32_array(napi_env env, napi_value value, uint32_t **out, size_t *count)
{
	napi_typedarray_type type;
	void *data;

	if (!read_typed_array(env, value, &type, &data, count) ||
	    (type != napi_uint32_array && type != napi_int32_array)) {
		js_type_error(env, "expected a Uint32Array");
		return false;
	}
	*out = data;
	return true;
}

bool js_read_f64_array(napi_env env, napi_value value, const double **out, size_t *count)
{
	napi_typedarray_type type;
	void *data;

	if (!read_typed_array(env, value, &type, &data, count) || type != napi_float64_array) {
		js_type_error(env, "expected a Float64Array");
		return false;
	}
	*out = data;
	return true;
}

bool js_read_int(napi_env env, napi_value value, int64_t *out)
{
	if (napi_get_value_int64(env, value, out) != napi_ok) {
		js_type_error(env, "expected a number");
		return false;
	}
	return true;
}

bool js_read_string(napi_env env, napi_value value, char *buf, size_t size)
{
	size_t length;

	if (napi_get_value_string_utf8(env, value, NULL, 0, &length) != napi_ok || length >= size) {
		js_type_error(env, "expected a string that fits");
		return false;
	}
	return napi_get_value_string_utf8(env, value, buf, size, &length) == napi_ok;
}

napi_value js_property(napi_env env, napi_value object, const char *name)
{
	napi_value value;

	if (napi_get_named_property(env, object, name, &value) != napi_ok)
		return js_undefined(env);
	return value;
}

bool js_is_undefined(napi_env env, napi_value value)
{
	napi_valuetype type;

	return napi_typeof(env, value, &type) != napi_ok || type == napi_undefined;
}

bool js_int_property(napi_env env, napi_value object, const char *name, int64_t *out)
{
	return js_read_int(env, js_property(env, object, name), out);
}

bool js_optional_int(napi_env env, napi_value object, const char *name, int64_t *out)
{
	napi_value value = js_property(env, object, name);

	return js_is_undefined(env, value) || js_read_int(env, value, out);
}

bool js_optional_bytes(napi_env env, napi_value object, const char *name, struct js_bytes *out)
{
	napi_value value = js_property(env, object, name);

	return js_is_undefined(env, value) || js_read_bytes(env, value, out);
}

napi_value js_undefined(napi_env env)
{
	napi_value value;

	napi_get_undefined(env, &value);
	return value;
}

napi_value js_int(napi_env env, int64_t number)
{
	napi_value value;

	napi_create_int64(env, number, &value);
	return value;
}

napi_value js_bool(napi_env env, bool truth)
{
	napi_value value;

	napi_get_boolean(env, truth, &value);
	return value;
}

napi_value js_string(napi_env env, const char *text)
{
	napi_value value;

	napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &value);
	return value;
}

napi_value js_new_bytes(napi_env env, size_t size, void **data)
{
	napi_value buffer, array;

	if (napi_create_arraybuffer(env, size, data, &buffer) != napi_ok)
		return NULL;
	napi_create_typedarray(env, napi_uint8_array, size, buffer, 0, &array);
	return array;
}

napi_value js_copy_bytes(napi_env env, const void *data, size_t size)
{
	void *copy;
	napi_value array = js_new_bytes(env, size, &copy);

	if (array && size)
		memcpy(copy, data, size);
	return array;
}

void js_set(napi_env env, napi_value object, const char *name, napi_value value)
{
	napi_set_named_property(env, object, name, value);
}

void js_set_int(napi_env env, napi_value object, const char *name, int64_t value)
{
	js_set(env, object, name, js_int(env, value));
}

void js_set_string(napi_env env, napi_value object, const char *name, const char *text)
{
	js_set(env, object, name, js_string(env, text));
}
