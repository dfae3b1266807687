/* The columns of a run of many packets, as views of the caller's typed arrays. */
#pragma once

#include <node_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "js.h"

/* All but the bytes have one element a packet; the optional ones may be NULL. */
struct columns {
	struct js_bytes bytes, out_bytes; /* out_bytes.data is NULL when outputs are not kept */
	uint32_t *offsets, *lengths;
	uint32_t *verdicts, *out_lengths, *out_offsets, *out_metadata;
	uint32_t *ns, *redirect_targets, *redirect_maps; /* optional */
	size_t count;
};

/* What bounds a slice. */
struct slice {
	int64_t from, to;
	int64_t out_position, out_end, out_room;
	uint64_t stop_ns; /* CLOCK_MONOTONIC */
};

/* Both throw and return false for columns that do not fit each other. */
bool columns_read(napi_env env, napi_value options, struct columns *columns);
bool slice_read(napi_env env, napi_value options, const struct columns *columns, struct slice *slice);
/* Whether packet i lies within the bytes of its batch. */
static inline bool columns_packet_inside(const struct columns *c, int64_t i)
{
	return (size_t)c->offsets[i] + c->lengths[i] <= c->bytes.size;
}
