/* The ring of a packet socket in memory shared with the kernel (TPACKET_V3), and the thread that empties it. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame {
	uint64_t offset, timestamp_ns;
	uint32_t length, original_length;
};

struct capture {
	int fd, stop_fd; /* both owned */
	uint8_t *ring;
	size_t block_size, block_count;
	pthread_t thread;
	bool running;
	/* Called by the thread when the watermark is reached. */
	void (*notify)(void *argument);
	void *argument;

	pthread_mutex_t lock; /* of all that follows */
	uint8_t *bytes;
	size_t bytes_used, bytes_room, max_bytes;
	struct frame *frames;
	size_t count, room;
	uint64_t first;     /* number of frames[0]: how many were forgotten */
	uint64_t watermark; /* 0: nobody waits */
	uint64_t dropped;    /* by the kernel, for want of room in the ring */
	uint64_t overflowed; /* by us, for want of room in memory */
	int error;
};

/* Sets the ring up on the socket in c->fd, of c->block_count blocks of c->block_size bytes. Returns an error number. */
int ring_set_up(struct capture *c);
int ring_start(struct capture *c);
/* Stops the thread and lets the ring and both descriptors go; the frames stay. */
void ring_stop(struct capture *c);
