// Queries of devices and kernels, as host programs make them with the CUDA Runtime, and what these set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "interpreter/frame.hpp"
#include "language/functions.hpp"

namespace xcuda::interpreter {

class DeviceCalls : public Part {
 public:
  explicit DeviceCalls(Frame& frame) : Part(frame) {}

  // given: by parameter. Errors: type, value.
  Value call(language::Operation operation, const language::Bound& given, cell::Span span);

 private:
  bool reaches(const cell::Expression& device, const cell::Expression& peer);
  void store(const cell::Expression& output, const Value& value, cell::Span span);  // output: &n
  Object properties(cell::Span span);
  language::ScalarValue attribute(const cell::Expression& number);
  void memory(const language::Bound& given, cell::Span span);
  std::string bus_id(std::uint32_t device);
  std::uint32_t device_at_bus(const cell::Expression& id);
  std::optional<device::Limit> limit(const cell::Expression& number);
  void set_limit(const language::Bound& given);
  void get_limit(const language::Bound& given, cell::Span span);
  int peer_attribute(const language::Bound& given);
  Value change_peer(const language::Bound& given);
  // Of kernels: kernel_queries.cpp
  const Kernel& kernel(const cell::Expression& expression);
  device::OccupancyRequest of_kernel(const cell::Expression& kernel);
  void require_occupancy_flags(const language::Bound& given, std::size_t at);
  std::uint64_t dynamic_shared_limit(const Kernel& kernel);
  void available_shared(const language::Bound& given, cell::Span span);
  void kernel_attributes(const language::Bound& given, cell::Span span);
  void set_kernel_attribute(const language::Bound& given);
  void set_kernel_cache(const language::Bound& given);
  void active_blocks(const language::Bound& given, cell::Span span);
  void best_block(const language::Bound& given, cell::Span span);
  void best_block_of_size(const language::Bound& given, cell::Span span);
  std::unordered_map<const cell::Expression*, cell::ExpressionPtr> shared_of_;  // its calls; the trees outlive this
};

}  // namespace xcuda::interpreter
