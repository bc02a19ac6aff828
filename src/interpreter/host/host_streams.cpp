#include "interpreter/host/host_streams.hpp"

#include <fmt/format.h>

#include <complex>
#include <iomanip>
#include <string_view>
#include <utility>

#include "interpreter/host/host_function_calls.hpp"
#include "interpreter/host/host_texts.hpp"
#include "interpreter/native/native_code.hpp"
#include "interpreter/records/exceptions.hpp"
#include "interpreter/records/records.hpp"
#include "interpreter/session_names.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {
namespace {

constexpr std::int64_t kWidest = 4096;  // of a field, and digits of a number

using Flag = std::ios_base& (*)(std::ios_base&);
Flag flag_of(std::string_view name) {
  static constexpr std::pair<std::string_view, Flag> kFlags[] = {
      {"std::fixed", std::fixed},
      {"std::scientific", std::scientific},
      {"std::hexfloat", std::hexfloat},
      {"std::defaultfloat", std::defaultfloat},
      {"std::hex", std::hex},
      {"std::dec", std::dec},
      {"std::oct", std::oct},
      {"std::left", std::left},
      {"std::right", std::right},
      {"std::internal", std::internal},
      {"std::boolalpha", std::boolalpha},
      {"std::noboolalpha", std::noboolalpha},
      {"std::showpos", std::showpos},
      {"std::noshowpos", std::noshowpos},
      {"std::showpoint", std::showpoint},
      {"std::noshowpoint", std::noshowpoint},
      {"std::showbase", std::showbase},
      {"std::noshowbase", std::noshowbase},
      {"std::uppercase", std::uppercase},
      {"std::nouppercase", std::nouppercase},
      {"std::unitbuf", std::unitbuf},
      {"std::nounitbuf", std::nounitbuf},
  };
  for (const auto& [known, flag] : kFlags)
    if (known == name) return flag;
  return nullptr;
}

}  // namespace

void OutputStreams::write(const language::StreamOutput& output) {
  // What an operand prints itself, as a function does, comes between the others.
  const auto name = output.stream == language::StreamName::out ? cout_ : output.stream;
  auto& stream = of(name);
  for (const auto* operand : output.operands)
    if (!add_known(stream, *operand)) {
      print(name);
      add(stream, name, *operand);
    }
  print(name);
}

// A text in quotes or a manipulator, which have no effects and no errors; false: another expression.
bool OutputStreams::add_known(std::ostream& stream, const cell::Expression& operand) {
  if (const auto* text = std::get_if<cell::StringLiteral>(&operand.node)) return stream << text->value, true;
  const auto* name = std::get_if<cell::Name>(&operand.node);
  const auto* row = name == nullptr ? nullptr : language::manipulator_of(operand);
  if (row == nullptr || session_.names().find(name->text) != nullptr) return false;
  set(stream, *row, nullptr);
  return true;
}

void OutputStreams::write(std::ostream& stream, const cell::Expression& operand) {
  if (!add_known(stream, operand)) add(stream, std::nullopt, operand);
}

void OutputStreams::print(language::StreamName name) {
  auto& stream = of(name);
  const auto text = stream.str();
  stream.str({});
  if (!text.empty())
    frame_.native_code.print(name == language::StreamName::out ? OutputStream::out : OutputStream::err, text);
}

bool OutputStreams::call(const cell::Call& call, const cell::Member& member) {
  const auto name = language::find_stream(*member.base);
  if (!name) return false;
  const auto* row = language::manipulator_of_member(member.member);
  if (row == nullptr || call.arguments.size() != (row->takes_argument() ? 1u : 0u))
    throw language::unknown_stream_member(frame_.text, member, call.callee->span);
  set(of(*name), *row, row->takes_argument() ? call.arguments[0].value.get() : nullptr);
  return true;
}

void OutputStreams::set(std::ostream& stream, const language::ManipulatorRow& row, const cell::Expression* argument) {
  const auto given = argument == nullptr ? std::int64_t{0} : number(*argument, row.name).as_signed();
  const bool counts = row.does == language::Manipulator::width || row.does == language::Manipulator::precision;
  if (counts && (given < 0 || given > kWidest))
    throw error(ErrorKind::value, fmt::format("expected 0 to {}, got {}", kWidest, given), argument->span);
  switch (row.does) {
    case language::Manipulator::flag: flag_of(row.name)(stream); return;
    case language::Manipulator::line_end: stream << '\n'; return;
    case language::Manipulator::flush: return;
    case language::Manipulator::null: stream << '\0'; return;
    case language::Manipulator::width: stream << std::setw(static_cast<int>(given)); return;
    case language::Manipulator::precision: stream << std::setprecision(static_cast<int>(given)); return;
    case language::Manipulator::fill: stream << std::setfill(static_cast<char>(given)); return;
  }
}

// What the operator prints on the stream that it is given goes to this one.
bool OutputStreams::add_object(language::StreamName name, const Value& value, cell::Span span) {
  const auto* object = std::get_if<Object>(&value);
  const auto* record = std::get_if<Container>(&value);
  if (object == nullptr && record == nullptr) return false;
  const auto before = std::exchange(cout_, name);
  const auto print = [&] {
    return record != nullptr ? frame_.records.print(*record, span) : frame_.host_function_calls.print(*object, span);
  };
  return Exceptions::finishing(print, [&] { cout_ = before; });
}

void OutputStreams::add(std::ostream& stream, std::optional<language::StreamName> name,
                        const cell::Expression& operand) {
  if (const auto* call = std::get_if<cell::Call>(&operand.node))
    if (const auto* row = language::manipulator_of(operand)) return set(stream, *row, call->arguments[0].value.get());
  const auto value = evaluate(operand);
  if (name && add_object(*name, value, operand.span)) return;
  if (const auto text = frame_.texts.of(value)) {
    stream << *text;
  } else if (const auto* number = std::get_if<language::ScalarValue>(&value)) {
    add_number(stream, *number);
  } else if (const auto* pointer = std::get_if<Pointer>(&value)) {
    stream << fmt::format("{:#x}", pointer->address);
  } else if (std::holds_alternative<NullPointer>(value)) {
    stream << '0';
  } else {
    throw language::not_streamed(frame_.text, form_of(value), operand.span);
  }
}

void OutputStreams::add_number(std::ostream& stream, const language::ScalarValue& value) {
  switch (value.kind()) {
    case language::Kind::boolean: stream << value.truth(); return;
    case language::Kind::char8:
    case language::Kind::int8:
    case language::Kind::uint8: stream << static_cast<char>(value.as_signed()); return;
    case language::Kind::int16: stream << static_cast<short>(value.as_signed()); return;
    case language::Kind::uint16: stream << static_cast<unsigned short>(value.as_unsigned()); return;
    case language::Kind::int32: stream << static_cast<int>(value.as_signed()); return;
    case language::Kind::uint32: stream << static_cast<unsigned>(value.as_unsigned()); return;
    case language::Kind::long64:
    case language::Kind::llong64: stream << value.as_signed(); return;
    case language::Kind::ulong64:
    case language::Kind::ullong64: stream << value.as_unsigned(); return;
    case language::Kind::float16:
    case language::Kind::bfloat16:
    case language::Kind::float32:
    case language::Kind::float64: stream << value.as_real(); return;
    case language::Kind::complex64:
    case language::Kind::complex128: stream << std::complex<double>(value.as_real(), value.imaginary()); return;
  }
}

}  // namespace xcuda::interpreter
