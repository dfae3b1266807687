/* ELF objects: a thin skin over libbpf. After a load every descriptor is duplicated into a handle of its own and the
 * libbpf object is closed, so that nothing here outlives a call. */
#include "object.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "handle.h"
#include "js.h"
#include "messages.h"
#include "signals.h"

/* { errno, stage, messages, log? } */
static napi_value failure(napi_env env, const char *stage, int error, const char *log)
{
	napi_value out;

	napi_create_object(env, &out);
	js_set_int(env, out, "errno", error < 0 ? -error : error);
	js_set_string(env, out, "stage", stage);
	js_set_string(env, out, "messages", messages_text());
	if (log)
		js_set_string(env, out, "log", log);
	return out;
}

static struct bpf_object *open_bytes(struct js_bytes bytes, const char *name, const char *pin_root)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = name, .pin_root_path = pin_root);

	return bpf_object__open_mem(bytes.data, bytes.size, &options);
}

napi_value object_inspect(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 2);
	struct bpf_object *object;
	struct js_bytes bytes;
	char name[64];
	napi_value out;

	if (!js_read_bytes(env, args[0], &bytes) || !js_read_string(env, args[1], name, sizeof(name)))
		return NULL;
	if (!messages_begin())
		return js_type_error(env, "out of memory");
	object = open_bytes(bytes, name, NULL);
	out = object ? object_describe(env, object) : failure(env, "open", errno, NULL);
	bpf_object__close(object);
	messages_end();
	return out;
}

/* One element of config.programs: { name, autoload?, type?, expectedAttachType?, flags? } */
static int configure_program(napi_env env, struct bpf_object *object, napi_value item)
{
	int64_t autoload = -1, type = -1, attach = -1, flags = -1;
	struct bpf_program *program;
	char name[256];
	int error = 0;

	if (!js_read_string(env, js_property(env, item, "name"), name, sizeof(name)) ||
	    !js_optional_int(env, item, "autoload", &autoload) || !js_optional_int(env, item, "type", &type) ||
	    !js_optional_int(env, item, "expectedAttachType", &attach) ||
	    !js_optional_int(env, item, "flags", &flags))
		return -EINVAL;
	program = bpf_object__find_program_by_name(object, name);
	if (!program)
		return -ENOENT;
	if (type >= 0)
		error = bpf_program__set_type(program, (enum bpf_prog_type)type);
	if (!error && attach >= 0)
		error = bpf_program__set_expected_attach_type(program, (enum bpf_attach_type)attach);
	if (!error && flags >= 0)
		error = bpf_program__set_flags(program, (__u32)flags);
	if (!error && autoload >= 0)
		error = bpf_program__set_autoload(program, autoload != 0);
	return error;
}

static struct bpf_map *find_map(struct bpf_object *object, const char *name)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, object)
		if (strcmp(bpf_map__name(map), name) == 0)
			return map;
	return NULL;
}

/* One element of config.maps: { name, maxEntries?, initialValue?, innerFd? } */
static int configure_map(napi_env env, struct bpf_object *object, napi_value item)
{
	int64_t max_entries = -1, inner_fd = -1;
	struct js_bytes initial = { 0 };
	struct bpf_map *map;
	char name[256];
	int error = 0;

	if (!js_read_string(env, js_property(env, item, "name"), name, sizeof(name)) ||
	    !js_optional_int(env, item, "maxEntries", &max_entries) ||
	    !js_optional_int(env, item, "innerFd", &inner_fd) ||
	    !js_optional_bytes(env, item, "initialValue", &initial))
		return -EINVAL;
	map = find_map(object, name);
	if (!map)
		return -ENOENT;
	if (max_entries >= 0)
		error = bpf_map__set_max_entries(map, (__u32)max_entries);
	if (!error && initial.data)
		error = bpf_map__set_initial_value(map, initial.data, initial.size);
	if (!error && inner_fd >= 0)
		error = bpf_map__set_inner_map_fd(map, (int)inner_fd);
	return error;
}

static int configure_each(napi_env env, struct bpf_object *object, napi_value list,
			  int (*one)(napi_env, struct bpf_object *, napi_value))
{
	uint32_t count = 0;
	napi_value item;
	int error;

	napi_get_array_length(env, list, &count);
	for (uint32_t i = 0; i < count; i++) {
		napi_get_element(env, list, i, &item);
		error = one(env, object, item);
		if (error)
			return error;
	}
	return 0;
}

static int configure(napi_env env, struct bpf_object *object, napi_value config, bool pin)
{
	struct bpf_map *map;
	int error;

	/* LIBBPF_PIN_BY_NAME would share maps between test runs: nothing is pinned unless asked. */
	if (!pin)
		bpf_object__for_each_map(map, object)
			bpf_map__set_pin_path(map, NULL);
	error = configure_each(env, object, js_property(env, config, "programs"), configure_program);
	return error ? error : configure_each(env, object, js_property(env, config, "maps"), configure_map);
}

static napi_value duplicated(napi_env env, int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	return copy < 0 ? js_undefined(env) : handle_new(env, copy, -1);
}

static void set_kernel_id(napi_env env, napi_value item, int fd)
{
	struct bpf_prog_info details = { 0 };
	__u32 size = sizeof(details);

	/* Program and map info both start with type and id. */
	if (bpf_obj_get_info_by_fd(fd, &details, &size) == 0)
		js_set_int(env, item, "id", details.id);
}

/* Whether the program, its subprograms included, calls a redirect helper, or a tail call behind which one may be. */
static bool may_redirect(const struct bpf_program *program)
{
	const struct bpf_insn *code = bpf_program__insns(program);
	size_t count = bpf_program__insn_cnt(program);

	for (size_t i = 0; i < count; i++) {
		if (code[i].code != (BPF_JMP | BPF_CALL) || code[i].src_reg != 0)
			continue;
		if (code[i].imm == BPF_FUNC_redirect || code[i].imm == BPF_FUNC_redirect_map ||
		    code[i].imm == BPF_FUNC_tail_call)
			return true;
	}
	return false;
}

static napi_value loaded_object(napi_env env, struct bpf_object *object)
{
	struct bpf_program *program;
	struct bpf_map *map;
	napi_value out, programs, maps, item;

	napi_create_object(env, &out);
	napi_create_object(env, &programs);
	bpf_object__for_each_program(program, object) {
		if (bpf_program__fd(program) < 0)
			continue;
		napi_create_object(env, &item);
		js_set(env, item, "handle", duplicated(env, bpf_program__fd(program)));
		set_kernel_id(env, item, bpf_program__fd(program));
		js_set(env, item, "mayRedirect", js_bool(env, may_redirect(program)));
		js_set(env, programs, bpf_program__name(program), item);
	}
	napi_create_object(env, &maps);
	bpf_object__for_each_map(map, object) {
		if (bpf_map__fd(map) < 0)
			continue;
		napi_create_object(env, &item);
		js_set(env, item, "handle", duplicated(env, bpf_map__fd(map)));
		set_kernel_id(env, item, bpf_map__fd(map));
		js_set_int(env, item, "maxEntries", bpf_map__max_entries(map));
		js_set(env, maps, bpf_map__name(map), item);
	}
	js_set(env, out, "programs", programs);
	js_set(env, out, "maps", maps);
	return out;
}

/* The program that libbpf stopped at. Only its message tells: when one fails, libbpf unloads the others too. */
static const char *refused_program(struct bpf_object *object)
{
	struct bpf_program *program;
	char said[512];

	bpf_object__for_each_program(program, object) {
		snprintf(said, sizeof(said), "prog '%s': BPF program load failed", bpf_program__name(program));
		if (strstr(messages_text(), said))
			return bpf_program__name(program);
	}
	return NULL;
}

/* With one log buffer for each program libbpf writes a log on failure only, into the buffer of the program at fault.
 * They are all the same memory: libbpf stops at the first failure. */
static napi_value load_once(napi_env env, struct js_bytes bytes, const char *name, napi_value config,
			    size_t log_size, bool *log_too_small)
{
	char pin_root[4096] = "";
	napi_value out, pin = js_property(env, config, "pinRoot");
	bool pinned = !js_is_undefined(env, pin);
	struct bpf_object *object;
	struct bpf_program *program;
	int64_t log_level = 0;
	sigset_t old_signals;
	char *log;
	int error;

	*log_too_small = false;
	if ((pinned && !js_read_string(env, pin, pin_root, sizeof(pin_root))) ||
	    !js_optional_int(env, config, "logLevel", &log_level))
		return NULL;
	object = open_bytes(bytes, name, pinned ? pin_root : NULL);
	if (!object)
		return failure(env, "open", errno, NULL);
	error = configure(env, object, config, pinned);
	if (error) {
		out = failure(env, "configure", error, NULL);
		bpf_object__close(object);
		return out;
	}
	/* malloc of this size is untouched memory: only what the verifier writes is ever used. */
	log = malloc(log_size);
	if (!log) {
		bpf_object__close(object);
		return js_type_error(env, "out of memory");
	}
	log[0] = '\0';
	bpf_object__for_each_program(program, object) {
		bpf_program__set_log_buf(program, log, log_size);
		bpf_program__set_log_level(program, (__u32)log_level);
	}
	/* The verifier gives up when a signal is pending, and libbpf tries no more than five times. */
	signals_hold_all(&old_signals);
	error = bpf_object__load(object);
	signals_release(&old_signals);
	if (error == 0) {
		out = loaded_object(env, object);
		if (log_level > 0)
			js_set_string(env, out, "log", log);
	} else {
		const char *refused = refused_program(object);

		*log_too_small = error == -ENOSPC || strlen(log) + 1 >= log_size;
		out = failure(env, "load", error, log);
		if (refused)
			js_set_string(env, out, "program", refused);
	}
	free(log);
	bpf_object__close(object);
	return out;
}

napi_value object_load(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 3);
	struct js_bytes bytes;
	char name[64];
	napi_value out = NULL;
	bool log_too_small = true;

	if (!js_read_bytes(env, args[0], &bytes) || !js_read_string(env, args[1], name, sizeof(name)))
		return NULL;
	/* 16 MiB - 1 is the most that kernels before 5.19 take; newer ones take 1 GiB (kernel/bpf/log.c). */
	for (size_t log_size = (16u << 20) - 1; log_too_small && log_size < (1u << 30); log_size = (log_size + 1) * 8 - 1) {
		if (!messages_begin())
			return js_type_error(env, "out of memory");
		out = load_once(env, bytes, name, args[2], log_size, &log_too_small);
		messages_end();
		if (!out)
			return NULL;
	}
	return out;
}
