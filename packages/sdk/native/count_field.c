/* Counts the values of a field over many packets; see count_field.h. JavaScript takes ten times as long for it: bytes of
 * a shared buffer that can grow are slow to read there. */
#include "count_field.h"

#include <stdlib.h>
#include <string.h>

#include "js.h"

/* A hash table with open addressing: a slot holds the number of an entry, from 1 on, or 0. */
struct table {
	const uint8_t *bytes;
	size_t width;
	uint32_t *slots, *at, *counts;
	uint32_t size, entries;
};

/* FNV-1a, its high bits folded in: fields differ in their last bytes most of all. */
static uint32_t hash(const uint8_t *value, size_t width)
{
	uint32_t h = 0x811c9dc5;

	for (size_t i = 0; i < width; i++)
		h = (h ^ value[i]) * 0x01000193;
	return h ^ h >> 15;
}

static uint32_t *slot_of(const struct table *t, const uint8_t *value)
{
	uint32_t slot = hash(value, t->width) & (t->size - 1);

	while (t->slots[slot] && memcmp(t->bytes + t->at[t->slots[slot] - 1], value, t->width) != 0)
		slot = (slot + 1) & (t->size - 1);
	return &t->slots[slot];
}

/* Room for twice as many entries; false when there is no memory. */
static bool grow(struct table *t)
{
	uint32_t size = t->size ? t->size * 2 : 1024;
	uint32_t *slots = calloc(size, sizeof(*slots));
	uint32_t *at = realloc(t->at, size * sizeof(*at));
	uint32_t *counts;

	if (at)
		t->at = at;
	counts = realloc(t->counts, size * sizeof(*counts));
	if (counts)
		t->counts = counts;
	if (!slots || !at || !counts) {
		free(slots);
		return false;
	}
	free(t->slots);
	t->slots = slots;
	t->size = size;
	for (uint32_t i = 0; i < t->entries; i++)
		*slot_of(t, t->bytes + t->at[i]) = i + 1;
	return true;
}

static bool add(struct table *t, uint32_t at)
{
	uint32_t *slot = slot_of(t, t->bytes + at);

	if (*slot) {
		t->counts[*slot - 1]++;
		return true;
	}
	t->at[t->entries] = at;
	t->counts[t->entries] = 1;
	*slot = ++t->entries;
	return t->entries * 2 < t->size || grow(t);
}

/* The offset of the field in the packet by the first shape that fits, or -1. */
static int64_t field_offset(const int32_t *shapes, size_t count, const uint8_t *packet, uint32_t length)
{
	const int32_t *end = shapes + count;

	while (shapes + 3 <= end) {
		int32_t offset = shapes[0], least = shapes[1], n = shapes[2];
		const int32_t *byte = shapes + 3;
		bool fits = length >= (uint32_t)least;

		for (int32_t i = 0; fits && i < n; i++, byte += 3)
			fits = (packet[byte[0]] & byte[1]) == byte[2];
		if (fits)
			return offset;
		shapes += 3 + 3 * (size_t)n;
	}
	return -1;
}

static napi_value words(napi_env env, const uint32_t *data, size_t count)
{
	napi_value buffer, array;
	void *copy;

	if (napi_create_arraybuffer(env, count * sizeof(*data), &copy, &buffer) != napi_ok)
		return js_type_error(env, "out of memory");
	memcpy(copy, data, count * sizeof(*data));
	napi_create_typedarray(env, napi_uint32_array, count, buffer, 0, &array);
	return array;
}

napi_value count_field(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 1);
	uint32_t *offsets, *lengths, *shapes;
	size_t count, length_count, shape_count;
	int64_t from, width;
	struct js_bytes bytes;
	napi_value out;

	if (!js_read_bytes(env, js_property(env, args[0], "bytes"), &bytes) ||
	    !js_read_u32_array(env, js_property(env, args[0], "offsets"), &offsets, &count) ||
	    !js_read_u32_array(env, js_property(env, args[0], "lengths"), &lengths, &length_count) ||
	    !js_read_u32_array(env, js_property(env, args[0], "shapes"), &shapes, &shape_count) ||
	    !js_int_property(env, args[0], "from", &from) || !js_int_property(env, args[0], "width", &width))
		return NULL;
	struct table t = { .bytes = bytes.data, .width = (size_t)width };
	bool room = grow(&t);

	for (; room && from < (int64_t)count && from < (int64_t)length_count; from++) {
		uint32_t at = offsets[from];
		int64_t field;

		if ((size_t)at + lengths[from] > bytes.size)
			break;
		field = field_offset((const int32_t *)shapes, shape_count, bytes.data + at, lengths[from]);
		if (field < 0)
			break;
		room = add(&t, at + (uint32_t)field);
	}
	if (room) {
		napi_create_object(env, &out);
		js_set_int(env, out, "next", from);
		js_set(env, out, "at", words(env, t.at, t.entries));
		js_set(env, out, "counts", words(env, t.counts, t.entries));
	} else {
		out = js_type_error(env, "out of memory");
	}
	free(t.slots);
	free(t.at);
	free(t.counts);
	return out;
}
