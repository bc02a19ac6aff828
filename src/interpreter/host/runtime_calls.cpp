#include "interpreter/host/runtime_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <thread>
#include <utility>

#include "cell/expression_root.hpp"
#include "interpreter/elements.hpp"
#include "interpreter/format_printf.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "interpreter/host/c_random.hpp"
#include "interpreter/host/device_calls.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host_calls.hpp"
#include "interpreter/launches/launched_calls.hpp"
#include "interpreter/launches/launches.hpp"
#include "interpreter/launches/streams.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/session_names.hpp"
#include "interpreter/statements.hpp"
#include "language/complaints.hpp"
#include "language/constants.hpp"

namespace xcuda::interpreter {

Value RuntimeCalls::call(const FunctionCall& of) {
  using language::Operation;
  const auto given = frame_.call_arguments.bound(of);
  const auto span = of.span;
  switch (of.row().operation) {
    case Operation::allocate: return allocate(given, span);
    case Operation::release: return release(given, span);
    case Operation::allocate_for: return allocate_for(given, span);
    case Operation::copy_memory: return copy(given, span);
    case Operation::compare_memory: return compare(given, span);
    case Operation::set_memory: return set(given, span);
    case Operation::copy_memory_later: return copy_later(given, span);
    case Operation::set_memory_later: return set_later(given, span);
    case Operation::allocate_rows: return allocate_rows(given, span);
    case Operation::copy_rows: return copy_rows(given, span);
    case Operation::device_address: return device_address(given, span);
    case Operation::symbol_address: return symbol_address(given, span);
    case Operation::launch_kernel: return launch_kernel(of.row().name, given, span);
    case Operation::copy_to_symbol: return to_symbol(given, span);
    case Operation::copy_from_symbol: return from_symbol(given, span);
    case Operation::wait_for_all: return wait_for_all(given, span);
    case Operation::succeed: return succeed(given, span);
    case Operation::error_text: return error_text(given, span);
    case Operation::error_name: return error_name(given, span);
    case Operation::record_event: return record(given, span);
    case Operation::elapsed_time: return elapsed(given, span);
    case Operation::wait_for_event: return wait_for_event(given, span);
    case Operation::random_number: return random(given, span);
    case Operation::seed: return seed(given, span);
    case Operation::clock: return clock(given, span);
    case Operation::time: return time(given, span);
    case Operation::time_of_day: return time_of_day(given, span);
    case Operation::time_of_clock: return time_of_clock(given, span);
    case Operation::wall_time: return wall_time();
    case Operation::processors: return language::ScalarValue::of(static_cast<int>(std::thread::hardware_concurrency()));
    case Operation::one_thread: return language::ScalarValue::of(1);
    case Operation::first_thread: return language::ScalarValue::of(0);
    case Operation::leave: return leave(given, span);
    case Operation::print_to: return print_to(of.row().name, given, span);
    case Operation::print_character: return print_character(given);
    case Operation::print_text: return print_text(given, span);
    case Operation::format_text: return format_text(of.row().name, given, span);
    case Operation::copy_text: return copy_text(of.row().name, given, span);
    case Operation::character: return character(of.row().name, *given[0]);
    case Operation::update: return update(of.row().name, given, span);
    case Operation::exchange_if: return exchange_if(of.row().name, given, span);
    case Operation::no_input: return language::ScalarValue::of(EOF);
    case Operation::print_line: return print_line(given, span);
    default: break;
  }
  if (language::is_of_device(of.row().operation)) return frame_.device_calls.call(of.row().operation, given, span);
  throw error(ErrorKind::internal, fmt::format("{} has no evaluator", of.row().name), span);
}

namespace {

const Value kSuccess = language::ScalarValue::of(0);
constexpr std::string_view kUnknownError = "unrecognized error code";

}  // namespace

std::uint64_t RuntimeCalls::size(const cell::Expression& expression, std::string_view what) {
  const auto value = number(expression, what);
  if (!value.is_integer() && !value.is_floating())
    throw language::dimension_not_integer(frame_.text, what, value.type(), expression.span);
  if (value.is_negative())
    throw error(ErrorKind::value, fmt::format("{} is negative: {}", what, value.text()), expression.span);
  return value.as_unsigned();
}

const cell::Expression& RuntimeCalls::output(const cell::Expression& expression) {
  const auto* place = &cell::without_casts(expression);
  const auto* unary = std::get_if<cell::Unary>(&place->node);
  if (unary != nullptr && unary->op == cell::UnaryOperator::address) return *unary->operand;
  if (const auto* pointee = frame_.addresses.pointee(*place)) return *pointee;
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
  session_.submission().name_range(unwritten_range(array));
  return pointer_to(session_.arrays().keep(std::move(array)));
}

Value RuntimeCalls::allocate(const Arguments& given, cell::Span span) {
  auto bytes = size(*given[0], "the size of memory");
  if (given.size() > 1 && __builtin_mul_overflow(bytes, size(*given[1], "the size of an element"), &bytes))
    throw error(ErrorKind::value, "the size of memory overflows 64 bits", span);
  return memory(bytes, span);
}

// (operator new)(n, sizeof(T), T(1, 2))
Value RuntimeCalls::allocate_for(const Arguments& given, cell::Span span) {
  const auto bytes = size(*given[1], "the size of memory");
  give_memory(output(*given[0]), bytes, span);
  return kSuccess;
}

// cudaMallocPitch(&p, &pitch, width, height): rows begin at multiples of the pitch.
Value RuntimeCalls::allocate_rows(const Arguments& given, cell::Span span) {
  constexpr std::uint64_t kAlignment = 512;  // bytes, as GPUs have it
  const auto width = size(*given[2], "the bytes of a row"), rows = size(*given[3], "the number of rows");
  std::uint64_t pitch = 0, bytes = 0;
  if (__builtin_add_overflow(width, kAlignment - 1, &pitch) ||
      __builtin_mul_overflow(pitch / kAlignment * kAlignment, rows, &bytes))
    throw error(ErrorKind::value, "the size of memory overflows 64 bits", span);
  give_memory(output(*given[0]), bytes, span);
  frame_.targets.store(frame_.targets.of(output(*given[1])), language::ScalarValue::of(pitch / kAlignment * kAlignment),
                       span);
  return kSuccess;
}

// cudaHostGetDevicePointer(&p, memory, 0)
Value RuntimeCalls::device_address(const Arguments& given, cell::Span span) {
  give_memory(output(*given[0]), frame_.addresses.of(*given[1]), span);
  return kSuccess;
}

Value RuntimeCalls::symbol_address(const Arguments& given, cell::Span span) {
  auto place = symbol(*given[1], nullptr);
  place.shape = {place.bytes / std::max<std::size_t>(place.type.size, 1)};
  give_memory(output(*given[0]), std::move(place), span);
  return kSuccess;
}

// void* args[] = {&x, &n}; cudaLaunchKernel((void*)kernel, grid, block, args, 0, stream): the launch that it means.
Value RuntimeCalls::launch_kernel(std::string_view name, const Arguments& given, cell::Span span) {
  const auto* made = frame_.launched_calls.launch(name, given, span);
  const auto mode = frame_.options.mode;
  if (name == "cudaLaunchCooperativeKernel") frame_.options.mode = device::LaunchMode::cooperative;
  frame_.launches.run(*made, span);
  frame_.options.mode = mode;
  return kSuccess;
}

void RuntimeCalls::give_memory(const cell::Expression& place, std::uint64_t bytes, cell::Span span) {
  give_memory(place, memory(bytes, span), span);
}

void RuntimeCalls::give_memory(const cell::Expression& place, Pointer memory, cell::Span span) {
  const auto target = frame_.targets.of(place);
  if (auto* const* variable = std::get_if<Variable*>(&target)) {
    const auto* held = std::get_if<Pointer>(&(*variable)->value);
    const auto* name = std::get_if<cell::Name>(&place.node);
    if (held == nullptr || !held->is_address || name == nullptr)
      throw error(ErrorKind::type, fmt::format("{} is not a pointer", snippet(run_.source, place.span)), place.span)
          .advise(fmt::format("Declare it: float* {};", snippet(run_.source, place.span)));
    frame_.addresses.assign(name->text, **variable, std::move(memory), span);
    return;
  }
  const auto* pointer = std::get_if<Pointer>(&target);
  if (!frame_.targets.type_of(target).name.ends_with('*') || (pointer != nullptr && !pointer->shape.empty()))
    throw error(ErrorKind::type, fmt::format("{} is an array, which has its memory", snippet(run_.source, place.span)),
                place.span)
        .advise(fmt::format("Declare a pointer: float* {};", snippet(run_.source, place.span)));
  const auto type = frame_.targets.type_of(target).name;
  memory.type = session_.code().find_type(run_.source, type.substr(0, type.find('*')), place.span);
  frame_.targets.store(target, memory, span);
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
  const auto* place = &cell::without_casts(expression);
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
  const auto* name = std::get_if<cell::Name>(&place->node);
  const auto* named = name == nullptr ? nullptr : session_.names().find(name->text);
  if (named != nullptr || std::holds_alternative<cell::StringLiteral>(place->node))
    if (const auto value = named != nullptr ? named->value : evaluate(*place);
        std::holds_alternative<std::string>(value))
      return std::string(std::get<std::string>(value)).append(1, '\0');
  return frame_.addresses.of(*place);
}

std::uint64_t RuntimeCalls::size_of(const Side& side) {
  if (const auto* pointer = std::get_if<Pointer>(&side)) return pointer->bytes;
  if (const auto* text = std::get_if<std::string>(&side)) return text->size();
  return frame_.targets.type_of(std::get<Target>(side)).size;
}

void RuntimeCalls::require(const Side& side, std::uint64_t bytes, const cell::Expression& expression) {
  const auto there = size_of(side);
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
  const auto held = bytes_of(from, bytes, span);
  if (target != nullptr) return session_.submission().write(target->address, held);
  write(to, held, span);
}

std::vector<std::byte> RuntimeCalls::bytes_of(const Side& side, std::uint64_t count, cell::Span span) {
  std::vector<std::byte> held(count);
  if (const auto* memory = std::get_if<Pointer>(&side)) {
    session_.submission().read(memory->address, held);
  } else if (const auto* text = std::get_if<std::string>(&side)) {
    std::memcpy(held.data(), text->data(), count);
  } else {
    const auto& host = std::get<Target>(side);
    held = frame_.targets.bytes_of(frame_.targets.load(host), frame_.targets.type_of(host), span);
    held.resize(count);
  }
  return held;
}

Value RuntimeCalls::compare(const Arguments& given, cell::Span span) {
  const auto count = size(*given[2], "the number of bytes");
  const auto first = side(*given[0]), second = side(*given[1]);
  require(first, count, *given[0]);
  require(second, count, *given[1]);
  if (count == 0) return language::ScalarValue::of(0);
  const auto a = bytes_of(first, count, span), b = bytes_of(second, count, span);
  return language::ScalarValue::of(std::memcmp(a.data(), b.data(), count));
}

void RuntimeCalls::write(const Side& to, std::span<const std::byte> bytes, cell::Span span) {
  const auto* host = std::get_if<Target>(&to);
  if (host == nullptr)
    throw error(ErrorKind::type, "cannot write to a string literal: declare an array, char text[64];", span);
  const auto type = frame_.targets.type_of(*host);
  auto whole = frame_.targets.bytes_of(frame_.targets.load(*host), type, span);
  std::copy(bytes.begin(), bytes.end(), whole.begin());
  frame_.targets.store(*host, frame_.targets.load(type, whole), span);
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

// cudaMemcpy2D(to, pitch, from, pitch, width, height, kind)
Value RuntimeCalls::copy_rows(const Arguments& given, cell::Span span) {
  const auto width = size(*given[4], "the bytes of a row"), rows = size(*given[5], "the number of rows");
  const auto to_pitch = size(*given[1], "a pitch"), from_pitch = size(*given[3], "a pitch");
  for (const auto* pitch : {given[1], given[3]})
    if (width > size(*pitch, "a pitch"))
      throw error(ErrorKind::value, fmt::format("a row of {} bytes is longer than the pitch", width), pitch->span);
  if (width == 0 || rows == 0) return kSuccess;
  auto to = frame_.addresses.of(*given[0]), from = frame_.addresses.of(*given[2]);
  const auto needed = [&](std::uint64_t pitch) {
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(pitch, rows - 1, &bytes) || __builtin_add_overflow(bytes, width, &bytes))
      throw error(ErrorKind::value, "the number of bytes overflows 64 bits", span);
    return bytes;
  };
  require(to, needed(to_pitch), *given[0]);
  require(from, needed(from_pitch), *given[2]);
  if (to.read_only && !to.variable) throw language::is_constant(frame_.text, to.owner, span);
  if (width == to_pitch && width == from_pitch)
    return session_.submission().copy(to.address, from.address, width * rows), kSuccess;
  for (std::uint64_t row = 0; row < rows; ++row)
    session_.submission().copy(to.address + row * to_pitch, from.address + row * from_pitch, width);
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
  const auto side = this->side(*given[0]);
  const auto value = static_cast<std::byte>(number(*given[1], "the value of the bytes").as_unsigned() & 0xffu);
  const auto bytes = size(*given[2], "the number of bytes");
  require(side, bytes, *given[0]);
  const auto* to = std::get_if<Pointer>(&side);
  if (to == nullptr) return write(side, std::vector<std::byte>(bytes, value), span), kSuccess;
  if (to->read_only && !to->variable) throw language::is_constant(frame_.text, to->owner, span);
  if (bytes > 0) session_.submission().fill({to->address, bytes, {value}});
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

// --- waiting and events --------------------------------------------------------------------------------------------

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

}  // namespace xcuda::interpreter
