// The wire between a session and a device worker.
//
// Calls and answers travel through the channel; posts through a ring in shared memory (ring.hpp). A message has no
// head; its body is a verb (or a status) and the encoded values of codec.hpp. A call also holds the position of the
// ring up to which the worker serves posts first, so that the order of all requests is the order in which they were
// made.
#pragma once

#include <cstdint>
#include <string_view>

namespace xcuda::device::remote {

constexpr std::uint32_t kProtocolVersion = 13;  // rises with every change of a verb or an encoding

enum class Verb : std::uint8_t {
  open,  // the first message: version, OpenRequest; files: shared memory, its doorbell, staging buffer, stop event,
         // the bell of its pieces
  info,
  create_memory,
  import_memory,
  open_memory,
  mirror_memory,
  destroy_memory,
  load_module,
  unload_module,
  module_info,
  place_variables,
  machine_code,
  occupancy,
  best_block,
  create_stream,
  destroy_stream,
  create_event,
  destroy_event,
  elapsed,
  begin_capture,
  end_capture,
  create_texture,
  open_library,
  load_host_module,
  unload_host_module,
  set_limit,
  limit,
  synchronize,
  // Posts.
  post_name_range,
  post_forget_range,
  post_guard,
  post_fill,
  post_copy,
  post_read,
  post_write,
  post_prepare,
  post_launch,
  post_library,
  post_host_call,
  post_record,
  post_wait,
  post_graph,
  post_destroy_graph,
  post_destroy_texture,
  post_fence,  // a number: synchronize, and say by the ring's fence that it is done
  // In the ring: the next post is too big for it and comes through the channel.
  big_post,
};
constexpr auto kVerbs = static_cast<std::uint8_t>(Verb::big_post) + 1;
constexpr bool is_post(Verb verb) { return verb >= Verb::post_name_range; }
std::string_view verb_name(Verb verb);

// The first byte of an answer.
enum class Status : std::uint8_t {
  done,   // the verb's value follows
  error,  // an Error follows; the device goes on
};

// A worker that leaves after a fault sends {"report": "fault"} with an encoded Completion and ends with this status.
constexpr int kFaultExit = 3;

}  // namespace xcuda::device::remote
