/* What is in an object, before it is loaded: programs, maps, BTF. */
#include <bpf/libbpf.h>
#include <string.h>

#include "js.h"
#include "object.h"

static napi_value describe_map(napi_env env, const struct bpf_map *map)
{
	const struct bpf_map *inner = bpf_map__inner_map((struct bpf_map *)map);
	size_t initial_size = 0;
	const void *initial;
	napi_value out;

	napi_create_object(env, &out);
	js_set_string(env, out, "name", bpf_map__name(map));
	js_set_int(env, out, "type", bpf_map__type(map));
	js_set_int(env, out, "keySize", bpf_map__key_size(map));
	js_set_int(env, out, "valueSize", bpf_map__value_size(map));
	js_set_int(env, out, "maxEntries", bpf_map__max_entries(map));
	js_set_int(env, out, "flags", bpf_map__map_flags(map));
	js_set_int(env, out, "keyType", bpf_map__btf_key_type_id(map));
	js_set_int(env, out, "valueType", bpf_map__btf_value_type_id(map));
	js_set(env, out, "internal", js_bool(env, bpf_map__is_internal(map)));
	js_set(env, out, "pinByName", js_bool(env, bpf_map__pin_path(map) != NULL));
	if (bpf_map__is_internal(map)) {
		initial = bpf_map__initial_value((struct bpf_map *)map, &initial_size);
		if (initial)
			js_set(env, out, "initialValue", js_copy_bytes(env, initial, initial_size));
	}
	if (inner)
		js_set(env, out, "inner", describe_map(env, inner));
	return out;
}

/* libbpf adds the flag at the load, and shows no sign of it before: SEC("xdp.frags"), "xdp.frags/devmap" and so on. */
static __u32 flags_of(const struct bpf_program *program)
{
	static const char frags[] = "xdp.frags";
	const char *section = bpf_program__section_name(program);
	size_t length = sizeof(frags) - 1;
	bool has_frags = bpf_program__type(program) == BPF_PROG_TYPE_XDP && strncmp(section, frags, length) == 0 &&
			 (section[length] == '\0' || section[length] == '/');

	return bpf_program__flags(program) | (has_frags ? BPF_F_XDP_HAS_FRAGS : 0);
}

static napi_value describe_program(napi_env env, const struct bpf_program *program)
{
	napi_value out;

	napi_create_object(env, &out);
	js_set_string(env, out, "name", bpf_program__name(program));
	js_set_string(env, out, "section", bpf_program__section_name(program));
	js_set_int(env, out, "type", bpf_program__type(program));
	js_set_int(env, out, "expectedAttachType", bpf_program__expected_attach_type(program));
	js_set_int(env, out, "flags", flags_of(program));
	js_set_int(env, out, "instructions", (int64_t)bpf_program__insn_cnt(program));
	js_set(env, out, "autoload", js_bool(env, bpf_program__autoload(program)));
	return out;
}

napi_value object_describe(napi_env env, struct bpf_object *object)
{
	const struct btf *btf = bpf_object__btf(object);
	struct bpf_program *program;
	struct bpf_map *map;
	napi_value out, programs, maps;
	uint32_t n = 0;

	napi_create_object(env, &out);
	napi_create_array(env, &programs);
	bpf_object__for_each_program(program, object)
		napi_set_element(env, programs, n++, describe_program(env, program));
	napi_create_array(env, &maps);
	n = 0;
	bpf_object__for_each_map(map, object)
		napi_set_element(env, maps, n++, describe_map(env, map));
	js_set(env, out, "programs", programs);
	js_set(env, out, "maps", maps);
	if (btf)
		js_set(env, out, "types", object_types(env, btf));
	return out;
}
