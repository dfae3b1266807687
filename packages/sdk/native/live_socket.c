/* Sockets, thinly; see live_socket.h. */
#include "live_socket.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "handle.h"
#include "js.h"

static napi_value outcome(napi_env env, int result)
{
	return js_int(env, result < 0 ? -errno : 0);
}

napi_value socket_bind(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 2);
	struct js_bytes address;

	if (!js_read_bytes(env, args[1], &address))
		return NULL;
	return outcome(env, bind(handle_fd(env, args[0]), (struct sockaddr *)address.data, (socklen_t)address.size));
}

napi_value socket_listen(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 2);
	int64_t backlog;

	if (!js_read_int(env, args[1], &backlog))
		return NULL;
	return outcome(env, listen(handle_fd(env, args[0]), (int)backlog));
}

napi_value socket_option(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 4);
	int64_t level, name;
	struct js_bytes value;

	if (!js_read_int(env, args[1], &level) || !js_read_int(env, args[2], &name) ||
	    !js_read_bytes(env, args[3], &value))
		return NULL;
	return outcome(env, setsockopt(handle_fd(env, args[0]), (int)level, (int)name, value.data, (socklen_t)value.size));
}

napi_value socket_filter(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 2);
	struct js_bytes code;
	struct sock_fprog program;

	if (!js_read_bytes(env, args[1], &code))
		return NULL;
	program.len = (unsigned short)(code.size / sizeof(struct sock_filter));
	program.filter = (struct sock_filter *)code.data;
	return outcome(env, setsockopt(handle_fd(env, args[0]), SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)));
}

napi_value socket_ethtool(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 4);
	struct ethtool_value setting;
	struct ifreq request = { .ifr_data = (char *)&setting };
	int64_t command, value;

	if (!js_read_string(env, args[1], request.ifr_name, sizeof(request.ifr_name)) ||
	    !js_read_int(env, args[2], &command) || !js_read_int(env, args[3], &value))
		return NULL;
	setting.cmd = (uint32_t)command;
	setting.data = (uint32_t)value;
	return outcome(env, ioctl(handle_fd(env, args[0]), SIOCETHTOOL, &request));
}

/* A connection in the making: it waits on a thread of the pool. */
struct connecting {
	napi_async_work work;
	napi_deferred deferred;
	struct sockaddr_storage address;
	socklen_t size;
	int fd, timeout_ms, error;
};

static void connect_now(napi_env env, void *data)
{
	struct connecting *c = data;
	struct pollfd ready = { .fd = c->fd, .events = POLLOUT };
	socklen_t size = sizeof(c->error);
	int n;

	(void)env;
	/* The socket is a non-blocking one, as Node wants it. */
	if (connect(c->fd, (struct sockaddr *)&c->address, c->size) == 0)
		return;
	c->error = errno;
	if (c->error != EINPROGRESS)
		return;
	do {
		n = poll(&ready, 1, c->timeout_ms);
	} while (n < 0 && errno == EINTR);
	c->error = n == 0 ? ETIMEDOUT : n < 0 ? errno : 0;
	if (n > 0)
		getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &c->error, &size);
}

static void connect_done(napi_env env, napi_status status, void *data)
{
	struct connecting *c = data;

	napi_resolve_deferred(env, c->deferred, js_int(env, status == napi_cancelled ? -ECANCELED : -c->error));
	napi_delete_async_work(env, c->work);
	close(c->fd);
	free(c);
}

napi_value socket_connect(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 3);
	struct connecting *c;
	struct js_bytes address;
	int64_t timeout_ms;
	napi_value promise;

	if (!js_read_bytes(env, args[1], &address) || !js_read_int(env, args[2], &timeout_ms))
		return NULL;
	c = calloc(1, sizeof(*c));
	if (!c || address.size > sizeof(c->address))
		return free(c), js_type_error(env, "cannot connect to that address");
	memcpy(&c->address, address.data, address.size);
	c->size = (socklen_t)address.size;
	c->timeout_ms = (int)timeout_ms;
	/* A descriptor of its own: closing the handle meanwhile does no harm. */
	c->fd = dup(handle_fd(env, args[0]));
	napi_create_promise(env, &c->deferred, &promise);
	napi_create_async_work(env, NULL, js_string(env, "xdptest connect"), connect_now, connect_done, c, &c->work);
	napi_queue_async_work(env, c->work);
	return promise;
}

/* Has this datagram the end of an answer? Every request asks for an acknowledgement, so each answer has one: an error
 * message (0 for success) or, after a dump, a done message. */
static bool has_end(const uint8_t *data, size_t size)
{
	const struct nlmsghdr *message;

	while (size >= sizeof(*message)) {
		message = (const struct nlmsghdr *)data;
		if (message->nlmsg_len < sizeof(*message) || message->nlmsg_len > size)
			return true;
		if (message->nlmsg_type == NLMSG_ERROR || message->nlmsg_type == NLMSG_DONE)
			return true;
		if (NLMSG_ALIGN(message->nlmsg_len) >= size)
			return false;
		size -= NLMSG_ALIGN(message->nlmsg_len);
		data += NLMSG_ALIGN(message->nlmsg_len);
	}
	return true;
}

/* Routing netlink answers while the request is being sent, so there is nothing to wait for (net/core/rtnetlink.c). */
napi_value netlink_exchange(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 2);
	int fd = handle_fd(env, args[0]);
	uint8_t *answer = NULL, *larger;
	size_t used = 0, start;
	struct js_bytes request;
	napi_value bytes;
	ssize_t n;

	if (!js_read_bytes(env, args[1], &request))
		return NULL;
	do {
		n = send(fd, request.data, request.size, 0);
	} while (n < 0 && errno == EINTR);
	while (n >= 0) {
		do {
			n = recv(fd, NULL, 0, MSG_PEEK | MSG_TRUNC);
		} while (n < 0 && errno == EINTR);
		larger = n < 0 ? NULL : realloc(answer, used + (size_t)n);
		if (!larger)
			break;
		answer = larger;
		start = used;
		n = recv(fd, answer + used, (size_t)n, 0);
		if (n < 0)
			break;
		used += (size_t)n;
		if (has_end(answer + start, used - start)) {
			bytes = js_copy_bytes(env, answer, used);
			free(answer);
			return bytes;
		}
	}
	bytes = js_int(env, n < 0 ? -errno : -ENOMEM);
	free(answer);
	return bytes;
}
