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

constexpr std::uint32_t kProtocolVersion = 15;  // rises with every change of a verb or an encoding

enum class Verb : std::uint8_t {
#define XCUDA_VERB(name, phrase) name,
#include "device/remote/verbs.def"
#undef XCUDA_VERB
};
constexpr auto kVerbs = static_cast<std::uint8_t>(Verb::big_post) + 1;
constexpr bool is_post(Verb verb) { return verb >= Verb::post_name_range; }
std::string_view verb_name(Verb verb);    // "load_module"
std::string_view verb_phrase(Verb verb);  // "load a module"

// The first byte of an answer.
enum class Status : std::uint8_t {
  done,   // the verb's value follows
  error,  // an Error follows; the device goes on
};

// A worker that leaves after a fault sends {"report": "fault"} with an encoded Completion and ends with this status.
constexpr int kFaultExit = 3;

}  // namespace xcuda::device::remote
