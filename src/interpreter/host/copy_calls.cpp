// Copies and fills of the C library and the CUDA Runtime, and what is done to variables of device code.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "cell/expression_root.hpp"
#include "interpreter/devices/devices.hpp"
#include "interpreter/host/box_calls.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/runtime_calls.hpp"
#include "interpreter/launches/streams.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/session_names.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {

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

// Also the address that a pointer holds: cudaMemcpy(&d_list->data, &d_data, sizeof(float*), ...).
RuntimeCalls::Side RuntimeCalls::source_side(const cell::Expression& expression) {
  const auto* unary = std::get_if<cell::Unary>(&cell::without_casts(expression).node);
  const auto* name = unary != nullptr && unary->op == cell::UnaryOperator::address
                         ? std::get_if<cell::Name>(&unary->operand->node)
                         : nullptr;
  const auto* variable = name == nullptr ? nullptr : session_.names().find(name->text);
  const auto* pointer = variable == nullptr ? nullptr : std::get_if<Pointer>(&variable->value);
  const bool null = variable != nullptr && std::holds_alternative<NullPointer>(variable->value);
  if (!null && (pointer == nullptr || !pointer->is_address)) return side(expression);
  const auto address = pointer == nullptr ? device::Address{0} : pointer->address;
  return std::string(reinterpret_cast<const char*>(&address), sizeof address);
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

void RuntimeCalls::require_writable(const Pointer& memory, cell::Span span) const {
  if (memory.read_only && !memory.variable) throw language::is_constant(frame_.text, memory.owner, span);
}

void RuntimeCalls::transfer(const Side& to, const Side& from, std::uint64_t bytes, cell::Span span) {
  if (bytes == 0) return;
  const auto* target = std::get_if<Pointer>(&to);
  const auto* source = std::get_if<Pointer>(&from);
  if (target != nullptr) require_writable(*target, span);
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

std::vector<std::byte> RuntimeCalls::read(const cell::Expression& from, std::uint64_t bytes) {
  const auto held = side(from);
  require(held, bytes, from);
  return bytes_of(held, bytes, from.span);
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

void RuntimeCalls::require_kind(const cell::Expression& expression) {
  require_kind(size(expression, "the kind of a copy"), expression.span);
}

void RuntimeCalls::require_kind(std::uint64_t kind, cell::Span span) {
  constexpr std::uint64_t kKinds = 5;
  if (kind < kKinds) return;
  throw error(ErrorKind::value, fmt::format("{} is not a kind of copy", kind), span)
      .advise("cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice or cudaMemcpyDefault");
}

// What an ...Async call does comes in the order of its stream, which is all that a program can see of it.
RuntimeCalls::InStream::InStream(RuntimeCalls& calls, const Arguments& given, std::size_t at) : calls_(calls) {
  if (given.size() <= at) return;
  auto& streams = calls.frame_.streams;
  const auto span = given[at] != nullptr ? given[at]->span : given[0]->span;
  const auto stream =
      given[at] != nullptr ? streams.of(*given[at], "the last argument of an Async call") : streams.unnamed(span);
  auto* capture = calls.session_.submission().capture();
  if (capture == nullptr) {
    if (given[at] != nullptr) calls.session_.submission().synchronize();
    return;
  }
  streams.require_in_capture(stream, span);
  capture->go_to(stream);
}

// cudaMemcpy() and the others that name no stream
RuntimeCalls::InStream::InStream(RuntimeCalls& calls, const language::Function& row, cell::Span span) : calls_(calls) {
  using language::Operation;
  constexpr Operation kMoves[] = {Operation::copy_memory,      Operation::set_memory,   Operation::copy_rows,
                                  Operation::set_rows,         Operation::copy_between, Operation::copy_to_symbol,
                                  Operation::copy_from_symbol, Operation::copy_box,     Operation::set_box};
  const std::string_view name = row.name;
  auto* capture = calls.session_.submission().capture();
  if (capture != nullptr && name.starts_with("cuda") && !name.ends_with("Async") &&
      std::find(std::begin(kMoves), std::end(kMoves), row.operation) != std::end(kMoves))
    capture->go_to(calls.frame_.streams.unnamed(span));
}

RuntimeCalls::InStream::~InStream() {
  if (auto* capture = calls_.session_.submission().capture()) capture->go_to(capture->stream());
}

void RuntimeCalls::copy_bytes(const cell::Expression& to, const cell::Expression& from, std::uint64_t bytes,
                              cell::Span span, std::optional<std::uint64_t> kind) {
  const auto target = side(to), source = source_side(from);
  if (kind) require_direction(*kind, target, source, to, from, span);
  require(target, bytes, to);
  require(source, bytes, from);
  transfer(target, source, bytes, span);
}

namespace {

constexpr std::string_view kKindNames[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost",
                                           "cudaMemcpyDeviceToDevice", "cudaMemcpyDefault"};

}  // namespace

// Memory that is on one side alone, by what made it: nothing for what both sides reach, as the arrays of cells.
std::optional<bool> RuntimeCalls::is_on_device(const Side& side) const {
  const auto* pointer = std::get_if<Pointer>(&side);
  if (pointer == nullptr) return false;
  const auto* array = session_.arrays().at(pointer->address);
  if (array == nullptr || array->registered) return std::nullopt;
  if (array->origin == Array::Origin::device) return true;
  return array->origin == Array::Origin::host ? std::optional(false) : std::nullopt;
}

// CUDA refuses a kind that the addresses do not agree with.
void RuntimeCalls::require_direction(std::uint64_t kind, const Side& to, const Side& from,
                                     const cell::Expression& target, const cell::Expression& source,
                                     cell::Span span) const {
  if (kind >= std::size(kKindNames) - 1) return;
  const bool from_device = kind / 2 == 1, to_device = kind % 2 == 1;
  const auto reads = is_on_device(from), writes = is_on_device(to);
  constexpr std::string_view kMemory[] = {"host memory", "device memory"};
  const auto refuse = [&](std::string_view what, const cell::Expression& place, const std::optional<bool>& there) {
    // Of memory that both sides reach, the other one is meant.
    const bool reads_device = reads ? *reads : !*writes, writes_device = writes ? *writes : !*reads;
    const auto right = 2 * static_cast<int>(reads_device) + static_cast<int>(writes_device);
    const auto is = static_cast<std::size_t>(*there);
    throw error(ErrorKind::value,
                fmt::format("{} {} {}, but {} is {}", kKindNames[kind], what, kMemory[1 - is],
                            snippet(run_.source, place.span), kMemory[is]),
                span)
        .advise(fmt::format("Write {}, or cudaMemcpyDefault, which goes by the addresses.",
                            kKindNames[static_cast<std::size_t>(right)]));
  };
  if (writes && *writes != to_device) refuse("writes to", target, writes);
  if (reads && *reads != from_device) refuse("reads from", source, reads);
}

Value RuntimeCalls::copy(const Arguments& given, cell::Span span) {
  const auto bytes = size(*given[2], "the number of bytes");
  constexpr std::uint64_t kByAddresses = std::size(kKindNames) - 1;
  const auto kind = given.size() > 3 ? size(*given[3], "the kind of a copy") : kByAddresses;
  if (given.size() > 3) require_kind(kind, given[3]->span);
  const InStream order(*this, given, 4);
  copy_bytes(*given[0], *given[1], bytes, span, kind);
  return kSuccess;
}

Value RuntimeCalls::box(const FunctionCall& of, const Arguments& given) {
  using language::Operation;
  BoxCalls boxes(frame_);
  if (of.row().operation == Operation::make_struct) return boxes.make_struct(of.row().name, given, of.span);
  if (of.row().operation == Operation::allocate_box) return boxes.allocate(given, of.span);
  const bool copies = of.row().operation == Operation::copy_box;
  const InStream order(*this, given, copies ? 1 : 3);
  if (!copies) return boxes.set(given, of.span);
  if (const auto copy = boxes.copy(*given[0]); copy.post) copy.post(session_.submission());
  return kSuccess;
}

// cudaMemcpyPeer(to, device, from, device, bytes): all devices of the session reach its arrays.
Value RuntimeCalls::copy_between(const Arguments& given, cell::Span span) {
  frame_.devices.number_of(*given[1]);
  frame_.devices.number_of(*given[3]);
  const auto bytes = size(*given[4], "the number of bytes");
  const InStream order(*this, given, 5);
  copy_bytes(*given[0], *given[2], bytes, span);
  return kSuccess;
}

// The bytes from the beginning of the first row to the end of the last one.
std::uint64_t RuntimeCalls::bytes_of_rows(const cell::Expression& pitch, std::uint64_t width, std::uint64_t rows,
                                          cell::Span span) {
  const auto step = size(pitch, "a pitch");
  if (width > step)
    throw error(ErrorKind::value, fmt::format("a row of {} bytes is longer than the pitch", width), pitch.span);
  std::uint64_t bytes = 0;
  if (rows > 0 && (__builtin_mul_overflow(step, rows - 1, &bytes) || __builtin_add_overflow(bytes, width, &bytes)))
    throw error(ErrorKind::value, "the number of bytes overflows 64 bits", span);
  return bytes;
}

// cudaMemcpy2D(to, pitch, from, pitch, width, height, kind)
Value RuntimeCalls::copy_rows(const Arguments& given, cell::Span span) {
  const auto width = size(*given[4], "the bytes of a row"), rows = size(*given[5], "the number of rows");
  const auto to_pitch = size(*given[1], "a pitch"), from_pitch = size(*given[3], "a pitch");
  const auto written = bytes_of_rows(*given[1], width, rows, span), read = bytes_of_rows(*given[3], width, rows, span);
  require_kind(*given[6]);
  const InStream order(*this, given, 7);
  if (width == 0 || rows == 0) return kSuccess;
  const auto to = frame_.addresses.of(*given[0]), from = frame_.addresses.of(*given[2]);
  require(to, written, *given[0]);
  require(from, read, *given[2]);
  require_writable(to, span);
  if (width == to_pitch && width == from_pitch)
    return session_.submission().copy(to.address, from.address, width * rows), kSuccess;
  for (std::uint64_t row = 0; row < rows; ++row)
    session_.submission().copy(to.address + row * to_pitch, from.address + row * from_pitch, width);
  return kSuccess;
}

Value RuntimeCalls::set(const Arguments& given, cell::Span span) {
  const auto side = this->side(*given[0]);
  const auto value = byte(*given[1]);
  const auto bytes = size(*given[2], "the number of bytes");
  const InStream order(*this, given, 3);
  require(side, bytes, *given[0]);
  const auto* to = std::get_if<Pointer>(&side);
  if (to == nullptr) return write(side, std::vector<std::byte>(bytes, value), span), kSuccess;
  require_writable(*to, span);
  if (bytes > 0) session_.submission().fill({to->address, bytes, {value}});
  return kSuccess;
}

std::byte RuntimeCalls::byte(const cell::Expression& value) {
  return static_cast<std::byte>(number(value, "the value of the bytes").as_unsigned() & 0xffu);
}

// cudaMemset2D(to, pitch, value, width, height)
Value RuntimeCalls::set_rows(const Arguments& given, cell::Span span) {
  const auto width = size(*given[3], "the bytes of a row"), rows = size(*given[4], "the number of rows");
  const auto pitch = size(*given[1], "a pitch"), bytes = bytes_of_rows(*given[1], width, rows, span);
  const auto value = byte(*given[2]);
  const InStream order(*this, given, 5);
  if (width == 0 || rows == 0) return kSuccess;
  const auto to = frame_.addresses.of(*given[0]);
  require(to, bytes, *given[0]);
  require_writable(to, span);
  if (width == pitch) return session_.submission().fill({to.address, bytes, {value}}), kSuccess;
  for (std::uint64_t row = 0; row < rows; ++row) session_.submission().fill({to.address + row * pitch, width, {value}});
  return kSuccess;
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

Value RuntimeCalls::copy_symbol(const Arguments& given, SymbolCopy which, cell::Span span) {
  const auto bytes = size(*given[2], "the number of bytes");
  if (given[4] != nullptr) require_kind(*given[4]);
  const InStream order(*this, given, 5);
  const Side to = which == SymbolCopy::to ? symbol(*given[0], given[3]) : side(*given[0]);
  const Side from = which == SymbolCopy::from ? symbol(*given[1], given[3]) : side(*given[1]);
  require(to, bytes, *given[0]);
  require(from, bytes, *given[1]);
  transfer(to, from, bytes, span);
  return kSuccess;
}

// cudaGetSymbolAddress(&p, symbol)
Value RuntimeCalls::symbol_address(const Arguments& given, cell::Span span) {
  auto place = symbol(*given[1], nullptr);
  place.shape = {place.bytes / std::max<std::size_t>(place.type.size, 1)};
  give_memory(output(*given[0]), std::move(place), span);
  return kSuccess;
}

Value RuntimeCalls::symbol_size(const Arguments& given, cell::Span span) {
  const auto bytes = language::ScalarValue::of(symbol(*given[1], nullptr).bytes);
  frame_.targets.store(frame_.targets.of(output(*given[0])), bytes, span);
  return kSuccess;
}

}  // namespace xcuda::interpreter
