// Streams and events among statements: stream s; event e; record(e, s); wait(s, e); elapsed(e, f).
#pragma once

#include <optional>
#include <string_view>

#include "cell/tree.hpp"
#include "device/device.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/targets.hpp"
#include "language/handles.hpp"
#include "session/statement_value.hpp"

namespace xcuda::interpreter {

class Streams : public Part {
 public:
  explicit Streams(Frame& frame) : Part(frame) {}

  // A stream by name, or 0 for the one that is used when none is named. what: for errors. Errors: type.
  device::StreamId of(const cell::Expression& expression, std::string_view what);
  device::StreamId in_capture(device::StreamId stream) const;  // the graph's own in place of one that is captured
  // Where work goes that a program gives no stream. Error(value) in a capture of a stream that this one waits for.
  device::StreamId unnamed(cell::Span span) const;
  Stream stream(const cell::Expression& expression);
  Event event(const cell::Expression& expression);
  // An element of cudaStream_t s[4] or cudaEvent_t e[4]; nothing where the elements are something else.
  std::optional<Value> element(const Pointer& element);
  // What a member of a struct holds, cudaStream_t or cudaEvent_t: a number, 0 for the default stream. Nothing of other
  // types. Error(value): it was destroyed.
  std::optional<Value> held(const Type& type, std::uint64_t number) const;
  std::uint64_t number_of(const Value& value, const Type& type, cell::Span span) const;  // Error(type)
  // cudaStreamCreate(&plan.stream), cudaEventCreate(&plan.done): what the variable or the element names, or a new one
  // for a member.
  device::StreamId create_stream(const cell::Expression& place, cell::Span span);
  void create_event(const cell::Expression& place, cell::Span span);
  void create_event(const Target& place, cell::Span span);
  // Error(value) in a capture for a stream that does not belong to it: it would run now and not with the graph.
  void require_in_capture(device::StreamId stream, cell::Span span);
  void forbid_in_capture(std::string_view what, cell::Span span) const;  // Error(unsupported)
  void bring_together();  // the streams of a capture in the one that is captured, where a part of a graph ends

  void record(const cell::Call& call, cell::Span span);
  void wait(const cell::Call& call, cell::Span span);
  Value elapsed(const cell::Call& call, cell::Span span);  // milliseconds, as cudaEventElapsedTime gives them
  // stream: null for the default one.
  void record(const cell::Expression& event, const cell::Expression* stream, cell::Span span);
  void wait(const cell::Expression* stream, const cell::Expression& event);
  Value elapsed(const cell::Expression& from, const cell::Expression& to, cell::Span span);

 private:
  void join(device::StreamId stream);
  std::optional<Target> member(const cell::Expression& place, std::string_view type);
  device::StreamId outside_captures() const;  // the default stream
};

}  // namespace xcuda::interpreter
