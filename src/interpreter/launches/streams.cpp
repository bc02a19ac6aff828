#include "interpreter/launches/streams.hpp"

#include <fmt/format.h>

#include "cell/type_word.hpp"
#include "interpreter/launches/launch_graphs.hpp"
#include "language/complaints.hpp"
#include "session/capture.hpp"

namespace xcuda::interpreter {
namespace {

const std::string kJoin = "an event of captures";  // no variable has such a name

}  // namespace

// It is never read from memory: a loop over streams waits for none of them.
std::optional<Value> Streams::element(const Pointer& pointer) {
  const auto word = cell::type_word(pointer.type.name);
  const bool stream = word == cell::TypeWord::stream;
  if (!stream && word != cell::TypeWord::event) return std::nullopt;
  const auto* array = session_.arrays().at(pointer.address);
  const auto begin = array == nullptr ? pointer.address : array->address;
  auto name = fmt::format("{}[{}]", pointer.owner, (pointer.address - begin) / pointer.type.size);
  if (stream) return Stream{session_.streams().stream(name), name};
  return Event{session_.streams().event(name), name};
}

std::optional<Value> Streams::held(const Type& type, std::uint64_t number) const {
  const bool stream = type.name == language::kHeldStream;
  if (!stream && type.name != language::kHeldEvent) return std::nullopt;
  if (number == 0) return NullPointer{};
  const auto known = static_cast<std::uint32_t>(number);
  if (stream) {
    if (const auto id = session_.streams().stream_numbered(known)) return Stream{*id, session_.streams().name_of(*id)};
  } else if (const auto id = session_.streams().event_numbered(known)) {
    return Event{*id, snippet(run_.source, run_.current)};
  }
  throw error(ErrorKind::value, stream ? "the stream was destroyed" : "the event was destroyed", run_.current);
}

std::uint64_t Streams::number_of(const Value& value, const Type& type, cell::Span span) const {
  const auto* stream = std::get_if<Stream>(&value);
  const auto* event = std::get_if<Event>(&value);
  const auto* zero = std::get_if<language::ScalarValue>(&value);
  const bool null = std::holds_alternative<NullPointer>(value) ||
                    (zero != nullptr && zero->type().is_integer() && zero->as_unsigned() == 0);
  if (null) return 0;
  if (stream != nullptr && type.name == language::kHeldStream)
    return static_cast<std::uint64_t>(device::without_device(stream->id));
  if (event != nullptr && type.name == language::kHeldEvent) return static_cast<std::uint64_t>(event->id);
  throw error(ErrorKind::type,
              fmt::format("expected {}, got {}", type.name == language::kHeldStream ? "a stream" : "an event",
                          snippet(run_.source, span)),
              span);
}

// The member of a struct that is to hold a stream or an event; nothing where a place names its own.
std::optional<Target> Streams::member(const cell::Expression& place, std::string_view type) {
  if (std::holds_alternative<cell::Name>(place.node)) return std::nullopt;
  auto target = frame_.targets.of(place);
  if (frame_.targets.type_of(target).name != type) return std::nullopt;
  return target;
}

device::StreamId Streams::create_stream(const cell::Expression& place, cell::Span span) {
  const auto to = member(place, language::kHeldStream);
  if (!to) return stream(place).id;
  const auto id = session_.streams().make_stream();
  frame_.targets.store(*to, Stream{id, {}}, span);
  return id;
}

void Streams::create_event(const cell::Expression& place, cell::Span span) {
  if (const auto to = member(place, language::kHeldEvent))
    create_event(*to, span);
  else
    event(place);
}

void Streams::create_event(const Target& place, cell::Span span) {
  if (frame_.targets.type_of(place).name == language::kHeldEvent)
    frame_.targets.store(place, Event{session_.streams().make_event(), {}}, span);
}

Stream Streams::stream(const cell::Expression& expression) {
  const auto value = evaluate(expression);
  if (const auto* stream = std::get_if<Stream>(&value)) return *stream;
  return {of(expression, "the initial value of a stream"), "the default stream"};
}

Event Streams::event(const cell::Expression& expression) {
  const auto value = evaluate(expression);
  if (const auto* event = std::get_if<Event>(&value)) return *event;
  throw language::event_expected(frame_.text, expression.span);
}

device::StreamId Streams::of(const cell::Expression& expression, std::string_view what) {
  const auto value = evaluate(expression);
  const auto* stream = std::get_if<Stream>(&value);
  const auto* zero = std::get_if<language::ScalarValue>(&value);
  if (stream != nullptr) return in_capture(stream->id);
  if (std::holds_alternative<NullPointer>(value)) return unnamed(expression.span);
  if (zero == nullptr || !zero->type().is_integer() || zero->as_unsigned() != 0)
    throw error(ErrorKind::type, fmt::format("{} must be a stream", what), expression.span)
        .advise("Declare one: stream s;");
  return unnamed(expression.span);
}

device::StreamId Streams::in_capture(device::StreamId stream) const {
  const auto* capture = session_.submission().capture();
  return capture == nullptr ? stream : capture->in_place_of(stream);
}

device::StreamId Streams::outside_captures() const {
  return device::on_device({}, session_.chosen().order().current());
}

// CUDA's default stream and those that are not cudaStreamNonBlocking wait for each other: a graph cannot contain that.
device::StreamId Streams::unnamed(cell::Span span) const {
  const auto* capture = session_.submission().capture();
  if (capture == nullptr || !capture->of_program()) return session_.submission().default_stream();
  constexpr std::uint32_t kNonBlocking = 1;
  if (session_.streams().flags_of(*capture->captured()) & kNonBlocking) return outside_captures();
  throw error(ErrorKind::value, "the default stream cannot be used while a stream is captured that it waits for", span)
      .advise(
          "Name the captured stream, as in kernel<<<grid, block, 0, s>>>(x); or create it with "
          "cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking): then this runs now, and not with the graph.");
}

void Streams::require_in_capture(device::StreamId stream, cell::Span span) {
  const auto* capture = session_.submission().capture();
  if (capture == nullptr || capture->has(stream)) return;
  if (frame_.graphs.earlier().streams.contains(stream)) return join(stream);
  if (capture->of_program() && stream == outside_captures()) return;  // which unnamed() allowed
  throw error(ErrorKind::value, fmt::format("{} is not part of the graph", snippet(run_.source, span)), span)
      .advise("Join it with an event, record(e); wait(s, e); and join it back: record(f, s); wait(f);");
}

// A stream of an earlier part of the graph is one of this part, too, after what comes before it in the captured stream.
void Streams::join(device::StreamId stream) {
  auto& capture = *session_.submission().capture();
  const auto event = session_.streams().event(kJoin);
  session_.submission().record(event, capture.stream());
  session_.submission().wait(stream, event);
  capture.join(stream);
}

void Streams::bring_together() {
  auto& capture = *session_.submission().capture();
  const auto event = session_.streams().event(kJoin);
  for (const auto stream : capture.members().streams) {
    if (stream == capture.stream()) continue;
    session_.submission().record(event, stream);
    session_.submission().wait(capture.stream(), event);
  }
}

void Streams::forbid_in_capture(std::string_view what, cell::Span span) const {
  if (session_.submission().capture() == nullptr) return;
  throw error(ErrorKind::unsupported, fmt::format("a graph cannot contain {}", what), span)
      .advise("Put it into its own cell, before or after this one.");
}

void Streams::record(const cell::Call& call, cell::Span span) {
  if (call.arguments.empty() || call.arguments.size() > 2)
    throw error(ErrorKind::type, "record takes an event and, optionally, a stream", span)
        .advise("record(e); or record(e, s);");
  record(*call.arguments[0].value, call.arguments.size() == 2 ? call.arguments[1].value.get() : nullptr, span);
}

void Streams::record(const cell::Expression& recorded, const cell::Expression* in, cell::Span span) {
  const auto event = this->event(recorded);
  const auto stream = in != nullptr ? of(*in, "the second argument of record") : unnamed(span);
  require_in_capture(stream, in != nullptr ? in->span : span);
  if (auto* capture = session_.submission().capture(); capture != nullptr && capture->has(stream))
    capture->record(event.id);
  else
    session_.streams().note_recorded(event.id);
  session_.submission().record(event.id, stream);
}

void Streams::wait(const cell::Call& call, cell::Span span) {
  if (call.arguments.empty() || call.arguments.size() > 2)
    throw error(ErrorKind::type, "wait takes an event and, optionally, a stream before it", span)
        .advise("wait(s, e); or wait(e);");
  wait(call.arguments.size() == 2 ? call.arguments[0].value.get() : nullptr, *call.arguments.back().value);
}

void Streams::wait(const cell::Expression* in, const cell::Expression& awaited) {
  const auto stream = in != nullptr ? of(*in, "the first argument of wait") : unnamed(awaited.span);
  const auto event = this->event(awaited);
  if (auto* capture = session_.submission().capture()) {
    if (!capture->has(event.id) && frame_.graphs.earlier().events.contains(event.id))
      return capture->has(stream) ? void() : join(stream);
    if (!capture->has(event.id))
      throw error(ErrorKind::value, fmt::format("{} was recorded outside the graph", event.name), awaited.span)
          .advise("Record it in the cell, before it is waited for.");
    capture->join(stream);
  } else if (!session_.streams().was_recorded(event.id)) {
    throw error(ErrorKind::value, fmt::format("{} was never recorded", event.name), awaited.span)
        .advise(fmt::format("record({0}); or record({0}, s);", event.name));
  }
  session_.submission().wait(stream, event.id);
}

Value Streams::elapsed(const cell::Call& call, cell::Span span) {
  if (call.arguments.size() != 2)
    throw error(ErrorKind::type, "elapsed takes two events", span)
        .advise("elapsed(from, to) is the time between them in milliseconds.");
  return elapsed(*call.arguments[0].value, *call.arguments[1].value, span);
}

Value Streams::elapsed(const cell::Expression& first, const cell::Expression& last, cell::Span span) {
  const auto from = event(first), to = event(last);
  for (const auto* event : {&from, &to})
    if (!session_.streams().was_recorded(event->id))
      throw error(ErrorKind::value, fmt::format("{} was never recorded", event->name), span)
          .advise(fmt::format("record({0}); or record({0}, s);", event->name));
  session_.submission().synchronize();
  return language::ScalarValue::of(static_cast<double>(session_.device().elapsed(from.id, to.id)) * 1e-6);
}

}  // namespace xcuda::interpreter
