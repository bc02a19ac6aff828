// The errors of every device for an id that is taken or missing.
#pragma once

#include <fmt/format.h>

#include "device/device.hpp"

namespace xcuda::device {

constexpr std::string_view id_name(MemoryId) { return "memory"; }
constexpr std::string_view id_name(ModuleId) { return "module"; }
constexpr std::string_view id_name(StreamId) { return "stream"; }
constexpr std::string_view id_name(EventId) { return "event"; }
constexpr std::string_view id_name(TextureId) { return "texture"; }
constexpr std::string_view id_name(GraphId) { return "graph"; }

template <class Id> std::string missing_text(Id id) {
  return fmt::format("there is no {} {}", id_name(id), static_cast<unsigned>(id));
}
template <class Id> Error missing(Id id) { return Error(ErrorKind::value, missing_text(id)); }
template <class Id> Error taken(Id id) {
  return Error(ErrorKind::value, fmt::format("{} {} already exists", id_name(id), static_cast<unsigned>(id)));
}

}  // namespace xcuda::device
