/* Private network namespaces and parking; see netns.h.
 *
 * Test runs put a program on the XDP dispatcher and take it off again, and each time the dispatcher's machine code is
 * rewritten (kernel/bpf/dispatcher.c). A program that is attached somewhere stays on it: runs only count references. */
#include "netns.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "handle.h"
#include "js.h"

struct parking {
	int program_fd;
	int link_fd;
	int netns_fd;
	int error;
};

/* A thread of its own: unshare acts on the calling thread alone, and none of Node's may change namespace. */
static void *park(void *argument)
{
	enum { LOOPBACK_IFINDEX = 1 }; /* the first device of every namespace (LOOPBACK_IFINDEX in net/loopback) */
	struct parking *p = argument;
	union bpf_attr attr;

	p->link_fd = p->netns_fd = -1;
	if (unshare(CLONE_NEWNET))
		goto failed;
	p->netns_fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	if (p->netns_fd < 0)
		goto failed;
	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = (uint32_t)p->program_fd;
	attr.link_create.target_ifindex = LOOPBACK_IFINDEX;
	attr.link_create.attach_type = BPF_XDP;
	attr.link_create.flags = XDP_FLAGS_SKB_MODE;
	p->link_fd = (int)syscall(__NR_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
	if (p->link_fd >= 0)
		return NULL;
failed:
	p->error = errno;
	if (p->netns_fd >= 0)
		close(p->netns_fd);
	return NULL;
}

napi_value netns_park(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 1);
	struct parking p = { .program_fd = handle_fd(env, args[0]) };
	pthread_t thread;
	int error = pthread_create(&thread, NULL, park, &p);

	if (error)
		return js_int(env, -error);
	pthread_join(thread, NULL);
	return p.error ? js_int(env, -p.error) : handle_new(env, p.link_fd, p.netns_fd);
}
