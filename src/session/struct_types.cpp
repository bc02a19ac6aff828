// Types that cells define: their layout, from the compiler, and their members.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "base/text.hpp"
#include "cell/container_types.hpp"
#include "cell/type_word.hpp"
#include "language/answers.hpp"
#include "language/device_properties.hpp"
#include "session/device_code.hpp"

namespace xcuda::session {
namespace {

// "float [2][3]": "float" and {2, 3}. "void (*[3])(int)": a pointer to a function and {3}.
std::pair<std::string, std::vector<std::uint64_t>> split_extents(std::string_view spelling) {
  std::vector<std::uint64_t> shape;
  const bool functions = is_function_pointer(spelling);
  if (functions) spelling = spelling.substr(0, spelling.find(')'));
  const auto bracket = spelling.find('[');
  for (auto at = bracket; at != std::string_view::npos; at = spelling.find('[', at + 1)) {
    std::uint64_t extent = 0;
    std::from_chars(spelling.data() + at + 1, spelling.data() + spelling.size(), extent);
    shape.push_back(extent);
  }
  if (functions) return {std::string(kFunctionPointer), std::move(shape)};
  return {std::string(trim(spelling.substr(0, bracket))), std::move(shape)};
}

// To statements an enumeration is its underlying integer, under its own name.
Type plain_type(const compiler::TypeLayout& layout) {
  if (is_function_pointer(layout.type)) return function_pointer();
  using Enumeration = compiler::TypeLayout::Enumeration;
  static constexpr Scalar kSigned[] = {Scalar::int8, Scalar::int16, Scalar::int32, Scalar::int64};
  static constexpr Scalar kUnsigned[] = {Scalar::uint8, Scalar::uint16, Scalar::uint32, Scalar::uint64};
  Type type{layout.type, layout.size, layout.alignment};
  if (layout.enumeration == Enumeration::no || layout.size == 0) return type;
  const auto width = std::min<unsigned>(static_cast<unsigned>(std::bit_width(layout.size)) - 1, 3);
  type.scalar = layout.enumeration == Enumeration::of_signed ? kSigned[width] : kUnsigned[width];
  return type;
}

}  // namespace

DeviceCode::KnownType* DeviceCode::layout_of(const std::string& spelling, std::string& why) {
  if (const auto cached = types_.find(spelling); cached != types_.end()) return &cached->second;
  for (auto& [other, known] : types_)
    if (known.layout.type == spelling) return &known;
  auto query = program_.type_query(spelling, options());
  using language::DevicePropertyRow;
  const bool of_device = spelling == language::kDeviceProperties && query.type_query->members.empty();
  if (of_device) query.type_query->members = language::device_property_members(DevicePropertyRow::Until::cuda12);
  auto output = compile(query);
  if (of_device && output.type_layout && output.type_layout->members.empty()) {  // CUDA 13 has fewer
    query.type_query->members = language::device_property_members(DevicePropertyRow::Until::today);
    output = compile(query);
  }
  if (output.ok && output.type_layout) return &(types_[spelling] = {*output.type_layout});
  for (const auto& diagnostic : output.diagnostics)
    if (diagnostic.severity == compiler::Severity::error) {
      why = diagnostic.text;
      break;
    }
  return nullptr;
}

// "8 bytes: float x, float y"; of a nested struct with its own in braces.
std::string DeviceCode::layout_text(const compiler::TypeLayout& layout, std::size_t level) {
  constexpr std::size_t kMaxLevels = 32;
  std::string members;
  for (const auto& member : layout.members) {
    const auto [spelling, shape] = split_extents(member.type);
    std::string extents, inside, why;
    for (const auto extent : shape) extents += fmt::format("[{}]", extent);
    const bool pointer = spelling.ends_with('*') || is_function_pointer(spelling);
    if (!xcuda::find_type(spelling) && !pointer && level < kMaxLevels)
      if (const auto* inner = layout_of(spelling, why); inner != nullptr && !inner->layout.members.empty())
        inside = fmt::format(" {{{}}}", layout_text(inner->layout, level + 1));
    members += fmt::format("{}{}{} {}{} at {}", members.empty() ? ": " : ", ", spelling, inside, member.name, extents,
                           member.offset);
  }
  return fmt::format("{} bytes{}", layout.size, members);
}

Type DeviceCode::type_of(KnownType& known) {
  auto type = plain_type(known.layout);
  if (type.scalar != Scalar::none || known.layout.members.empty()) return type;
  if (known.number == 0) {
    auto text = fmt::format("{}: {}", type.name, layout_text(known.layout));
    const auto before = std::find(layouts_.begin(), layouts_.end(), text);
    known.number = static_cast<std::uint32_t>(before - layouts_.begin()) + 1;
    if (before == layouts_.end()) layouts_.push_back(std::move(text));
  }
  type.layout = known.number;
  return type;
}

void DeviceCode::require_current(const Source& source, const Type& type, const std::string& what, cell::Span span) {
  if (type.layout == 0) return;
  std::string why;
  auto* known = layout_of(type.name, why);
  if (known == nullptr) return;  // the name is gone, and nothing else has it
  const auto now = type_of(*known);
  if (now.layout == type.layout) return;
  throw Error(ErrorKind::type, fmt::format("{} was declared before {} was changed", what, type.name))
      .at(source.place(span))
      .note(fmt::format("then {}", layouts_[type.layout - 1]))
      .note(fmt::format("now {}",
                        now.layout == 0 ? fmt::format("{}: {} bytes", type.name, now.size) : layouts_[now.layout - 1]))
      .advise(fmt::format("Declare {} again, or define {} as it was.", what, type.name));
}

DeviceCode::TypeAnswer DeviceCode::try_find_type(const Source& source, const std::string& spelling, cell::Span span) {
  if (const auto known = xcuda::find_type(spelling)) return {*known, {}};
  // An element that is a stream or an event: each place in memory has one of its own, and its bytes mean nothing.
  if (const auto word = cell::type_word(spelling); word == cell::TypeWord::stream || word == cell::TypeWord::event)
    return {{word == cell::TypeWord::stream ? "cudaStream_t" : "cudaEvent_t", sizeof(device::Address),
             alignof(device::Address)},
            {}};
  if (is_function_pointer(spelling)) return {function_pointer(), {}};
  if (const auto record = cell::record_name(spelling); !record.empty())
    return {{},
            Error(ErrorKind::unsupported, fmt::format("{} is a struct that only the host has, without a size or an "
                                                      "address that statements know",
                                                      record))
                .at(source.place(span))
                .advise("Use values and references: auto& r = v[0]; and an index in the place of a pointer. A cell "
                        "with %%cuda runs all of C++.")};
  if (spelling.ends_with('*')) return {{spelling, sizeof(device::Address), alignof(device::Address)}, {}};
  std::string why;
  auto* known = layout_of(spelling, why);
  if (known == nullptr) {
    auto error =
        Error(ErrorKind::name, fmt::format("the type {} is not defined", spelling)).at(source.place(span)).said(why);
    if (const auto answer = language::host_code_answer(spelling)) {
      error =
          Error(ErrorKind::unsupported, fmt::format("{} is not declared in a cell", spelling)).at(source.place(span));
      return {{}, std::move(error).advise(answer->advice)};
    }
    std::vector<std::string> names = {"bool",    "char",     "short",    "int",      "long",    "unsigned", "float",
                                      "double",  "half",     "size_t",   "int8_t",   "int16_t", "int32_t",  "int64_t",
                                      "uint8_t", "uint16_t", "uint32_t", "uint64_t", "float2",  "float3",   "float4",
                                      "int2",    "int3",     "int4",     "double2"};
    for (const auto& row : cell::kTypeWords) names.emplace_back(row.text);
    if (const auto near = nearest(spelling, names); !near.empty())
      error.advice = fmt::format("Did you mean {}?", near);
    else
      error.advice =
          spelling.starts_with("std::")
              ? "Statements have std::string, std::vector, std::array, std::pair, std::tuple and std::chrono. A "
                "cell with %%cuda runs all of C++."
              : "Define a struct in a cell first.";
    return {{}, std::move(error)};
  }
  if (const auto alias = xcuda::find_type(known->layout.type)) return {*alias, {}};
  return {type_of(*known), {}};
}

Type DeviceCode::find_type(const Source& source, const std::string& spelling, cell::Span span) {
  auto answer = try_find_type(source, spelling, span);
  if (answer.error) throw std::move(*answer.error);
  return std::move(answer.type);
}

void DeviceCode::require_same_struct(const Source& source, const Kernel& kernel, const Type& type, cell::Span span) {
  if (type.layout == 0) return;
  const auto changed = program_.replaced_own(kernel.module->origin, type.name);
  if (!changed) return;
  throw Error(ErrorKind::type, fmt::format("{} uses the {} of its own cell, {}, but {} defines another",
                                           kernel.signature->name, type.name, kernel.module->source, changed->source))
      .at(source.place(span))
      .advise(fmt::format("Define {} again, after {}.", kernel.signature->name, type.name));
}

namespace {

// What cudaDeviceProp had before CUDA 13, clockRate and others, for the programs of that time: they take the room that
// is reserved at its end.
void add_old_properties(const Type& type, std::vector<StructMember>& members) {
  auto offset = type.size;
  for (const auto& name : language::device_property_members(language::DevicePropertyRow::Until::cuda12)) {
    const bool known = std::any_of(members.begin(), members.end(), [&](const auto& one) { return one.name == name; });
    if (!known && offset > 0) members.push_back({name, xcuda::type_of(Scalar::int32), {}, offset -= sizeof(int)});
  }
}

}  // namespace

std::vector<StructMember> DeviceCode::members_of(const Type& type) {
  std::vector<StructMember> members;
  if (type.scalar != Scalar::none || type.name.ends_with('*') || is_function_pointer(type.name)) return members;
  std::string why;
  auto* known = layout_of(type.name, why);
  // A value of before the type was defined anew has other members: nothing is known of them.
  if (known == nullptr || known->layout.size != type.size ||
      (type.layout != 0 && type_of(*known).layout != type.layout))
    return members;
  const auto listed = known->layout.members;  // of nested types more layouts come
  for (const auto& member : listed) {
    auto [spelling, shape] = split_extents(member.type);
    StructMember found{member.name, {}, std::move(shape), member.offset};
    if (const auto known = xcuda::find_type(spelling)) {
      found.type = *known;
    } else if (is_function_pointer(spelling)) {
      found.type = function_pointer();
    } else if (spelling.ends_with('*')) {
      found.type = {spelling, sizeof(device::Address), alignof(device::Address)};
    } else if (auto* inner = layout_of(spelling, why)) {
      found.type = type_of(*inner);
    } else {
      found.type = {spelling, member.size};  // bytes that only the device understands
    }
    members.push_back(std::move(found));
  }
  if (type.name == language::kDeviceProperties) add_old_properties(type, members);
  return members;
}

// For display: members of members by their whole names, "a.x".
std::vector<display::RecordField> DeviceCode::fields_of(const Type& type, std::size_t level) {
  constexpr std::size_t kMaxLevels = 32;
  std::vector<display::RecordField> fields;
  if (parts_.current.run == nullptr) return fields;
  if (level > kMaxLevels)
    throw Error(ErrorKind::unsupported, fmt::format("cannot show structs nested deeper than {} levels", kMaxLevels))
        .advise("Show one of their members: x[0].inner.");
  for (const auto& member : members_of(type)) {
    std::uint64_t count = 1;
    for (const auto extent : member.shape) count *= extent;
    const auto inner =
        member.type.scalar == Scalar::none ? fields_of(member.type, level + 1) : std::vector<display::RecordField>{};
    if (inner.empty()) fields.push_back({member.name, member.type, member.offset, count});
    for (std::uint64_t i = 0; i < count && !inner.empty(); ++i)
      for (const auto& field : inner) {
        const auto name = member.shape.empty() ? fmt::format("{}.{}", member.name, field.name)
                                               : fmt::format("{}[{}].{}", member.name, i, field.name);
        fields.push_back({name, field.type, member.offset + i * member.type.size + field.offset, field.count});
      }
  }
  return fields;
}

}  // namespace xcuda::session
