/* A descriptor as JavaScript holds it; see handle.h. */
#include "handle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "js.h"

static const napi_type_tag handle_tag = { 0x7864707465737400ULL, 0x68616e646c650001ULL };

static void release(struct handle *h)
{
	if (h->mapping)
		munmap(h->mapping, h->mapped);
	/* The link of a parked program goes before the namespace that it is in. */
	if (h->fd >= 0)
		close(h->fd);
	if (h->extra_fd >= 0)
		close(h->extra_fd);
	h->mapping = NULL;
	h->fd = h->extra_fd = -1;
}

static void finalize(napi_env env, void *data, void *hint)
{
	(void)env;
	(void)hint;
	release(data);
	free(data);
}

napi_value handle_new(napi_env env, int fd, int extra_fd)
{
	struct handle *h = malloc(sizeof(*h));
	napi_value value;

	if (!h) {
		close(fd);
		if (extra_fd >= 0)
			close(extra_fd);
		return js_type_error(env, "out of memory");
	}
	*h = (struct handle){ .fd = fd, .extra_fd = extra_fd };
	napi_create_object(env, &value);
	if (napi_type_tag_object(env, value, &handle_tag) != napi_ok ||
	    napi_wrap(env, value, h, finalize, NULL, NULL) != napi_ok) {
		release(h);
		free(h);
		return js_type_error(env, "cannot wrap a descriptor");
	}
	return value;
}

struct handle *handle_of(napi_env env, napi_value value)
{
	bool is = false;
	void *h = NULL;

	if (napi_check_object_type_tag(env, value, &handle_tag, &is) != napi_ok || !is ||
	    napi_unwrap(env, value, &h) != napi_ok) {
		js_type_error(env, "expected a handle");
		return NULL;
	}
	return h;
}

int handle_fd(napi_env env, napi_value value)
{
	napi_valuetype type;
	struct handle *h;
	int64_t number;

	if (napi_typeof(env, value, &type) == napi_ok && type == napi_number)
		return js_read_int(env, value, &number) ? (int)number : -1;
	h = handle_of(env, value);
	return h ? h->fd : -1;
}

void *handle_map(struct handle *h, size_t size)
{
	void *mapping;

	if (h->mapping)
		return h->mapping;
	mapping = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, h->fd, 0);
	h->writable = mapping != MAP_FAILED;
	/* .rodata is frozen: it can be mapped for reading only. */
	if (mapping == MAP_FAILED && errno == EPERM)
		mapping = mmap(NULL, size, PROT_READ, MAP_SHARED, h->fd, 0);
	if (mapping == MAP_FAILED)
		return NULL;
	h->mapping = mapping;
	h->mapped = size;
	return mapping;
}

napi_value handle_close(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 1);
	struct handle *h = handle_of(env, args[0]);

	if (h)
		release(h);
	return NULL;
}

napi_value handle_number(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 1);
	struct handle *h = handle_of(env, args[0]);

	return h ? js_int(env, h->fd) : NULL;
}

napi_value handle_duplicate(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 1);
	int fd = fcntl(handle_fd(env, args[0]), F_DUPFD_CLOEXEC, 3);

	return fd < 0 ? js_int(env, -errno) : handle_new(env, fd, -1);
}

napi_value handle_release(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 1);
	struct handle *h = handle_of(env, args[0]);
	int fd;

	if (!h)
		return NULL;
	fd = h->fd;
	h->fd = -1;
	release(h);
	return js_int(env, fd);
}
