/* Maps; see map.h. Sizes are checked in TypeScript, which knows the map; here they guard against overruns only. */
#include "map.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"
#include "js.h"

napi_value map_lookup(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 3);
	int fd = handle_fd(env, args[0]);
	struct js_bytes key;
	int64_t value_size;
	void *value;
	napi_value out;

	if (!js_read_bytes(env, args[1], &key) || !js_read_int(env, args[2], &value_size))
		return NULL;
	out = js_new_bytes(env, (size_t)value_size, &value);
	if (!out)
		return js_type_error(env, "out of memory");
	return bpf_map_lookup_elem(fd, key.data, value) ? js_int(env, -errno) : out;
}

napi_value map_update(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 4);
	int fd = handle_fd(env, args[0]);
	struct js_bytes key, value;
	int64_t flags;

	if (!js_read_bytes(env, args[1], &key) || !js_read_bytes(env, args[2], &value) ||
	    !js_read_int(env, args[3], &flags))
		return NULL;
	return js_int(env, bpf_map_update_elem(fd, key.data, value.data, (__u64)flags) ? -errno : 0);
}

napi_value map_delete(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 2);
	int fd = handle_fd(env, args[0]);
	struct js_bytes key;

	if (!js_read_bytes(env, args[1], &key))
		return NULL;
	return js_int(env, bpf_map_delete_elem(fd, key.data) ? -errno : 0);
}

static napi_value progress(napi_env env, size_t done, int error)
{
	napi_value out;

	napi_create_object(env, &out);
	js_set_int(env, out, "done", (int64_t)done);
	js_set_int(env, out, "errno", error);
	return out;
}

napi_value map_update_many(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 5);
	int fd = handle_fd(env, args[0]), error = 0;
	struct js_bytes keys, values;
	int64_t count, flags;
	size_t done = 0;

	if (!js_read_bytes(env, args[1], &keys) || !js_read_bytes(env, args[2], &values) ||
	    !js_read_int(env, args[3], &count) || !js_read_int(env, args[4], &flags))
		return NULL;
	/* A system call an entry costs 0.2 us and tells which entry failed. BPF_MAP_UPDATE_BATCH (5.6) saves
	 * half of it, not for every map type, and is vague about failures. */
	for (; done < (size_t)count; done++) {
		if (bpf_map_update_elem(fd, keys.data + done * (keys.size / (size_t)count),
					values.data + done * (values.size / (size_t)count), (__u64)flags)) {
			error = errno;
			break;
		}
	}
	return progress(env, done, error);
}

napi_value map_delete_many(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 3);
	int fd = handle_fd(env, args[0]), error = 0;
	struct js_bytes keys;
	int64_t count;
	size_t done = 0;

	if (!js_read_bytes(env, args[1], &keys) || !js_read_int(env, args[2], &count))
		return NULL;
	for (; done < (size_t)count; done++) {
		/* Gone already is as good as deleted. */
		if (bpf_map_delete_elem(fd, keys.data + done * (keys.size / (size_t)count)) && errno != ENOENT) {
			error = errno;
			break;
		}
	}
	return progress(env, done, error);
}

napi_value map_keys(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 3);
	int fd = handle_fd(env, args[0]);
	int64_t key_size, limit;
	size_t size, count = 0, room = 64;
	uint8_t *keys, *grown;
	napi_value out;

	if (!js_read_int(env, args[1], &key_size) || !js_read_int(env, args[2], &limit))
		return NULL;
	size = (size_t)key_size;
	keys = malloc(room * size);
	if (!keys)
		return js_type_error(env, "out of memory");
	while (bpf_map_get_next_key(fd, count ? keys + (count - 1) * size : NULL, keys + count * size) == 0) {
		/* When the last key vanishes under us the kernel starts again from the first one: a list longer
		 * than the map can be is the sign of it. */
		if (++count > (size_t)limit) {
			free(keys);
			return js_int(env, -EAGAIN);
		}
		if (count == room) {
			room *= 2;
			grown = realloc(keys, room * size);
			if (!grown) {
				free(keys);
				return js_type_error(env, "out of memory");
			}
			keys = grown;
		}
	}
	out = errno == ENOENT ? js_copy_bytes(env, keys, count * size) : js_int(env, -errno);
	free(keys);
	return out;
}

napi_value map_values(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 4);
	int fd = handle_fd(env, args[0]);
	struct js_bytes keys;
	int64_t count, value_size;
	void *values = NULL, *found = NULL;
	napi_value out, value_array, found_array;

	if (!js_read_bytes(env, args[1], &keys) || !js_read_int(env, args[2], &count) ||
	    !js_read_int(env, args[3], &value_size))
		return NULL;
	value_array = js_new_bytes(env, (size_t)(count * value_size), &values);
	found_array = js_new_bytes(env, (size_t)count, &found);
	if (!value_array || !found_array)
		return js_type_error(env, "out of memory");
	for (size_t i = 0; i < (size_t)count; i++)
		((uint8_t *)found)[i] = bpf_map_lookup_elem(fd, keys.data + i * (keys.size / (size_t)count),
							    (uint8_t *)values + i * (size_t)value_size) == 0;
	napi_create_object(env, &out);
	js_set(env, out, "values", value_array);
	js_set(env, out, "found", found_array);
	return out;
}

napi_value map_push(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 2);
	int fd = handle_fd(env, args[0]);
	struct js_bytes value;

	if (!js_read_bytes(env, args[1], &value))
		return NULL;
	return js_int(env, bpf_map_update_elem(fd, NULL, value.data, BPF_ANY) ? -errno : 0);
}

napi_value map_pop(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 2);
	int fd = handle_fd(env, args[0]);
	int64_t value_size;
	void *value;
	napi_value out;

	if (!js_read_int(env, args[1], &value_size))
		return NULL;
	out = js_new_bytes(env, (size_t)value_size, &value);
	if (!out)
		return js_type_error(env, "out of memory");
	return bpf_map_lookup_and_delete_elem(fd, NULL, value) ? js_int(env, -errno) : out;
}

napi_value map_create(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 1);
	LIBBPF_OPTS(bpf_map_create_opts, options);
	int64_t type, key_size, value_size, max_entries, flags;
	char name[BPF_OBJ_NAME_LEN];
	int fd;

	if (!js_int_property(env, args[0], "type", &type) || !js_int_property(env, args[0], "keySize", &key_size) ||
	    !js_int_property(env, args[0], "valueSize", &value_size) ||
	    !js_int_property(env, args[0], "maxEntries", &max_entries) ||
	    !js_int_property(env, args[0], "flags", &flags) ||
	    !js_read_string(env, js_property(env, args[0], "name"), name, sizeof(name)))
		return NULL;
	options.map_flags = (__u32)flags;
	fd = bpf_map_create((enum bpf_map_type)type, name, (__u32)key_size, (__u32)value_size, (__u32)max_entries,
			    &options);
	return fd < 0 ? js_int(env, -errno) : handle_new(env, fd, -1);
}

napi_value map_by_id(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 1);
	int64_t id;
	int fd;

	if (!js_read_int(env, args[0], &id))
		return NULL;
	fd = bpf_map_get_fd_by_id((__u32)id);
	return fd < 0 ? js_int(env, -errno) : handle_new(env, fd, -1);
}

napi_value map_max_entries(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 1);
	struct bpf_map_info details = { 0 };
	__u32 size = sizeof(details);

	if (bpf_obj_get_info_by_fd(handle_fd(env, args[0]), &details, &size))
		return js_int(env, -errno);
	return js_int(env, details.max_entries);
}

napi_value map_pin(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 2);
	int fd = handle_fd(env, args[0]);
	char path[4096];

	if (!js_read_string(env, args[1], path, sizeof(path)))
		return NULL;
	return js_int(env, bpf_obj_pin(fd, path) ? -errno : 0);
}

/* Reads or, with bytes, writes part of an mmapable array map in place, so that one variable can change without a
 * read-modify-write of all the others. The mapping lives with the handle. */
napi_value map_memory(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 5);
	struct handle *h = handle_of(env, args[0]);
	int64_t size, offset, length;
	struct js_bytes bytes;
	bool write = !js_is_undefined(env, args[4]);

	if (!h || !js_read_int(env, args[1], &size) || !js_read_int(env, args[2], &offset) ||
	    !js_read_int(env, args[3], &length) || (write && !js_read_bytes(env, args[4], &bytes)))
		return NULL;
	if (!handle_map(h, (size_t)size))
		return js_int(env, -errno);
	if (offset < 0 || length < 0 || (size_t)(offset + length) > h->mapped || (write && bytes.size != (size_t)length))
		return js_type_error(env, "outside of the mapping");
	if (write && !h->writable)
		return js_int(env, -EPERM);
	if (write)
		memcpy((uint8_t *)h->mapping + offset, bytes.data, bytes.size);
	return js_copy_bytes(env, (uint8_t *)h->mapping + offset, (size_t)length);
}

struct drained {
	napi_env env;
	napi_value list;
	uint32_t count;
};

static int take_record(void *context, void *data, size_t size)
{
	struct drained *d = context;

	napi_set_element(d->env, d->list, d->count++, js_copy_bytes(d->env, data, size));
	return 0;
}

napi_value map_drain(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 1);
	struct drained d = { .env = env };
	struct ring_buffer *ring;
	int count;

	napi_create_array(env, &d.list);
	ring = ring_buffer__new(handle_fd(env, args[0]), take_record, &d, NULL);
	if (!ring)
		return js_int(env, -errno);
	count = ring_buffer__consume(ring);
	ring_buffer__free(ring);
	return count < 0 ? js_int(env, count) : d.list;
}
