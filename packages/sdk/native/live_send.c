/* Sending frames; see live_send.h. */
#include "live_send.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "handle.h"
#include "js.h"
#include "test_run.h"

enum { MOST_AT_ONCE = 256 };

napi_value send_frames(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 5);
	struct mmsghdr messages[MOST_AT_ONCE];
	struct iovec parts[MOST_AT_ONCE];
	int fd = handle_fd(env, args[0]), sent, error = 0;
	int64_t again = 0;
	int64_t from, to, slice_ns, burst = MOST_AT_ONCE;
	size_t offset_count, length_count;
	uint32_t *offsets, *lengths;
	struct js_bytes bytes;
	napi_value out;
	uint64_t stop;

	if (!js_read_bytes(env, args[1], &bytes) || !js_read_u32_array(env, args[2], &offsets, &offset_count) ||
	    !js_read_u32_array(env, args[3], &lengths, &length_count) ||
	    !js_int_property(env, args[4], "from", &from) || !js_int_property(env, args[4], "to", &to) ||
	    !js_int_property(env, args[4], "sliceNs", &slice_ns) || !js_optional_int(env, args[4], "burst", &burst))
		return NULL;
	if (from < 0 || to < from || (size_t)to > offset_count || (size_t)to > length_count || burst < 1)
		return js_type_error(env, "the slice lies outside of its columns");
	if (burst > MOST_AT_ONCE)
		burst = MOST_AT_ONCE;
	memset(messages, 0, sizeof(messages));
	stop = monotonic_ns() + (uint64_t)slice_ns;
	while (from < to && !error && monotonic_ns() < stop) {
		int64_t n = to - from < burst ? to - from : burst;

		for (int64_t i = 0; i < n; i++) {
			if ((size_t)offsets[from + i] + lengths[from + i] > bytes.size)
				return js_type_error(env, "a frame lies outside of its batch");
			parts[i].iov_base = bytes.data + offsets[from + i];
			parts[i].iov_len = lengths[from + i];
			messages[i].msg_hdr.msg_iov = &parts[i];
			messages[i].msg_hdr.msg_iovlen = 1;
		}
		/* A short count means that the next frame failed: the next call then says why. */
		sent = sendmmsg(fd, messages, (unsigned)n, MSG_DONTWAIT);
		if (sent > 0) {
			from += sent;
		} else if (errno == EAGAIN || errno == ENOBUFS) {
			/* ENOBUFS: the frame was thrown away (NET_XMIT_DROP), and goes out again. */
			again += errno == ENOBUFS;
			/* The queue of the interface or the send buffer is full: wait for room, a little. */
			struct pollfd room = { .fd = fd, .events = POLLOUT };

			poll(&room, 1, 1);
		} else if (errno != EINTR) {
			error = errno;
		}
	}
	napi_create_object(env, &out);
	js_set_int(env, out, "next", from);
	js_set_int(env, out, "errno", error);
	js_set_int(env, out, "again", again);
	return out;
}
