// Streams and events by name, the numbers of those without a name, and the graphs of programs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "device/memory.hpp"
#include "session/chosen_device.hpp"
#include "session/graph_table.hpp"

namespace xcuda::session {

class StreamTable {
 public:
  explicit StreamTable(ChosenDevice& device) : device_(device) {}

  device::StreamId stream(const std::string& name);  // made when it is new
  device::EventId event(const std::string& name);    // made when it is new
  // Of members of structs, which hold their numbers: those of no variable, and all by their numbers.
  device::StreamId make_stream();
  device::EventId make_event();
  void end_made(device::StreamId stream);  // nothing where a variable names it
  void end_made(device::EventId event);
  std::optional<device::StreamId> stream_numbered(std::uint32_t number) const;
  std::optional<device::EventId> event_numbered(std::uint32_t number) const;
  void rename(const std::string& from, const std::string& to);                 // all whose names begin so
  std::vector<device::EventId> timing_events(std::size_t count);               // without names; the same ones each time
  std::string name_of(device::StreamId stream) const;                          // "default stream" of the first
  device::StreamId next_stream() { return device::StreamId{next_stream_++}; }  // of a capture
  device::GraphId next_graph() { return device::GraphId{next_graph_++}; }

  GraphTable& graphs() { return graphs_; }  // which end before the session's other parts
  void note_recorded(device::EventId event) { recorded_.insert(event); }
  void set_flags(device::StreamId stream, std::uint32_t flags) { flags_[stream] = flags; }  // as a program gave them
  std::uint32_t flags_of(device::StreamId stream) const {
    const auto known = flags_.find(stream);
    return known == flags_.end() ? 0 : known->second;
  }
  bool was_recorded(device::EventId event) const { return recorded_.contains(event); }
  // By a process that is gone.
  void forget_recorded() {
    recorded_.clear();
    ++process_;
  }
  std::uint64_t process() const { return process_; }  // how many are gone

  // When memory that is freed may be used again. Devices that work beside each other are not in order either.
  device::Memory::Reuse reuse() const {
    const bool in_order = streams_.empty() && !device_.order().in_step();
    return in_order ? device::Memory::Reuse::in_order : device::Memory::Reuse::after_synchronisation;
  }

  void make_on(device::Device& device);  // all of them
  void clear();                          // ends them

 private:
  ChosenDevice& device_;
  std::map<std::string, device::StreamId> streams_;
  std::map<std::string, device::EventId> events_;
  std::vector<device::EventId> timing_events_;
  std::set<std::uint32_t> made_streams_, made_events_;  // by their numbers
  std::map<device::StreamId, std::uint32_t> flags_;
  std::set<device::EventId> recorded_;
  GraphTable graphs_;
  std::uint64_t process_ = 0;
  std::uint32_t next_stream_ = 1, next_event_ = 1, next_graph_ = 1;
};

}  // namespace xcuda::session
