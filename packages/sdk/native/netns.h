/* Private network namespaces and parking. */
#pragma once

#include <node_api.h>

/* (program) -> handle | -errno: attaches the program in generic mode to `lo` of a namespace made for it, which keeps
 * it on the XDP dispatcher. Closing the handle undoes it. Needs CAP_NET_ADMIN and CAP_SYS_ADMIN. */
napi_value netns_park(napi_env env, napi_callback_info info);
