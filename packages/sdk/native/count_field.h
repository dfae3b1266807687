/* Counts the values of a field over many packets, in their bytes. */
#pragma once

#include <node_api.h>

/* ({ bytes, offsets, lengths, from, width, shapes }) -> { next, at, counts }: from packet `from` on, for as long as each
 * packet fits one of the shapes. `at` has for each value, `width` bytes, where it stands first; `next` is the first packet
 * that was not counted. A shape in the Int32Array `shapes` is the field's offset, the least length of a packet, a number n,
 * and n times an offset, a mask and what the byte there, masked, must be. */
napi_value count_field(napi_env env, napi_callback_info info);
