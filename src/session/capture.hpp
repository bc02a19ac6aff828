// A graph while its statements run: nothing is executed, so that no value is available. And afterwards, as long as
// something may launch it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "device/device.hpp"
#include "session/launch_log.hpp"

namespace xcuda::session {

class Session;
struct Array;

// An array that a graph uses, and what is wrong later where it is gone: "x was freed"; empty where all are there.
ArrayUse use_of(const Array& array);
std::string missing_of(Session& session, const std::vector<ArrayUse>& uses);

// Lives from the first statement to the last launch of the graph. The captured work ends with it, and when the capture
// does not reach its end, names are bound again as they were.
class Capture {
 public:
  // of: the stream whose work is captured, where a program says so; else all work is.
  explicit Capture(Session& session, std::optional<device::StreamId> of = std::nullopt);
  // The next part of a graph that a program captures, once the part before has ended.
  Capture(Session& session, const Capture& before);
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  device::GraphInfo end();  // Error(value): streams that do not come together again, a request that a graph cannot hold
  bool recording() const { return recording_; }
  device::GraphId graph() const { return graph_; }
  device::StreamId stream() const { return stream_; }
  // Where work goes that names no stream: the capture's, but for what is in the order of another stream.
  device::StreamId current() const { return current_; }
  void go_to(device::StreamId stream) { current_ = stream; }
  // In place of a stream that is captured, the graph's own.
  device::StreamId in_place_of(device::StreamId stream) const { return stream == of_ ? stream_ : stream; }
  bool of_program() const { return of_.has_value(); }
  std::optional<device::StreamId> captured() const { return of_; }  // of a program

  // Streams and events that belong to the capture.
  struct Members {
    std::set<device::StreamId> streams;
    std::set<device::EventId> events;
  };
  const Members& members() const { return members_; }
  void join(device::StreamId stream) { members_.streams.insert(stream); }
  bool has(device::StreamId stream) const { return members_.streams.contains(stream); }
  void record(device::EventId event) { members_.events.insert(event); }
  bool has(device::EventId event) const { return members_.events.contains(event); }

  // The addresses of arrays that it writes; their names may change meanwhile.
  void wrote(device::Address address);             // inside of an array, or of none
  void wrote(const std::vector<ArrayUse>& given);  // by a launch
  const std::set<device::Address>& written() const { return written_; }
  void reads(device::Address address);  // likewise, of a copy

  // What a later launch needs: the arrays that it works on, and the code of its launches.
  void uses(device::ModuleId module) { modules_.insert(module); }
  std::string missing() const;                              // "x was freed"; empty where all is there
  void note_given(const std::vector<ArrayUse>& more = {});  // at the end of the capture
  const std::vector<ArrayUse>& given() const { return given_; }

  // Keeps memory without a name that it uses, until nothing runs the graph.
  void keep(device::Address temporary) { kept_.push_back(temporary); }

  // Names that mean another array than before, as "u, v".
  std::string rebound() const;

 private:
  void give(const Array* array);  // null: of none

  Session& session_;
  device::GraphId graph_{};
  device::StreamId stream_{}, current_{};
  std::optional<device::StreamId> of_;
  std::uint64_t process_ = 0;  // that has the graph
  std::set<device::ModuleId> modules_;
  std::vector<ArrayUse> given_;
  bool recording_ = true, finished_ = false;
  Members members_;
  std::set<device::Address> written_, read_;
  std::vector<device::Address> kept_;
  std::vector<std::pair<std::string, device::Address>> bindings_;

 public:
  void keep_bindings() { finished_ = true; }  // the graph runs: what the cell did to names stays
};

}  // namespace xcuda::session
