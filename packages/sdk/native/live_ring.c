/* The ring of a packet socket; see live_ring.h. Documentation/networking/packet_mmap.rst describes it. */
#include "live_ring.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool grow(void **data, size_t *room, size_t wanted, size_t unit)
{
	size_t size = *room ? *room : 1024;
	void *larger;

	if (wanted <= *room)
		return true;
	while (size < wanted)
		size *= 2;
	larger = realloc(*data, size * unit);
	if (!larger)
		return false;
	*data = larger;
	*room = size;
	return true;
}

/* The kernel takes an outer VLAN tag out of the frame and hands it over beside it (skb_vlan_untag): put it back. */
static void keep_frame(struct capture *c, const struct tpacket3_hdr *header)
{
	enum { ADDRESSES = 2 * ETH_ALEN, TAG = 4 };
	const uint8_t *data = (const uint8_t *)header + header->tp_mac;
	bool tagged = (header->tp_status & TP_STATUS_VLAN_VALID) && header->tp_snaplen >= ADDRESSES;
	size_t extra = tagged ? TAG : 0, length = header->tp_snaplen + extra;
	uint8_t *to;

	if (c->bytes_used + length > c->max_bytes ||
	    !grow((void **)&c->bytes, &c->bytes_room, c->bytes_used + length, 1) ||
	    !grow((void **)&c->frames, &c->room, c->count + 1, sizeof(*c->frames))) {
		c->overflowed++;
		return;
	}
	to = c->bytes + c->bytes_used;
	if (tagged) {
		uint16_t tpid = htons((header->tp_status & TP_STATUS_VLAN_TPID_VALID) ? header->hv1.tp_vlan_tpid
										       : ETH_P_8021Q);
		uint16_t tci = htons((uint16_t)header->hv1.tp_vlan_tci);

		memcpy(to, data, ADDRESSES);
		memcpy(to + ADDRESSES, &tpid, sizeof(tpid));
		memcpy(to + ADDRESSES + sizeof(tpid), &tci, sizeof(tci));
		memcpy(to + ADDRESSES + TAG, data + ADDRESSES, header->tp_snaplen - ADDRESSES);
	} else {
		memcpy(to, data, length);
	}
	c->frames[c->count++] = (struct frame){
		.offset = c->bytes_used,
		.timestamp_ns = (uint64_t)header->tp_sec * 1000000000u + header->tp_nsec,
		.length = (uint32_t)length,
		.original_length = (uint32_t)(header->tp_len + extra),
	};
	c->bytes_used += length;
}

static void keep_block(struct capture *c, const struct tpacket_block_desc *block)
{
	const uint8_t *at = (const uint8_t *)block + block->hdr.bh1.offset_to_first_pkt;
	bool wanted;

	pthread_mutex_lock(&c->lock);
	for (uint32_t i = 0; i < block->hdr.bh1.num_pkts; i++) {
		const struct tpacket3_hdr *header = (const struct tpacket3_hdr *)at;

		keep_frame(c, header);
		at += header->tp_next_offset;
	}
	wanted = c->watermark && c->first + c->count >= c->watermark;
	if (wanted)
		c->watermark = 0;
	pthread_mutex_unlock(&c->lock);
	if (wanted)
		c->notify(c->argument);
}

static void *drain(void *argument)
{
	enum { AHEAD_OF_OTHERS = -10 };
	struct capture *c = argument;
	struct pollfd ready[] = { { .fd = c->fd, .events = POLLIN }, { .fd = c->stop_fd, .events = POLLIN } };
	size_t next = 0;
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	/* Ahead of the threads that work on the frames; refused without CAP_SYS_NICE, and then the ring has to do. */
	setpriority(PRIO_PROCESS, (id_t)syscall(__NR_gettid), AHEAD_OF_OTHERS);
	for (;;) {
		struct tpacket_block_desc *block = (void *)(c->ring + next * c->block_size);

		if (__atomic_load_n(&block->hdr.bh1.block_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER) {
			keep_block(c, block);
			__atomic_store_n(&block->hdr.bh1.block_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
			next = (next + 1) % c->block_count;
			continue;
		}
		if (poll(ready, 2, -1) < 0 && errno != EINTR)
			break;
		if (ready[1].revents)
			break;
		if (ready[0].revents & POLLERR) {
			/* The interface went down or away. Taking the error lets the wait go on, should it come back. */
			int error = 0;
			socklen_t size = sizeof(error);

			getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &size);
			pthread_mutex_lock(&c->lock);
			c->error = error;
			pthread_mutex_unlock(&c->lock);
		}
	}
	return NULL;
}

int ring_start(struct capture *c)
{
	int error = pthread_create(&c->thread, NULL, drain, c);

	c->running = !error;
	return error;
}

void ring_stop(struct capture *c)
{
	uint64_t one = 1;

	if (c->running && write(c->stop_fd, &one, sizeof(one)) == sizeof(one))
		pthread_join(c->thread, NULL);
	c->running = false;
	if (c->ring)
		munmap(c->ring, c->block_size * c->block_count);
	if (c->fd >= 0)
		close(c->fd);
	if (c->stop_fd >= 0)
		close(c->stop_fd);
	c->ring = NULL;
	c->fd = c->stop_fd = -1;
}

int ring_set_up(struct capture *c)
{
	struct tpacket_req3 ring = {
		.tp_block_size = (unsigned)c->block_size,
		.tp_block_nr = (unsigned)c->block_count,
		.tp_frame_size = TPACKET_ALIGNMENT << 7, /* 2048: checked by the kernel, without a meaning in V3 */
		.tp_retire_blk_tov = 1,                  /* ms until a block that is not full is handed over */
	};
	int version = TPACKET_V3;

	ring.tp_frame_nr = ring.tp_block_size / ring.tp_frame_size * ring.tp_block_nr;
	if (c->fd < 0 || c->stop_fd < 0 ||
	    setsockopt(c->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) ||
	    setsockopt(c->fd, SOL_PACKET, PACKET_RX_RING, &ring, sizeof(ring)))
		return errno;
	c->ring = mmap(NULL, c->block_size * c->block_count, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, 0);
	if (c->ring == MAP_FAILED) {
		c->ring = NULL;
		return errno;
	}
	return 0;
}
