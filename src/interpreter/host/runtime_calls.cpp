#include "interpreter/host/runtime_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

#include "interpreter/call_arguments.hpp"
#include "interpreter/format_printf.hpp"
#include "interpreter/host/addresses.hpp"
#include "interpreter/host_calls.hpp"
#include "interpreter/launches/streams.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/session_names.hpp"
#include "interpreter/statements.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {

struct RuntimeCalls::Row {
  std::string_view name;
  Value (RuntimeCalls::*run)(const Arguments&, cell::Span);
};

const RuntimeCalls::Row* RuntimeCalls::row(std::string_view name) {
  using Calls = RuntimeCalls;
  static constexpr Row kRows[] = {
      {"malloc", &Calls::allocate},
      {"calloc", &Calls::allocate},
      {"free", &Calls::release},
      {"cudaMalloc", &Calls::allocate_for},
      {"cudaMallocManaged", &Calls::allocate_for},
      {"cudaMallocHost", &Calls::allocate_for},
      {"cudaHostAlloc", &Calls::allocate_for},
      {"cudaMallocAsync", &Calls::allocate_for},
      {"cudaFree", &Calls::release},
      {"cudaFreeHost", &Calls::release},
      {"cudaFreeAsync", &Calls::release},
      {"memcpy", &Calls::copy},
      {"memmove", &Calls::copy},
      {"memset", &Calls::set},
      {"cudaMemcpy", &Calls::copy},
      {"cudaMemcpyAsync", &Calls::copy_later},
      {"cudaMemset", &Calls::set},
      {"cudaMemsetAsync", &Calls::set_later},
      {"cudaMemcpyToSymbol", &Calls::to_symbol},
      {"cudaMemcpyFromSymbol", &Calls::from_symbol},
      {"cudaDeviceSynchronize", &Calls::wait_for_all},
      {"cudaThreadSynchronize", &Calls::wait_for_all},
      {"cudaDeviceReset", &Calls::wait_for_all},
      {"cudaGetLastError", &Calls::succeed},
      {"cudaPeekAtLastError", &Calls::succeed},
      {"cudaGetErrorString", &Calls::error_text},
      {"cudaGetErrorName", &Calls::error_name},
      {"cudaEventCreate", &Calls::succeed},
      {"cudaEventCreateWithFlags", &Calls::succeed},
      {"cudaEventDestroy", &Calls::succeed},
      {"cudaEventRecord", &Calls::record},
      {"cudaEventSynchronize", &Calls::wait_for_all},
      {"cudaEventElapsedTime", &Calls::elapsed},
      {"cudaStreamCreate", &Calls::succeed},
      {"cudaStreamCreateWithFlags", &Calls::succeed},
      {"cudaStreamDestroy", &Calls::wait_for_all},
      {"cudaStreamSynchronize", &Calls::wait_for_all},
      {"cudaStreamWaitEvent", &Calls::wait_for_event},
      {"cudaSetDevice", &Calls::use_device},
      {"cudaGetDevice", &Calls::device_number},
      {"cudaGetDeviceCount", &Calls::device_count},
      {"rand", &Calls::random},
      {"srand", &Calls::seed},
      {"clock", &Calls::clock},
      {"time", &Calls::time},
      {"exit", &Calls::leave},
      {"fprintf", &Calls::print_to},
      {"fflush", &Calls::succeed},
      {"puts", &Calls::print_line},
  };
  const auto* found =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& one) { return one.name == name; });
  return found == std::end(kRows) ? nullptr : found;
}

Value RuntimeCalls::call(const FunctionCall& of) {
  const auto* function = row(of.row().name);
  if (function == nullptr) throw language::is_initial_value_only(frame_.text, of.row().name, of.span);
  return (this->*function->run)(frame_.call_arguments.bound(of), of.span);
}

namespace {

const Value kSuccess = cell::Value::of(0);

}  // namespace

std::uint64_t RuntimeCalls::size(const cell::Expression& expression, std::string_view what) {
  const auto value = number(expression, what);
  if (!value.is_integer()) throw language::dimension_not_integer(frame_.text, what, value.type(), expression.span);
  if (value.is_negative())
    throw error(ErrorKind::value, fmt::format("{} is negative: {}", what, value.text()), expression.span);
  return value.as_unsigned();
}

const cell::Expression& RuntimeCalls::output(const cell::Expression& expression) const {
  const auto* place = &expression;
  while (const auto* cast = std::get_if<cell::Cast>(&place->node)) place = cast->operand.get();
  const auto* unary = std::get_if<cell::Unary>(&place->node);
  if (unary != nullptr && unary->op == cell::UnaryOperator::address) return *unary->operand;
  throw error(ErrorKind::type,
              fmt::format("expected the address of a variable, got {}", snippet(run_.source, expression.span)),
              expression.span)
      .advise(fmt::format("&{}", snippet(run_.source, expression.span)));
}

// --- memory --------------------------------------------------------------------------------------------------------

Pointer RuntimeCalls::memory(std::uint64_t bytes, cell::Span span) {
  if (bytes == 0) throw error(ErrorKind::value, "memory of 0 bytes", span).advise("Give it at least one element.");
  const auto text = snippet(run_.source, span);
  auto array = session_.arrays().allocate(run_, {text, {"unsigned char", 1, 1, Scalar::uint8}, {bytes}, false, span});
  session_.submission().fill({array.address, bytes, {std::byte{0}}});
  session_.arrays().name_as_unwritten(array);
  return pointer_to(session_.arrays().keep(std::move(array)));
}

Value RuntimeCalls::allocate(const Arguments& given, cell::Span span) {
  auto bytes = size(*given[0], "the size of memory");
  if (given.size() > 1 && __builtin_mul_overflow(bytes, size(*given[1], "the size of an element"), &bytes))
    throw error(ErrorKind::value, "the size of memory overflows 64 bits", span);
  return memory(bytes, span);
}

Value RuntimeCalls::allocate_for(const Arguments& given, cell::Span span) {
  const auto& place = output(*given[0]);
  const auto bytes = size(*given[1], "the size of memory");
  const auto target = frame_.targets.of(place);
  if (auto* const* variable = std::get_if<Variable*>(&target)) {
    const auto* held = std::get_if<Pointer>(&(*variable)->value);
    const auto* name = std::get_if<cell::Name>(&place.node);
    if (held == nullptr || !held->is_address || name == nullptr)
      throw error(ErrorKind::type, fmt::format("{} is not a pointer", snippet(run_.source, place.span)), place.span)
          .advise(fmt::format("Declare it: float* {};", snippet(run_.source, place.span)));
    frame_.addresses.assign(name->text, **variable, memory(bytes, span), span);
    return kSuccess;
  }
  const auto* pointer = std::get_if<Pointer>(&target);
  if (!frame_.targets.type_of(target).name.ends_with('*') || (pointer != nullptr && !pointer->shape.empty()))
    throw error(ErrorKind::type, fmt::format("{} is an array, which has its memory", snippet(run_.source, place.span)),
                place.span)
        .advise(fmt::format("Declare a pointer: float* {};", snippet(run_.source, place.span)));
  auto made = memory(bytes, span);
  const auto type = frame_.targets.type_of(target).name;
  made.type = session_.code().find_type(run_.source, type.substr(0, type.find('*')), place.span);
  frame_.targets.store(target, made, span);
  return kSuccess;
}

Value RuntimeCalls::release(const Arguments& given, cell::Span span) {
  const auto value = evaluate(*given[0]);
  if (std::holds_alternative<NullPointer>(value)) return kSuccess;
  const auto* pointer = std::get_if<Pointer>(&value);
  if (pointer == nullptr) throw language::pointer_expected(frame_.text, form_of(value), given[0]->span);
  const auto* array = session_.arrays().at(pointer->address);
  if (array == nullptr || array->address != pointer->address)
    throw error(ErrorKind::value,
                fmt::format("{} does not point to the beginning of memory", snippet(run_.source, given[0]->span)),
                span);
  session_.arrays().free(std::string(array->name));
  return kSuccess;
}

// --- copies --------------------------------------------------------------------------------------------------------

RuntimeCalls::Side RuntimeCalls::side(const cell::Expression& expression) {
  const auto* place = &expression;
  while (const auto* cast = std::get_if<cell::Cast>(&place->node)) place = cast->operand.get();
  const auto* unary = std::get_if<cell::Unary>(&place->node);
  if (unary != nullptr && unary->op == cell::UnaryOperator::address) {
    const auto target = frame_.targets.of(*unary->operand);
    if (!std::holds_alternative<Pointer>(target) && !std::holds_alternative<Selection>(target)) {
      auto* const* variable = std::get_if<Variable*>(&target);
      if (variable == nullptr || !std::holds_alternative<Pointer>((*variable)->value)) return target;
      throw error(ErrorKind::type, fmt::format("{} is the address of a pointer", snippet(run_.source, expression.span)),
                  expression.span)
          .advise(fmt::format("Write {} for what it points to.", snippet(run_.source, unary->operand->span)));
    }
  }
  return frame_.addresses.of(*place);
}

void RuntimeCalls::require(const Side& side, std::uint64_t bytes, const cell::Expression& expression) {
  const auto* pointer = std::get_if<Pointer>(&side);
  const auto there = pointer != nullptr ? pointer->bytes : frame_.targets.type_of(std::get<Target>(side)).size;
  if (bytes > there)
    throw error(ErrorKind::value,
                fmt::format("{} has {} byte{} there, not {}", snippet(run_.source, expression.span), there,
                            there == 1 ? "" : "s", bytes),
                expression.span);
}

void RuntimeCalls::transfer(const Side& to, const Side& from, std::uint64_t bytes, cell::Span span) {
  if (bytes == 0) return;
  const auto* target = std::get_if<Pointer>(&to);
  const auto* source = std::get_if<Pointer>(&from);
  if (target != nullptr && target->read_only && !target->variable)
    throw language::is_constant(frame_.text, target->owner, span);
  if (target != nullptr && source != nullptr)
    return session_.submission().copy(target->address, source->address, bytes);
  std::vector<std::byte> held;
  if (source != nullptr) {
    held.resize(bytes);
    session_.submission().read(source->address, held);
  } else {
    const auto& host = std::get<Target>(from);
    held = frame_.targets.bytes_of(frame_.targets.load(host), frame_.targets.type_of(host), span);
  }
  if (target != nullptr) return session_.submission().write(target->address, std::span(held).first(bytes));
  const auto& host = std::get<Target>(to);
  const auto type = frame_.targets.type_of(host);
  auto whole = frame_.targets.bytes_of(frame_.targets.load(host), type, span);
  std::copy_n(held.begin(), bytes, whole.begin());
  frame_.targets.store(host, frame_.targets.load(type, whole), span);
}

Value RuntimeCalls::copy(const Arguments& given, cell::Span span) {
  constexpr std::uint64_t kKinds = 5;
  const auto bytes = size(*given[2], "the number of bytes");
  if (given.size() > 3 && size(*given[3], "the kind of a copy") >= kKinds)
    throw error(ErrorKind::value, fmt::format("{} is not a kind of copy", snippet(run_.source, given[3]->span)),
                given[3]->span)
        .advise("cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice or cudaMemcpyDefault");
  const auto to = side(*given[0]), from = side(*given[1]);
  require(to, bytes, *given[0]);
  require(from, bytes, *given[1]);
  transfer(to, from, bytes, span);
  return kSuccess;
}

// In the order of its stream, which is all that a program can see of it.
Value RuntimeCalls::copy_later(const Arguments& given, cell::Span span) {
  if (given[4] != nullptr) frame_.streams.of(*given[4], "the last argument of cudaMemcpyAsync");
  if (given[4] != nullptr) session_.submission().synchronize();
  const Arguments four(given.begin(), given.begin() + 4);
  return copy(four, span);
}

Value RuntimeCalls::set(const Arguments& given, cell::Span span) {
  const auto to = frame_.addresses.of(*given[0]);
  const auto value = number(*given[1], "the value of the bytes");
  const auto bytes = size(*given[2], "the number of bytes");
  require(to, bytes, *given[0]);
  if (to.read_only && !to.variable) throw language::is_constant(frame_.text, to.owner, span);
  if (bytes > 0) session_.submission().fill({to.address, bytes, {static_cast<std::byte>(value.as_unsigned() & 0xffu)}});
  return kSuccess;
}

Value RuntimeCalls::set_later(const Arguments& given, cell::Span span) {
  if (given[3] != nullptr) frame_.streams.of(*given[3], "the last argument of cudaMemsetAsync");
  if (given[3] != nullptr) session_.submission().synchronize();
  return set(given, span);
}

Pointer RuntimeCalls::symbol(const cell::Expression& expression, const cell::Expression* offset) {
  const auto* name = std::get_if<cell::Name>(&expression.node);
  auto value = name == nullptr ? Value(Nothing{}) : frame_.lookup.value(*name, expression.span);
  auto* variable = std::get_if<Pointer>(&value);
  if (variable == nullptr || !variable->variable)
    throw error(ErrorKind::type,
                fmt::format("{} is not a __device__ or __constant__ variable", snippet(run_.source, expression.span)),
                expression.span);
  const auto by = offset == nullptr ? 0 : size(*offset, "the offset");
  if (by > variable->bytes)
    throw error(ErrorKind::value,
                fmt::format("{} has {} bytes", snippet(run_.source, expression.span), variable->bytes), offset->span);
  variable->address += by;
  variable->bytes -= by;
  return std::move(*variable);
}

Value RuntimeCalls::to_symbol(const Arguments& given, cell::Span span) {
  const auto bytes = size(*given[2], "the number of bytes");
  const Side to = symbol(*given[0], given[3]), from = side(*given[1]);
  require(to, bytes, *given[0]);
  require(from, bytes, *given[1]);
  transfer(to, from, bytes, span);
  return kSuccess;
}

Value RuntimeCalls::from_symbol(const Arguments& given, cell::Span span) {
  const auto bytes = size(*given[2], "the number of bytes");
  const Side to = side(*given[0]), from = symbol(*given[1], given[3]);
  require(to, bytes, *given[0]);
  require(from, bytes, *given[1]);
  transfer(to, from, bytes, span);
  return kSuccess;
}

// --- waiting, events, the device -----------------------------------------------------------------------------------

Value RuntimeCalls::wait_for_all(const Arguments& given, cell::Span) {
  for (const auto* one : given)
    if (one != nullptr) evaluate(*one);
  session_.submission().synchronize();
  return kSuccess;
}

Value RuntimeCalls::succeed(const Arguments&, cell::Span) { return kSuccess; }

Value RuntimeCalls::error_text(const Arguments& given, cell::Span) {
  return std::string(size(*given[0], "an error") == 0 ? "no error" : "unrecognized error code");
}

Value RuntimeCalls::error_name(const Arguments& given, cell::Span) {
  return std::string(size(*given[0], "an error") == 0 ? "cudaSuccess" : "unrecognized error code");
}

Value RuntimeCalls::record(const Arguments& given, cell::Span span) {
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

Value RuntimeCalls::use_device(const Arguments& given, cell::Span) {
  if (size(*given[0], "a device") != 0)
    throw error(ErrorKind::value, "the session has one device, 0", given[0]->span)
        .advise("%device gpu:1 switches the device and moves the arrays.");
  return kSuccess;
}

Value RuntimeCalls::device_number(const Arguments& given, cell::Span span) {
  frame_.targets.store(frame_.targets.of(output(*given[0])), cell::Value::of(0), span);
  return kSuccess;
}

Value RuntimeCalls::device_count(const Arguments& given, cell::Span span) {
  frame_.targets.store(frame_.targets.of(output(*given[0])), cell::Value::of(1), span);
  return kSuccess;
}

// --- the C library -------------------------------------------------------------------------------------------------

Value RuntimeCalls::random(const Arguments&, cell::Span) { return cell::Value::of(std::rand()); }

Value RuntimeCalls::seed(const Arguments& given, cell::Span) {
  std::srand(static_cast<unsigned>(number(*given[0], "the seed").as_unsigned()));
  return Nothing{};
}

Value RuntimeCalls::clock(const Arguments&, cell::Span) { return cell::Value::of(static_cast<long>(std::clock())); }

Value RuntimeCalls::time(const Arguments& given, cell::Span span) {
  const auto now = cell::Value::of(static_cast<long>(std::time(nullptr)));
  const auto value = std::holds_alternative<cell::Unary>(given[0]->node) ? Value(Nothing{}) : evaluate(*given[0]);
  const auto* zero = std::get_if<cell::Value>(&value);
  if (!std::holds_alternative<NullPointer>(value) && (zero == nullptr || zero->truth()))
    frame_.targets.store(frame_.targets.of(output(*given[0])), now, span);
  return now;
}

Value RuntimeCalls::leave(const Arguments& given, cell::Span span) {
  const auto status = number(*given[0], "the status");
  if (status.truth()) throw error(ErrorKind::assertion, fmt::format("exit({})", status.text()), span);
  frame_.statements.end();
  return Nothing{};
}

Value RuntimeCalls::print_to(const Arguments& given, cell::Span span) {
  const auto file = number(*given[0], "the file");
  const auto which = file.as_unsigned() == 2 ? OutputStream::err : OutputStream::out;
  frame_.host_calls.print(which, std::span(given).subspan(1), span);
  return Nothing{};
}

Value RuntimeCalls::print_line(const Arguments& given, cell::Span) {
  const auto value = evaluate(*given[0]);
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr)
    throw error(ErrorKind::type, fmt::format("{} is not a text", snippet(run_.source, given[0]->span)), given[0]->span);
  run_.sink.stream(OutputStream::out, *text + "\n");
  return Nothing{};
}

}  // namespace xcuda::interpreter
