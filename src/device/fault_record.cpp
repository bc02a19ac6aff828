#include "device/fault_record.hpp"

#include <algorithm>
#include <iterator>

namespace xcuda::device {
namespace {

// The record may have been written by a process that was dying.
template <std::size_t N> std::string text_of(const char (&text)[N]) {
  return {text, std::find(std::begin(text), std::end(text), '\0')};
}

void set_indices(std::uint32_t (&to)[3], const Dim3& from) {
  to[0] = from.x;
  to[1] = from.y;
  to[2] = from.z;
}

}  // namespace

void write_fault(FaultRecord& record, const Fault& fault) {
  if (!record.claim()) return;
  record.kind = fault.kind;
  record.access = fault.access;
  record.access_size = fault.access_size;
  record.line = fault.line;
  record.column = fault.column;
  record.has_indices = fault.block.has_value() && fault.thread.has_value();
  set_indices(record.block, fault.block.value_or(Dim3{}));
  set_indices(record.thread, fault.thread.value_or(Dim3{}));
  record.has_address = fault.address.has_value();
  record.address = fault.address.value_or(0);
  record.has_element = fault.element.has_value();
  record.element = fault.element.value_or(0);
  record.elements = fault.elements;
  record.launch_count = static_cast<std::uint32_t>(std::min(fault.launches.size(), std::size(record.launches)));
  std::copy_n(fault.launches.begin(), record.launch_count, record.launches);
  set_text(record.library, fault.library.c_str());
  set_text(record.message, fault.message.c_str());
  set_text(record.entry, fault.entry.c_str());
  set_text(record.source, fault.source.c_str());
  set_text(record.array, fault.array.c_str());
  if (fault.other) {
    record.has_other = true;
    record.of_another_block = fault.other->of_another_block;
    record.other_access = fault.other->access;
    record.other_line = fault.other->line;
    record.other_column = fault.other->column;
    set_text(record.other_who, fault.other->who.c_str());
    set_text(record.other_source, fault.other->source.c_str());
  }
  record.publish();
}

std::optional<Fault> read_fault(const FaultRecord& record) {
  if (record.state.load() != FaultRecord::complete) return std::nullopt;
  Fault fault;
  fault.kind = record.kind;
  fault.access = record.access;
  fault.access_size = record.access_size;
  fault.line = record.line;
  fault.column = record.column;
  if (record.has_indices) {
    fault.block = Dim3{record.block[0], record.block[1], record.block[2]};
    fault.thread = Dim3{record.thread[0], record.thread[1], record.thread[2]};
  }
  if (record.has_address) fault.address = record.address;
  if (record.has_element) fault.element = record.element;
  fault.elements = record.elements;
  const auto count = std::min<std::size_t>(record.launch_count, std::size(record.launches));
  fault.launches.assign(record.launches, record.launches + count);
  fault.library = text_of(record.library);
  fault.message = text_of(record.message);
  fault.entry = text_of(record.entry);
  fault.source = text_of(record.source);
  fault.array = text_of(record.array);
  if (record.has_other)
    fault.other = OtherAccess{record.other_access,          text_of(record.other_who), record.of_another_block,
                              text_of(record.other_source), record.other_line,         record.other_column};
  return fault;
}

}  // namespace xcuda::device
