#include "interpreter/host/runtime_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <thread>
#include <utility>

#include "cell/expression_root.hpp"
#include "interpreter/devices/devices.hpp"
#include "interpreter/elements.hpp"
#include "interpreter/format_printf.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "interpreter/host/c_random.hpp"
#include "interpreter/host/device_calls.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host_calls.hpp"
#include "interpreter/launches/configured_launches.hpp"
#include "interpreter/launches/launch_graphs.hpp"
#include "interpreter/launches/launched_calls.hpp"
#include "interpreter/launches/launches.hpp"
#include "interpreter/launches/streams.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/session_names.hpp"
#include "interpreter/statements.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {

Value RuntimeCalls::call(const FunctionCall& of) {
  using language::Operation;
  const auto given = frame_.call_arguments.bound(of);
  const auto span = of.span;
  const InStream unnamed(*this, of.row(), span);
  switch (of.row().operation) {
    case Operation::allocate: return allocate(of.row().name, given, span);
    case Operation::release: return release(given, span);
    case Operation::allocate_for: return allocate_for(of.row().name, given, span);
    case Operation::copy_memory: return copy(given, span);
    case Operation::compare_memory: return compare(given, span);
    case Operation::set_memory: return set(given, span);
    case Operation::allocate_rows: return allocate_rows(given, span);
    case Operation::copy_rows: return copy_rows(given, span);
    case Operation::copy_between: return copy_between(given, span);
    case Operation::set_rows: return set_rows(given, span);
    case Operation::make_struct:
    case Operation::allocate_box:
    case Operation::copy_box:
    case Operation::set_box: return box(of, given);
    case Operation::device_address: return device_address(given, span);
    case Operation::symbol_address: return symbol_address(given, span);
    case Operation::symbol_size: return symbol_size(given, span);
    case Operation::pool_attribute: return pool_attribute(of.row().name, given, span);
    case Operation::prefetch: return prefetch(given, span);
    case Operation::advise: return advise(given, span);
    case Operation::pin: return pin(given, span);
    case Operation::unpin: return unpin(given, span);
    case Operation::memory_attributes: return memory_attributes(given, span);
    case Operation::create_stream: return create_stream(given, span);
    case Operation::end_handle: return end_handle(given, span);
    case Operation::create_event: return create_event(given, span);
    case Operation::describe_stream: return describe_stream(of.row().name, given, span);
    case Operation::call_in_stream: return call_in_stream(of.row().name, given, span);
    case Operation::launch_kernel: return launch_kernel(of.row().name, given, span);
    case Operation::launch_configured: ConfiguredLaunches(frame_).run(of.row().name, given, span); return kSuccess;
    case Operation::copy_to_symbol: return copy_symbol(given, SymbolCopy::to, span);
    case Operation::copy_from_symbol: return copy_symbol(given, SymbolCopy::from, span);
    case Operation::wait_for_all: return wait_for_all(given, span);
    case Operation::succeed: return succeed(given, span);
    case Operation::error_text: return error_text(given, span);
    case Operation::error_name: return error_name(given, span);
    case Operation::last_error: return last_error(of.row().name);
    case Operation::graph: return frame_.graphs.call(of.row().name, given, span);
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
    case Operation::number_of_text: return number_of_text(of.row().name, given, span);
    case Operation::scan_text: return scan_text(given, span);
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

Pointer RuntimeCalls::memory(std::uint64_t bytes, Array::Origin origin, cell::Span span) {
  if (bytes == 0) throw error(ErrorKind::value, "memory of 0 bytes", span).advise("Give it at least one element.");
  const auto text = snippet(run_.source, span);
  auto array = session_.arrays().allocate(run_, {text, {"unsigned char", 1, 1, Scalar::uint8}, {bytes}, false, span});
  session_.submission().fill({array.address, bytes, {std::byte{0}}});
  session_.submission().name_range(unwritten_range(array));
  array.origin = origin;
  return pointer_to(session_.arrays().keep(std::move(array)));
}

Value RuntimeCalls::allocate(std::string_view name, const Arguments& given, cell::Span span) {
  if (name == "aligned_alloc") {
    require_alignment(*given[0]);
    return memory(size(*given[1], "the size of memory"), Array::Origin::host, span);
  }
  auto bytes = size(*given[0], "the size of memory");
  if (given.size() > 1 && __builtin_mul_overflow(bytes, size(*given[1], "the size of an element"), &bytes))
    throw error(ErrorKind::value, "the size of memory overflows 64 bits", span);
  return memory(bytes, Array::Origin::host, span);
}

// (operator new)(n, sizeof(T), T(1, 2))
void RuntimeCalls::require_alignment(const cell::Expression& alignment) {
  if (const auto wanted = size(alignment, "an alignment"); !std::has_single_bit(wanted))
    throw error(ErrorKind::value, fmt::format("an alignment is a power of two, got {}", wanted), alignment.span);
}

Value RuntimeCalls::allocate_for(std::string_view name, const Arguments& given, cell::Span span) {
  using Origin = Array::Origin;
  if (name == "posix_memalign") {
    require_alignment(*given[1]);
    give_memory(output(*given[0]), memory(size(*given[2], "the size of memory"), Origin::host, span), span);
    return kSuccess;
  }
  const auto bytes = size(*given[1], "the size of memory");
  if (name == "cudaMallocFromPoolAsync") frame_.devices.number_of(*given[2]);  // each has one pool
  const auto origin = name == "cudaMallocManaged"                           ? Origin::managed
                      : name == "cudaMallocHost" || name == "cudaHostAlloc" ? Origin::pinned
                                                                            : Origin::device;
  give_memory(output(*given[0]), memory(bytes, origin, span), span);
  return kSuccess;
}

// cudaMallocPitch(&p, &pitch, width, height): rows begin at multiples of the pitch.
Value RuntimeCalls::allocate_rows(const Arguments& given, cell::Span span) {
  const auto width = size(*given[2], "the bytes of a row"), rows = size(*given[3], "the number of rows");
  const auto pitch = pitch_of(width, span);
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(pitch, rows, &bytes))
    throw error(ErrorKind::value, "the size of memory overflows 64 bits", span);
  give_memory(output(*given[0]), memory(bytes, Array::Origin::device, span), span);
  frame_.targets.store(frame_.targets.of(output(*given[1])), language::ScalarValue::of(pitch), span);
  return kSuccess;
}

std::uint64_t RuntimeCalls::pitch_of(std::uint64_t width, cell::Span span) const {
  constexpr std::uint64_t kAlignment = 512;  // bytes, as GPUs have it
  std::uint64_t pitch = 0;
  if (__builtin_add_overflow(width, kAlignment - 1, &pitch))
    throw error(ErrorKind::value, "the size of memory overflows 64 bits", span);
  return pitch / kAlignment * kAlignment;
}

Object RuntimeCalls::struct_of(const cell::Expression& given, std::string_view type) {
  const auto value = evaluate(given);
  const auto* object = std::get_if<Object>(&value);
  if (object != nullptr && object->type == session_.code().find_type(run_.source, std::string(type), given.span))
    return *object;
  throw error(ErrorKind::type, fmt::format("expected a {}, got {}", type, snippet(run_.source, given.span)),
              given.span);
}

Object RuntimeCalls::struct_at(const cell::Expression& pointer, std::string_view type) {
  const auto value = frame_.targets.load(target_of(pointer));
  const auto* object = std::get_if<Object>(&value);
  if (object != nullptr && object->type == session_.code().find_type(run_.source, std::string(type), pointer.span))
    return *object;
  throw error(ErrorKind::type,
              fmt::format("expected the address of a {}, got {}", type, snippet(run_.source, pointer.span)),
              pointer.span)
      .advise(fmt::format("{} p = {{}}; declares one; give &p.", type));
}

// cudaHostGetDevicePointer(&p, memory, 0)
Value RuntimeCalls::device_address(const Arguments& given, cell::Span span) {
  give_memory(output(*given[0]), frame_.addresses.of(*given[1]), span);
  return kSuccess;
}

// void* args[] = {&x, &n}; cudaLaunchKernel((void*)kernel, grid, block, args, 0, stream): the launch that it means.
Value RuntimeCalls::launch_kernel(std::string_view name, const Arguments& given, cell::Span span) {
  const auto* made = frame_.launched_calls.launch(name, given, span);
  LaunchManner manner = frame_.options;
  if (name == "cudaLaunchCooperativeKernel") manner.mode = device::LaunchMode::cooperative;
  frame_.launches.run(*made, span, manner);
  return kSuccess;
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

}  // namespace xcuda::interpreter
