/* Private network namespaces; see live_netns.h. A socket stays in the namespace that it was made in, whoever uses it:
 * so nearly everything is done from Node's thread with sockets that were made here. */
#include "live_netns.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "handle.h"
#include "js.h"
#include "test_run.h"

struct visit {
	int netns_fd;
	void (*work)(void *argument);
	void *argument;
	int error;
};

static void *go(void *argument)
{
	struct visit *v = argument;
	sigset_t all;

	/* Signals go to Node's threads: here one could only interrupt a call half-way. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	if (v->netns_fd < 0 ? unshare(CLONE_NEWNET) : setns(v->netns_fd, CLONE_NEWNET))
		v->error = errno;
	else
		v->work(v->argument);
	return NULL;
}

int in_netns(int netns_fd, void (*work)(void *argument), void *argument)
{
	struct visit v = { .netns_fd = netns_fd, .work = work, .argument = argument };
	pthread_t thread;
	int error = pthread_create(&thread, NULL, go, &v);

	if (error)
		return error;
	pthread_join(thread, NULL);
	return v.error;
}

/* A descriptor to be made in a namespace, or the error number. */
struct making {
	int family, type, protocol;
	union bpf_attr attr;
	const char *path;
	struct js_bytes bytes; /* to write, or room to read into */
	ssize_t moved;
	int fd, error;
};

static napi_value made(napi_env env, const struct making *m, int error)
{
	if (error || m->error)
		return js_int(env, -(error ? error : m->error));
	return handle_new(env, m->fd, -1);
}

static void open_own(void *argument)
{
	struct making *m = argument;

	m->fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	m->error = m->fd < 0 ? errno : 0;
}

napi_value netns_create(napi_env env, napi_callback_info info)
{
	struct making m = { .fd = -1 };

	(void)info;
	return made(env, &m, in_netns(-1, open_own, &m));
}

static void make_socket(void *argument)
{
	struct making *m = argument;

	m->fd = socket(m->family, m->type | SOCK_CLOEXEC, m->protocol);
	m->error = m->fd < 0 ? errno : 0;
}

napi_value netns_socket(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 4);
	int netns = handle_fd(env, args[0]);
	int64_t family, type, protocol;
	struct making m = { .fd = -1 };

	if (!js_read_int(env, args[1], &family) || !js_read_int(env, args[2], &type) ||
	    !js_read_int(env, args[3], &protocol))
		return NULL;
	if (netns < 0)
		return js_int(env, -EBADF);
	m.family = (int)family;
	m.type = (int)type;
	m.protocol = (int)protocol;
	return made(env, &m, in_netns(netns, make_socket, &m));
}

/* The kernel looks the interface up in the namespace of the caller (bpf_xdp_link_attach). */
static void create_link(void *argument)
{
	struct making *m = argument;

	m->fd = (int)syscall(__NR_bpf, BPF_LINK_CREATE, &m->attr, sizeof(m->attr));
	m->error = m->fd < 0 ? errno : 0;
}

napi_value netns_attach(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 4);
	int netns = handle_fd(env, args[0]), program = handle_fd(env, args[1]);
	int64_t ifindex, flags;
	struct making m = { .fd = -1 };

	if (!js_read_int(env, args[2], &ifindex) || !js_read_int(env, args[3], &flags))
		return NULL;
	if (netns < 0 || program < 0)
		return js_int(env, -EBADF);
	m.attr.link_create.prog_fd = (uint32_t)program;
	m.attr.link_create.target_ifindex = (uint32_t)ifindex;
	m.attr.link_create.attach_type = BPF_XDP;
	m.attr.link_create.flags = (uint32_t)flags;
	return made(env, &m, in_netns(netns, create_link, &m));
}

/* A device map takes an index as one of the caller's namespace (__dev_map_alloc_node). */
static void update_map(void *argument)
{
	struct making *m = argument;

	if (syscall(__NR_bpf, BPF_MAP_UPDATE_ELEM, &m->attr, sizeof(m->attr)))
		m->error = errno;
}

napi_value netns_map_update(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 4);
	int netns = handle_fd(env, args[0]), map = handle_fd(env, args[1]), error;
	struct js_bytes key, value;
	struct making m = { .fd = -1 };

	if (!js_read_bytes(env, args[2], &key) || !js_read_bytes(env, args[3], &value))
		return NULL;
	m.attr.map_fd = (uint32_t)map;
	m.attr.key = (uintptr_t)key.data;
	m.attr.value = (uintptr_t)value.data;
	error = netns < 0 || map < 0 ? EBADF : in_netns(netns, update_map, &m);
	return js_int(env, -(error ? error : m.error));
}

/* Files of /proc/net and /proc/sys/net show the namespace of the thread that opens them. */
static void move_file(void *argument)
{
	struct making *m = argument;
	bool reads = m->type == O_RDONLY;
	int fd = open(m->path, m->type | O_CLOEXEC);
	ssize_t n;

	if (fd < 0) {
		m->error = errno;
		return;
	}
	do {
		n = reads ? read(fd, m->bytes.data + m->moved, m->bytes.size - (size_t)m->moved)
			  : write(fd, m->bytes.data, m->bytes.size);
		if (n > 0)
			m->moved += n;
	} while (reads && n > 0 && (size_t)m->moved < m->bytes.size);
	if (n < 0)
		m->error = errno;
	close(fd);
}

napi_value netns_read(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 2);
	static _Thread_local uint8_t room[256 * 1024];
	int netns = handle_fd(env, args[0]), error;
	char path[512];
	struct making m = { .path = path, .type = O_RDONLY, .bytes = { room, sizeof(room) } };

	if (!js_read_string(env, args[1], path, sizeof(path)))
		return NULL;
	error = netns < 0 ? EBADF : in_netns(netns, move_file, &m);
	if (error || m.error)
		return js_int(env, -(error ? error : m.error));
	return js_copy_bytes(env, room, (size_t)m.moved);
}

napi_value netns_write(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 3);
	int netns = handle_fd(env, args[0]), error;
	char path[512];
	struct making m = { .path = path, .type = O_WRONLY };

	if (!js_read_string(env, args[1], path, sizeof(path)) || !js_read_bytes(env, args[2], &m.bytes))
		return NULL;
	error = netns < 0 ? EBADF : in_netns(netns, move_file, &m);
	return js_int(env, -(error ? error : m.error));
}

struct running {
	struct test_run run;
	struct test_result result;
};

static void run_here(void *argument)
{
	struct running *r = argument;

	test_run(&r->run, &r->result);
}

/* The ingress interface of a test run is one of the caller's namespace (bpf_prog_test_run_xdp). */
napi_value netns_run(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 2);
	int64_t metadata = 0, repeat = 1, ifindex = 0, rx_queue = 0, flags = 0, batch = 0;
	int netns = handle_fd(env, args[0]), error;
	struct js_bytes packet;
	struct running r = { .run.use_context = 1 };

	r.run.program_fd = handle_fd(env, js_property(env, args[1], "program"));
	if (!js_read_bytes(env, js_property(env, args[1], "packet"), &packet) ||
	    !js_optional_int(env, args[1], "metadata", &metadata) || !js_optional_int(env, args[1], "repeat", &repeat) ||
	    !js_optional_int(env, args[1], "ingressIfindex", &ifindex) ||
	    !js_optional_int(env, args[1], "rxQueue", &rx_queue) || !js_optional_int(env, args[1], "flags", &flags) ||
	    !js_optional_int(env, args[1], "batchSize", &batch))
		return NULL;
	r.run.packet = packet.data;
	r.run.size = (uint32_t)packet.size;
	r.run.metadata = (uint32_t)metadata;
	r.run.repeat = (uint32_t)repeat;
	r.run.ingress_ifindex = (uint32_t)ifindex;
	r.run.rx_queue = (uint32_t)rx_queue;
	r.run.flags = (uint32_t)flags;
	r.run.batch_size = (uint32_t)batch;
	error = netns < 0 ? EBADF : in_netns(netns, run_here, &r);
	return js_int(env, -(error ? error : r.result.error));
}
