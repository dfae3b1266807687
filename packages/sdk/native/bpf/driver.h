/* The memory that the batch driver and batch.c share: the driver's .bss, mapped into the process.
 * Sizes are powers of two where the driver computes an offset: its verifier wants a mask. */
#pragma once

#include <linux/types.h>

enum {
	BATCH_PACKETS = 1024,         /* one call's packets: descriptors and results stay within the L2 cache */
	BATCH_PACKET_BYTES = 3520,    /* the longest linear packet with 4 KiB pages: 4096 - 256 - 320 */
	BATCH_HEADROOM = 216,         /* what a program can put in front: 256 less the kernel's struct xdp_frame */
	BATCH_INPUT_BYTES = 1 << 19,  /* bytes of one call's packets */
	BATCH_OUTPUT_BYTES = 1 << 20, /* and of their outputs; when it is full the driver stops for userspace to empty it */
	BATCH_SLACK = 4096,           /* behind both, so that a masked offset plus a packet stays inside */
};

/* What a run does beside running the packet. */
enum driver_flags {
	DRIVER_CAPTURE = 1,     /* copy the packet that comes out */
	DRIVER_TIME = 2,        /* read the clock around the program */
	DRIVER_REDIRECTS = 8,   /* forget the last redirect's target before the packet runs */
	DRIVER_STALE_HEAD = 4,  /* leave in the headroom what the last packet's run wrote there */
};

/* Why the driver gave up on a packet. None of them is expected; each names the step. */
enum driver_error {
	DRIVER_OK,
	DRIVER_BAD_DESCRIPTOR,
	DRIVER_RESIZE,
	DRIVER_COPY_IN,
	DRIVER_METADATA,
	DRIVER_COPY_OUT,
	DRIVER_RESTORE,
};

struct driver_packet {
	__u32 offset; /* in input; a multiple of 8 */
	__u32 length;
};

struct driver_result {
	__u32 verdict;
	__u32 out_offset; /* in output, where the metadata starts */
	__u16 length;     /* of the packet alone */
	__u16 metadata;   /* bytes in front of it */
	__u32 ns;         /* DRIVER_TIME: the program's time, and that of reading the clock */
	__u64 redirect;   /* ifindex, or key in a map */
	__u32 redirect_map; /* the map's id; 0 for an ifindex; REDIRECT_UNKNOWN when the kernel does not tell */
	__u32 unused;
};

#define REDIRECT_UNKNOWN 0xffffffffu

struct driver_memory {
	__u64 scratch;   /* a pointer stored here comes back as a number */
	__u64 canonical; /* the head's place before the first packet of a call */
	__u32 cursor;    /* the packet whose turn it is */
	__u32 end;       /* packets of this call */
	__u32 output_used;
	__u32 output_full; /* the packet at cursor waits for room */
	__u32 fresh;     /* a call has begun: the head's place is to be noted */
	__u32 flags;
	__u32 error;
	__u32 slot;      /* always 0, but the verifier must not know; see target() */
	__u32 padding[4];
	struct driver_packet packets[BATCH_PACKETS];
	struct driver_result results[BATCH_PACKETS];
	__u8 input[BATCH_INPUT_BYTES + BATCH_SLACK];
	__u8 output[BATCH_OUTPUT_BYTES + BATCH_SLACK];
};
