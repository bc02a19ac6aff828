// Streams, events and errors of the CUDA Runtime, as host programs use them.
#include <fmt/format.h>

#include <utility>

#include "cell/expression_root.hpp"
#include "cell/method.hpp"
#include "interpreter/calls.hpp"
#include "interpreter/host/runtime_calls.hpp"
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
  if (given.size() > 2 && given[2] != nullptr && size(*given[2], "flags") != 0)
    throw error(ErrorKind::unsupported, "an event is recorded without flags here", given[2]->span)
        .advise("Write cudaEventRecordDefault; cudaEventRecordExternal is of graphs that programs capture.");
  frame_.streams.record(*given[0], given[1], span);
  return kSuccess;
}

Value RuntimeCalls::wait_for_event(const Arguments& given, cell::Span) {
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
Value RuntimeCalls::create_stream(const Arguments& given, cell::Span) {
  const auto flags = given.size() > 1 ? size(*given[1], "flags") : 0;
  if (flags > 1)
    throw error(ErrorKind::value, fmt::format("{} are not flags of a stream", snippet(run_.source, given[1]->span)),
                given[1]->span)
        .advise("cudaStreamDefault or cudaStreamNonBlocking");
  if (given.size() > 2) number(*given[2], "a priority");
  session_.streams().set_flags(frame_.streams.stream(output(*given[0])).id, static_cast<std::uint32_t>(flags));
  return kSuccess;
}

// cudaStreamGetFlags(s, &flags) and its kin
Value RuntimeCalls::describe_stream(std::string_view name, const Arguments& given, cell::Span span) {
  const auto stream = frame_.streams.of(*given[0], fmt::format("the first argument of {}", name));
  const auto* capture = session_.submission().capture();
  const auto number = name == "cudaStreamGetFlags"      ? session_.streams().flags_of(stream)
                      : name == "cudaStreamGetPriority" ? 0u
                      : name == "cudaStreamGetId"       ? static_cast<std::uint32_t>(stream)
                      : name == "cudaStreamGetDevice"   ? device::device_of(stream)
                                                        : std::uint32_t{capture != nullptr && capture->has(stream)};
  frame_.targets.store(frame_.targets.of(output(*given[1])), language::ScalarValue::of(number), span);
  return kSuccess;
}

// cudaLaunchHostFunc(s, f, data), cudaStreamAddCallback(s, f, data, 0): f(data) or f(s, cudaSuccess, data), once the
// work of the streams is done. The statement waits for that, and for the function.
Value RuntimeCalls::call_in_stream(std::string_view name, const Arguments& given, cell::Span span) {
  frame_.streams.of(*given[0], fmt::format("the first argument of {}", name));
  frame_.streams.forbid_in_capture("calls of functions of the host", span);
  const bool callback = name == "cudaStreamAddCallback";
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
