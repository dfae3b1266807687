/* The columns of a run of many packets; see columns.h. */
#include "columns.h"

#include "test_run.h"

static bool read_column(napi_env env, napi_value options, const char *name, bool optional, uint32_t **data, size_t *count)
{
	napi_value value = js_property(env, options, name);
	size_t length;

	*data = NULL;
	if (optional && js_is_undefined(env, value))
		return true;
	if (!js_read_u32_array(env, value, data, &length))
		return false;
	if (length < *count)
		*count = length;
	return true;
}

bool columns_read(napi_env env, napi_value options, struct columns *c)
{
	c->count = SIZE_MAX;
	return js_read_bytes(env, js_property(env, options, "bytes"), &c->bytes) &&
	       js_optional_bytes(env, options, "outBytes", &c->out_bytes) &&
	       read_column(env, options, "offsets", false, &c->offsets, &c->count) &&
	       read_column(env, options, "lengths", false, &c->lengths, &c->count) &&
	       read_column(env, options, "verdicts", false, &c->verdicts, &c->count) &&
	       read_column(env, options, "outLengths", false, &c->out_lengths, &c->count) &&
	       read_column(env, options, "outOffsets", false, &c->out_offsets, &c->count) &&
	       read_column(env, options, "outMetadata", false, &c->out_metadata, &c->count) &&
	       read_column(env, options, "ns", true, &c->ns, &c->count) &&
	       read_column(env, options, "redirectTargets", true, &c->redirect_targets, &c->count) &&
	       read_column(env, options, "redirectMaps", true, &c->redirect_maps, &c->count);
}

bool slice_read(napi_env env, napi_value options, const struct columns *c, struct slice *s)
{
	int64_t slice_ns;

	s->out_position = s->out_end = s->out_room = 0;
	if (!js_int_property(env, options, "from", &s->from) || !js_int_property(env, options, "to", &s->to) ||
	    !js_int_property(env, options, "sliceNs", &slice_ns) ||
	    !js_optional_int(env, options, "outPosition", &s->out_position) ||
	    !js_optional_int(env, options, "outEnd", &s->out_end) ||
	    !js_optional_int(env, options, "outRoom", &s->out_room))
		return false;
	if (s->from < 0 || s->to < s->from || (size_t)s->to > c->count || s->out_position < 0 ||
	    (c->out_bytes.data && (size_t)s->out_end > c->out_bytes.size)) {
		js_type_error(env, "the slice lies outside of its columns");
		return false;
	}
	s->stop_ns = monotonic_ns() + (uint64_t)slice_ns;
	return true;
}
