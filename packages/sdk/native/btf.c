/* The types of an object as plain JavaScript values. Parsing is libbpf's; this only walks its table. */
#include <bpf/btf.h>
#include <string.h>

#include "js.h"
#include "object.h"

static const char *name_at(const struct btf *btf, __u32 offset)
{
	const char *name = btf__name_by_offset(btf, offset);

	return name ? name : "";
}

static napi_value members(napi_env env, const struct btf *btf, const struct btf_type *t)
{
	const struct btf_member *m = btf_members(t);
	napi_value list, item;

	napi_create_array_with_length(env, btf_vlen(t), &list);
	for (__u32 i = 0; i < btf_vlen(t); i++, m++) {
		napi_create_object(env, &item);
		js_set_string(env, item, "name", name_at(btf, m->name_off));
		js_set_int(env, item, "type", m->type);
		js_set_int(env, item, "bitOffset", btf_member_bit_offset(t, i));
		js_set_int(env, item, "bitSize", btf_member_bitfield_size(t, i));
		napi_set_element(env, list, i, item);
	}
	return list;
}

static napi_value enumerators(napi_env env, const struct btf *btf, const struct btf_type *t)
{
	napi_value list, item, value;

	napi_create_array_with_length(env, btf_vlen(t), &list);
	for (__u32 i = 0; i < btf_vlen(t); i++) {
		const char *name;

		if (btf_kind(t) == BTF_KIND_ENUM64) {
			const struct btf_enum64 *e = (const struct btf_enum64 *)(t + 1) + i;
			__u64 bits = (__u64)e->val_hi32 << 32 | e->val_lo32;

			name = name_at(btf, e->name_off);
			if (btf_kflag(t))
				napi_create_bigint_int64(env, (int64_t)bits, &value);
			else
				napi_create_bigint_uint64(env, bits, &value);
		} else {
			const struct btf_enum *e = btf_enum(t) + i;

			/* Compilers older than the signedness flag wrote unsigned values as they are, too. */
			name = name_at(btf, e->name_off);
			value = js_int(env, e->val);
		}
		napi_create_object(env, &item);
		js_set_string(env, item, "name", name);
		js_set(env, item, "value", value);
		napi_set_element(env, list, i, item);
	}
	return list;
}

static napi_value section_variables(napi_env env, const struct btf_type *t)
{
	const struct btf_var_secinfo *v = btf_var_secinfos(t);
	napi_value list, item;

	napi_create_array_with_length(env, btf_vlen(t), &list);
	for (__u32 i = 0; i < btf_vlen(t); i++, v++) {
		napi_create_object(env, &item);
		js_set_int(env, item, "type", v->type);
		js_set_int(env, item, "offset", v->offset);
		js_set_int(env, item, "size", v->size);
		napi_set_element(env, list, i, item);
	}
	return list;
}

static napi_value one_type(napi_env env, const struct btf *btf, const struct btf_type *t)
{
	const char *kind = "other";
	napi_value out;

	napi_create_object(env, &out);
	js_set_string(env, out, "name", name_at(btf, t->name_off));
	switch (btf_kind(t)) {
	case BTF_KIND_INT:
		kind = "int";
		js_set_int(env, out, "size", t->size);
		js_set_int(env, out, "bits", btf_int_bits(t));
		js_set_int(env, out, "encoding", btf_int_encoding(t));
		break;
	case BTF_KIND_FLOAT:
		kind = "float";
		js_set_int(env, out, "size", t->size);
		break;
	case BTF_KIND_PTR:
		kind = "pointer";
		js_set_int(env, out, "type", t->type);
		break;
	case BTF_KIND_ARRAY:
		kind = "array";
		js_set_int(env, out, "type", btf_array(t)->type);
		js_set_int(env, out, "count", btf_array(t)->nelems);
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		kind = btf_is_struct(t) ? "struct" : "union";
		js_set_int(env, out, "size", t->size);
		js_set(env, out, "members", members(env, btf, t));
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		kind = "enum";
		js_set_int(env, out, "size", t->size);
		js_set(env, out, "signed", js_bool(env, btf_kflag(t)));
		js_set(env, out, "values", enumerators(env, btf, t));
		break;
	case BTF_KIND_TYPEDEF:
		kind = "typedef";
		js_set_int(env, out, "type", t->type);
		break;
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		kind = "modifier";
		js_set_int(env, out, "type", t->type);
		break;
	case BTF_KIND_VAR:
		kind = "variable";
		js_set_int(env, out, "type", t->type);
		break;
	case BTF_KIND_DATASEC:
		kind = "section";
		js_set_int(env, out, "size", t->size);
		js_set(env, out, "variables", section_variables(env, t));
		break;
	default: /* functions, forward declarations, tags: no data has such a type */
		break;
	}
	js_set_string(env, out, "kind", kind);
	return out;
}

napi_value object_types(napi_env env, const struct btf *btf)
{
	__u32 count = btf__type_cnt(btf);
	napi_value list;

	/* Index 0 is void: a hole. */
	napi_create_array_with_length(env, count, &list);
	for (__u32 id = 1; id < count; id++)
		napi_set_element(env, list, id, one_type(env, btf, btf__type_by_id(btf, id)));
	return list;
}
