// Streams, events and errors of the CUDA Runtime, as host programs use them.
#include <fmt/format.h>

#include <utility>

#include "cell/expression_root.hpp"
#include "cell/method.hpp"
#include "interpreter/calls.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/runtime_calls.hpp"
#include "interpreter/launches/launch_graphs.hpp"
#include "interpreter/launches/streams.hpp"
#include "language/constants.hpp"

namespace xcuda::interpreter {
namespace {

constexpr std::string_view kUnknownError = "unrecognized error code";

}  // namespace

Value RuntimeCalls::wait_for_all(const Arguments& given, cell::Span) {
  for (const auto* one : given)
    if (one != nullptr) evaluate(*one);
  session_.submission().synchronize();
  return kSuccess;
}

Value RuntimeCalls::succeed(const Arguments&, cell::Span) { return kSuccess; }

Value RuntimeCalls::error_text(const Arguments& given, cell::Span) {
  const auto* known = language::find_runtime_error(number(*given[0], "an error").as_signed());
  return std::string(known == nullptr ? kUnknownError : known->text);
}

Value RuntimeCalls::error_name(const Arguments& given, cell::Span) {
  const auto* known = language::find_runtime_error(number(*given[0], "an error").as_signed());
  return std::string(known == nullptr ? kUnknownError : known->name);
}

// cudaGetLastError(), cudaPeekAtLastError(). An error of a launch ends its cell: it is not seen here.
Value RuntimeCalls::last_error(std::string_view name) {
  return language::ScalarValue::of(name == "cudaGetLastError" ? std::exchange(last_error_, 0) : last_error_);
}

Value RuntimeCalls::failed(std::string_view error) {
  const auto number = language::known_constant(error).value();
  last_error_ = static_cast<int>(number.as_signed());
  return number;
}

// cudaEventRecordWithFlags(e, stream, flags), too
Value RuntimeCalls::record(const Arguments& given, cell::Span span) {
  if (given.size() > 2 && given[2] != nullptr && external(*given[2], "cudaEventRecord")) {
    const auto event = frame_.streams.event(*given[0]);
    frame_.graphs.add_step(
        [&] {
          return GraphTable::Step{nullptr, nullptr, event, {}};
        },
        frame_.streams.of(*given[1], "the stream of an event"), span);
    return kSuccess;
  }
  frame_.streams.record(*given[0], given[1], span);
  return kSuccess;
}

// Whether flags say that an event of a captured graph is also one for work outside of it. what: how the names of the
// flags begin.
bool RuntimeCalls::external(const cell::Expression& flags, std::string_view what) {
  const auto value = size(flags, "flags");
  if (value == 0) return false;
  if (value > 1)
    throw error(ErrorKind::value, fmt::format("{} is neither {}Default nor {}External", value, what, what), flags.span);
  const auto* capture = session_.submission().capture();
  if (capture != nullptr && capture->of_program()) return true;
  throw error(ErrorKind::value, fmt::format("{}External is for a stream that is captured", what), flags.span)
      .advise(fmt::format("Leave the flags out, or write {}Default.", what));
}

// A wait for an event that was never recorded has nothing to wait for, as in CUDA.
Value RuntimeCalls::wait_for_event(const Arguments& given, cell::Span span) {
  const auto event = frame_.streams.event(*given[1]);
  if (given[2] != nullptr && external(*given[2], "cudaEventWait")) {
    frame_.graphs.add_step(
        [&] {
          return GraphTable::Step{nullptr, nullptr, {}, event};
        },
        frame_.streams.of(*given[0], "the stream of a wait"), span);
    return kSuccess;
  }
  if (session_.submission().capture() != nullptr || session_.streams().was_recorded(event.id))
    frame_.streams.wait(given[0], *given[1]);
  return kSuccess;
}

Value RuntimeCalls::elapsed(const Arguments& given, cell::Span span) {
  const auto target = frame_.targets.of(output(*given[0]));
  frame_.targets.store(target, frame_.streams.elapsed(*given[1], *given[2], span), span);
  return kSuccess;
}

// cudaStreamCreate(&s), cudaStreamCreateWithFlags(&s, flags), cudaStreamCreateWithPriority(&s, flags, priority): the
// declaration makes the stream. A priority outside of the range, 0 to 0, becomes the nearest one in it, as in CUDA.
Value RuntimeCalls::create_stream(const Arguments& given, cell::Span span) {
  const auto flags = given.size() > 1 ? size(*given[1], "flags") : 0;
  if (flags > 1)
    throw error(ErrorKind::value, fmt::format("{} are not flags of a stream", snippet(run_.source, given[1]->span)),
                given[1]->span)
        .advise("cudaStreamDefault or cudaStreamNonBlocking");
  if (given.size() > 2) number(*given[2], "a priority");
  session_.streams().set_flags(frame_.streams.create_stream(output(*given[0]), span),
                               static_cast<std::uint32_t>(flags));
  return kSuccess;
}

// cudaStreamDestroy(s), cudaEventDestroy(e): a stream or an event lives as long as the variable that names it; one that
// only structs hold ends here.
Value RuntimeCalls::end_handle(const Arguments& given, cell::Span) {
  const auto value = evaluate(*given[0]);
  if (const auto* event = std::get_if<Event>(&value)) return session_.streams().end_made(event->id), kSuccess;
  session_.submission().synchronize();
  if (const auto* stream = std::get_if<Stream>(&value)) session_.streams().end_made(stream->id);
  return kSuccess;
}

// cudaEventCreate(&e), cudaEventCreateWithFlags(&e, flags)
Value RuntimeCalls::create_event(const Arguments& given, cell::Span span) {
  constexpr std::uint64_t kAllFlags = 7;
  if (given.size() > 1 && size(*given[1], "flags") > kAllFlags)
    throw error(ErrorKind::value, fmt::format("{} are not flags of an event", snippet(run_.source, given[1]->span)),
                given[1]->span)
        .advise("cudaEventDefault, cudaEventBlockingSync, cudaEventDisableTiming, cudaEventInterprocess");
  const auto& pointer = cell::without_casts(*given[0]);
  if (std::holds_alternative<cell::Unary>(pointer.node) || frame_.addresses.pointee(pointer) != nullptr)
    frame_.streams.create_event(output(pointer), span);
  else
    frame_.streams.create_event(target_of(pointer), span);  // e + 1
  return kSuccess;
}

// cudaStreamGetFlags(s, &flags) and its kin
Value RuntimeCalls::describe_stream(std::string_view name, const Arguments& given, cell::Span span) {
  const auto stream = frame_.streams.of(*given[0], fmt::format("the first argument of {}", name));
  const auto number = name == "cudaStreamGetFlags"      ? session_.streams().flags_of(stream)
                      : name == "cudaStreamGetPriority" ? 0u
                      : name == "cudaStreamGetId"       ? static_cast<std::uint32_t>(stream)
                      : name == "cudaStreamGetDevice"   ? device::device_of(stream)
                                                        : std::uint32_t{frame_.graphs.captures(stream)};
  frame_.targets.store(frame_.targets.of(output(*given[1])), language::ScalarValue::of(number), span);
  return kSuccess;
}

// cudaLaunchHostFunc(s, f, data), cudaStreamAddCallback(s, f, data, 0): f(data) or f(s, cudaSuccess, data), once the
// work of the streams is done. The statement waits for that, and for the function.
Value RuntimeCalls::call_in_stream(std::string_view name, const Arguments& given, cell::Span span) {
  const auto stream = frame_.streams.of(*given[0], fmt::format("the first argument of {}", name));
  const bool callback = name == "cudaStreamAddCallback";
  const auto* capture = session_.submission().capture();
  if (!callback && capture != nullptr && capture->of_program()) {
    frame_.graphs.add_step([&] { return frame_.graphs.step_of(*given[1], evaluate(*given[2])); }, stream, span);
    return kSuccess;
  }
  frame_.streams.forbid_in_capture("calls of functions of the host", span);
  if (callback && size(*given[3], "flags") != 0)
    throw error(ErrorKind::value, "the flags of a callback are 0", given[3]->span);
  auto& made = called_[given[1]];
  if (made == nullptr) {
    const auto* function = &cell::without_casts(*given[1]);
    const auto* address = std::get_if<cell::Unary>(&function->node);
    if (address != nullptr && address->op == cell::UnaryOperator::address) function = address->operand.get();
    cell::Call call;
    call.callee = cell::copy_of(*function);
    if (callback) {
      call.arguments.push_back({{}, {}, cell::copy_of(*given[0])});
      auto success = std::make_unique<cell::Expression>();
      success->span = given[0]->span;
      success->node = cell::IntegerLiteral{};
      call.arguments.push_back({{}, {}, std::move(success)});
    }
    call.arguments.push_back({{}, {}, cell::copy_of(*given[2])});
    made = std::make_unique<cell::Expression>();
    made->span = span;
    made->node = std::move(call);
  }
  session_.submission().synchronize();
  evaluate(*made);
  return kSuccess;
}

}  // namespace xcuda::interpreter
