// A struct of the CUDA Runtime that statements hold, by the names of its members.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

#include "device/device.hpp"
#include "session/device_code.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

class CudaStruct {
 public:
  CudaStruct(session::DeviceCode& code, session::Object object) : code_(code), object_(std::move(object)) {}

  // "srcPtr.pitch"; 0 of a member that this version of CUDA does not have. part: of an array or a vector.
  template <class Value> Value at(std::string_view path, std::size_t part = 0) const {
    Value value{};
    if (const auto place = find(path, part * sizeof(Value), sizeof value))
      std::memcpy(&value, place.data(), sizeof value);
    return value;
  }
  template <class Value> void set(std::string_view path, const Value& value) {
    if (const auto place = find(path, 0, sizeof value)) std::memcpy(&object_.bytes[place.offset], &value, sizeof value);
  }
  device::Dim3 extents(std::string_view name) const {
    return {at<std::uint32_t>(name, 0), at<std::uint32_t>(name, 1), at<std::uint32_t>(name, 2)};
  }
  const session::Object& object() const { return object_; }

 private:
  struct Place {
    const std::byte* begin = nullptr;
    std::size_t offset = 0;
    explicit operator bool() const { return begin != nullptr; }
    const std::byte* data() const { return begin + offset; }
  };
  Place find(std::string_view path, std::size_t beyond, std::size_t size) const {
    auto type = object_.type;
    auto offset = beyond;
    while (!path.empty()) {
      const auto name = path.substr(0, path.find('.'));
      const auto members = code_.members_of(type);
      const auto member =
          std::find_if(members.begin(), members.end(), [&](const auto& one) { return one.name == name; });
      if (member == members.end()) return {};
      type = member->type;
      offset += member->offset;
      path.remove_prefix(std::min(name.size() + 1, path.size()));
    }
    return offset + size <= object_.bytes.size() ? Place{object_.bytes.data(), offset} : Place{};
  }

  session::DeviceCode& code_;
  session::Object object_;
};

}  // namespace xcuda::interpreter
