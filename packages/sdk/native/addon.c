/* What JavaScript sees of the addon, and nothing else. There is no global state but libbpf's print function: the addon
 * is loaded once in each thread. */
#include <bpf/libbpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "batch.h"
#include "count_field.h"
#include "handle.h"
#include "js.h"
#include "live_capture.h"
#include "live_netns.h"
#include "live_send.h"
#include "live_socket.h"
#include "map.h"
#include "messages.h"
#include "netns.h"
#include "object.h"
#include "probe.h"
#include "test_run.h"

static napi_value possible_cpus(napi_env env, napi_callback_info info)
{
	(void)info;
	return js_int(env, libbpf_num_possible_cpus());
}

/* Makes the garbage collector run now. V8 does so when it hears of more external memory than its limit (half of the
 * heap's size) allows, and that is the only way that Node-API leaves to ask for it. */
static napi_value collect_garbage(napi_env env, napi_callback_info info)
{
	const int64_t beyond_any_limit = 1LL << 40;
	int64_t total;

	(void)info;
	napi_adjust_external_memory(env, beyond_any_limit, &total);
	napi_adjust_external_memory(env, -beyond_any_limit, &total);
	return NULL;
}

/* (bytes): asks for huge pages behind a typed array that will be filled from end to end. The kernel zeroes memory at the
 * first touch, page by page, and a fault costs more than the zeroing: fewer and larger pages halve the time of a run that
 * keeps outputs of 1500 bytes. */
static napi_value advise_huge_pages(napi_env env, napi_callback_info info)
{
	JS_ARGS(env, info, 1);
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	struct js_bytes bytes;
	uintptr_t from, to;

	if (!js_read_bytes(env, args[0], &bytes))
		return NULL;
	from = ((uintptr_t)bytes.data + page - 1) & ~(page - 1);
	to = ((uintptr_t)bytes.data + bytes.size) & ~(page - 1);
	if (to > from)
		madvise((void *)from, to - from, MADV_HUGEPAGE); /* a wish: refused where there are none */
	return NULL;
}

#define METHOD(js_name, function) { .utf8name = js_name, .method = function, .attributes = napi_enumerable }

NAPI_MODULE_INIT()
{
	static const napi_property_descriptor methods[] = {
		METHOD("closeHandle", handle_close),
		METHOD("handleNumber", handle_number),
		METHOD("duplicate", handle_duplicate),
		METHOD("releaseHandle", handle_release),
		METHOD("inspectObject", object_inspect),
		METHOD("loadObject", object_load),
		METHOD("mapLookup", map_lookup),
		METHOD("mapUpdate", map_update),
		METHOD("mapDelete", map_delete),
		METHOD("mapUpdateMany", map_update_many),
		METHOD("mapDeleteMany", map_delete_many),
		METHOD("mapKeys", map_keys),
		METHOD("mapValues", map_values),
		METHOD("mapPush", map_push),
		METHOD("mapPop", map_pop),
		METHOD("mapCreate", map_create),
		METHOD("mapById", map_by_id),
		METHOD("mapMaxEntries", map_max_entries),
		METHOD("mapMemory", map_memory),
		METHOD("mapDrain", map_drain),
		METHOD("pin", map_pin),
		METHOD("testRun", test_run_one),
		METHOD("testRunSlice", test_run_slice),
		METHOD("testRunTimed", probe_timed_runs),
		METHOD("batchRunSlice", batch_run_slice),
		METHOD("batchRepeat", batch_repeat),
		METHOD("loadBareProgram", probe_load_bare),
		METHOD("attachTracing", probe_attach_tracing),
		METHOD("park", netns_park),
		METHOD("netnsCreate", netns_create),
		METHOD("netnsSocket", netns_socket),
		METHOD("netnsAttach", netns_attach),
		METHOD("netnsMapUpdate", netns_map_update),
		METHOD("netnsRead", netns_read),
		METHOD("netnsWrite", netns_write),
		METHOD("netnsRun", netns_run),
		METHOD("socketBind", socket_bind),
		METHOD("socketListen", socket_listen),
		METHOD("socketConnect", socket_connect),
		METHOD("socketOption", socket_option),
		METHOD("socketFilter", socket_filter),
		METHOD("socketEthtool", socket_ethtool),
		METHOD("netlinkExchange", netlink_exchange),
		METHOD("sendFrames", send_frames),
		METHOD("captureStart", capture_start),
		METHOD("captureState", capture_state),
		METHOD("captureColumns", capture_columns),
		METHOD("captureBytes", capture_bytes),
		METHOD("captureForget", capture_forget),
		METHOD("captureStop", capture_stop),
		METHOD("countField", count_field),
		METHOD("possibleCpus", possible_cpus),
		METHOD("collectGarbage", collect_garbage),
		METHOD("adviseHugePages", advise_huge_pages),
	};

	messages_install();
	napi_define_properties(env, exports, sizeof(methods) / sizeof(methods[0]), methods);
	return exports;
}
