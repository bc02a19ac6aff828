#include "interpreter/launches/launch_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <span>

#include "arrays/convert.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "display/compile_report.hpp"

namespace xcuda::interpreter {

using namespace arrays;

namespace {

using compiler::KernelSignature;
using compiler::Parameter;
using display::declared_type;

double as_real(const Number& number) {
  return std::visit([](auto value) { return static_cast<double>(value); }, number);
}

class Checker {
 public:
  Checker(const KernelSignature& kernel, const Source& source) : kernel_(kernel), source_(source) {}

  // Writes one argument into its bytes of the parameter block.
  void convert(const KernelArgument& argument, const Parameter& parameter, std::span<std::byte> bytes,
               std::vector<ArrayUse>& arrays) {
    if (!kernel_.types_known) return convert_by_size(argument, parameter, bytes, arrays);
    if (argument.kind == KernelArgument::Kind::texture) return use_texture(argument, parameter, bytes, arrays);
    if (given_apart(argument, parameter)) return;
    if (auto complaint = complaint_about_type(argument, parameter)) throw std::move(*complaint);
    if (parameter.pointer) return convert_pointer(argument, parameter, bytes, arrays);
    if (argument.kind == KernelArgument::Kind::object) {
      if (argument.object.size() != bytes.size()) throw wrong(argument, parameter);
      std::memcpy(bytes.data(), argument.object.data(), bytes.size());
      if (!argument.array.empty())  // a span of it
        arrays.push_back(
            {argument.array, parameter.name, argument.bytes_to_end, argument.whole_array, true, argument.address});
      return;
    }
    convert_number(argument, parameter, *named(parameter.type, argument.type), bytes);
  }

  // The error in the type of any argument but textures; its value does not matter.
  std::optional<Error> complaint_about_type(const KernelArgument& argument, const Parameter& parameter) const {
    if (given_apart(argument, parameter)) return std::nullopt;
    if (parameter.pointer) return complaint_about_pointer(argument, parameter);
    const auto type = named(parameter.type, argument.type);
    if (argument.kind == KernelArgument::Kind::object) {
      const bool same = type ? same_element(*type, argument.type) : parameter.type == argument.type.name;
      return same ? std::nullopt : std::optional(wrong(argument, parameter));
    }
    if (argument.kind == KernelArgument::Kind::number && type && type->lanes == 1 && type->scalar != Scalar::none)
      return std::nullopt;
    auto error = wrong(argument, parameter);
    if (argument.kind == KernelArgument::Kind::pointer && type)
      error.advice =
          fmt::format("Pass one element, {}[i], or change the parameter to {}*.", argument.array, argument.type.name);
    return error;
  }

 private:
  // The type with this name, which mostly is the argument's; nothing for a struct that it is not.
  static std::optional<Type> named(const std::string& name, const Type& given) {
    return name == given.name ? std::optional(given) : find_type(name);
  }
  // What a parameter points to: "float" and {8} of float (*x)[8].
  struct Pointee {
    std::string element;
    std::vector<std::uint64_t> row;
  };
  static Pointee pointee_of(const Parameter& parameter) {
    Pointee pointee{parameter.pointee, {}};
    const auto open = parameter.pointee.find('[');
    if (open == std::string::npos) return pointee;
    pointee.element = trim(std::string_view(parameter.pointee).substr(0, open));
    for (auto at = open; at < parameter.pointee.size(); at = parameter.pointee.find('[', at + 1))
      pointee.row.push_back(std::strtoull(parameter.pointee.c_str() + at + 1, nullptr, 10));
    return pointee;
  }
  // A declaration of the name as an array of what the parameter points to: float x[1], float x[1][16].
  static std::string array_of(const Pointee& pointee, std::string_view name, std::string_view extent) {
    auto text = fmt::format("{} {}[{}]", pointee.element, name, extent);
    for (const auto one : pointee.row) text += fmt::format("[{}]", one);
    return text;
  }
  // A pointer to it: float*, float (*x)[16].
  static std::string pointer_to(const Pointee& pointee, std::string_view name) {
    if (pointee.row.empty()) return fmt::format("{}*{}{}", pointee.element, name.empty() ? "" : " ", name);
    return fmt::format("{} (*{})[{}]", pointee.element, name, fmt::join(pointee.row, "]["));
  }
  // What only a function of a host module takes: a stream, and a text.
  bool given_apart(const KernelArgument& argument, const Parameter& parameter) const {
    if (kernel_.result.empty()) return false;
    if (parameter.type == kStreamType)
      return argument.kind == KernelArgument::Kind::stream || argument.kind == KernelArgument::Kind::null ||
             is_zero(argument);
    return argument.text && parameter.pointee == "char" && parameter.const_pointee;
  }
  static bool is_zero(const KernelArgument& argument) {
    return argument.kind == KernelArgument::Kind::number && argument.type.is_integer() && as_real(argument.number) == 0;
  }

  Error wrong(const KernelArgument& argument, const Parameter& parameter) const {
    return Error(ErrorKind::type, fmt::format("parameter {} of {} is {}, but the argument is {}", parameter.name,
                                              kernel_.name, declared_type(parameter), described(argument)))
        .at(source_.place(argument.span))
        .note(declaration_note(kernel_));
  }

  Error loses(const KernelArgument& argument, const Parameter& parameter, std::string_view becomes) const {
    return Error(ErrorKind::value,
                 fmt::format("{} does not fit parameter {} of {}: as {} it would be {}", number_text(argument.number),
                             parameter.name, kernel_.name, declared_type(parameter), becomes))
        .advise(fmt::format("Pass a value that fits {0}, or convert: ({0})(...).", declared_type(parameter)))
        .at(source_.place(argument.span));
  }

  void convert_number(const KernelArgument& argument, const Parameter& parameter, const Type& type,
                      std::span<std::byte> bytes) const {
    const auto& number = argument.number;
    if (type.scalar == Scalar::boolean) {
      bytes[0] = std::byte{as_real(number) != 0};
      return;
    }
    if (type.is_integer()) {
      if (const auto* real = std::get_if<double>(&number)) {
        const bool fits =
            std::isfinite(*real) && std::abs(*real) < 0x1p63 && holds_integer(type, static_cast<std::int64_t>(*real));
        if (!fits) throw loses(argument, parameter, "out of range");
        const auto whole = static_cast<std::int64_t>(*real);
        if (static_cast<double>(whole) != *real) throw loses(argument, parameter, std::to_string(whole));
        store_integer(type, whole, bytes);
      } else if (const auto* whole = std::get_if<std::int64_t>(&number)) {
        store_integer(type, *whole, bytes);
        if (!holds_integer(type, *whole)) throw loses(argument, parameter, stored_text(type, bytes));
      } else {
        store_unsigned(type, std::get<std::uint64_t>(number), bytes);
        if (!holds_unsigned(type, std::get<std::uint64_t>(number)))
          throw loses(argument, parameter, stored_text(type, bytes));
      }
      return;
    }
    const double value = as_real(number);
    store_real(type, value, bytes);
    if (!type.is_floating()) return;
    const double stored = load_real(type, bytes);
    const bool from_integer = !std::holds_alternative<double>(number);
    if (std::isinf(stored) && std::isfinite(value)) throw loses(argument, parameter, "infinite");
    if (from_integer && !is_exact(number, stored)) throw loses(argument, parameter, fmt::format("{:.0f}", stored));
  }

  static bool is_exact(const Number& number, double stored) {
    if (stored >= 0x1p64 || stored < -0x1p63) return false;
    if (const auto* whole = std::get_if<std::int64_t>(&number))
      return stored < 0x1p63 && static_cast<std::int64_t>(stored) == *whole;
    return stored >= 0 && static_cast<std::uint64_t>(stored) == std::get<std::uint64_t>(number);
  }

  // cudaTextureObject_t and cudaSurfaceObject_t are unsigned long long; the device writes the handle.
  void use_texture(const KernelArgument& argument, const Parameter& parameter, std::span<std::byte> bytes,
                   std::vector<ArrayUse>& arrays) const {
    const auto type = find_type(parameter.type);
    if (parameter.pointer || !type || type->scalar != Scalar::uint64 || type->lanes != 1 || bytes.size() != 8) {
      auto error = wrong(argument, parameter);
      error.advice = fmt::format("A kernel takes it as a {}.",
                                 argument.texture->request().surface ? "cudaSurfaceObject_t" : "cudaTextureObject_t");
      throw error;
    }
    arrays.push_back({argument.array, parameter.name, argument.texture->request().bytes(), false,
                      argument.texture->request().surface, argument.texture->request().address});
  }

  static std::string stored_text(const Type& type, std::span<const std::byte> bytes) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes.data(), type.size);
    const int shift = 64 - 8 * static_cast<int>(type.size);
    const bool is_signed = type.scalar >= Scalar::int8 && type.scalar <= Scalar::int64;
    return is_signed ? std::to_string(static_cast<std::int64_t>(bits << shift) >> shift) : std::to_string(bits);
  }

  void store_pointer(const KernelArgument& argument, const Parameter& parameter, std::span<std::byte> bytes,
                     std::vector<ArrayUse>& arrays) const {
    std::memcpy(bytes.data(), &argument.address, sizeof argument.address);
    const bool may_write = !kernel_.types_known || !parameter.const_pointee;
    arrays.push_back(
        {argument.array, parameter.name, argument.bytes_to_end, argument.whole_array, may_write, argument.address});
  }

  std::optional<Error> complaint_about_pointer(const KernelArgument& argument, const Parameter& parameter) const {
    if (argument.kind == KernelArgument::Kind::null) return std::nullopt;
    if (is_zero(argument)) return std::nullopt;
    const auto target = pointee_of(parameter);
    const auto& [element, row] = target;
    if (argument.kind != KernelArgument::Kind::pointer) {
      auto error = wrong(argument, parameter);
      const auto value =
          row.empty() ? number_text(argument.number) : fmt::format("{{{}}}", number_text(argument.number));
      if (argument.kind == KernelArgument::Kind::number)
        error.advice = fmt::format("Pass an array of one {}: {} = {};", row.empty() ? "element" : "row",
                                   array_of(target, "v", "1"), value);
      return error;
    }
    const bool to_void = parameter.pointee == "void";
    const auto pointee = named(element, argument.type).value_or(Type{element});
    if (!row.empty() && !argument.row.empty() && row != argument.row && same_element(pointee, argument.type)) {
      auto error = wrong(argument, parameter);
      error.advice = fmt::format("Each row of {} is a {} [{}].", argument.array, argument.type.name,
                                 fmt::join(argument.row, "]["));
      return error;
    }
    if (!to_void && !same_element(pointee, argument.type)) {
      auto error = wrong(argument, parameter);
      const auto wanted = row.empty() ? element : array_of(target, argument.array, "");
      error.advice = fmt::format("Declare the array as {}, or cast it to pass its bytes: ({}){}.", wanted,
                                 pointer_to(target, ""), argument.array);
      return error;
    }
    if (argument.read_only && !parameter.const_pointee) {
      auto error = wrong(argument, parameter);
      error.message = fmt::format("{} is const, but parameter {} of {} may write to it: {}", argument.array,
                                  parameter.name, kernel_.name, declared_type(parameter));
      error.advice = fmt::format("Declare the parameter const {}, or the array without const.",
                                 pointer_to(target, row.empty() ? "" : parameter.name));
      return error;
    }
    return std::nullopt;
  }

  void convert_pointer(const KernelArgument& argument, const Parameter& parameter, std::span<std::byte> bytes,
                       std::vector<ArrayUse>& arrays) const {
    if (argument.kind != KernelArgument::Kind::pointer) return;  // the bytes are zero
    const auto element = pointee_of(parameter).element;
    const auto pointee = named(element, argument.type).value_or(Type{element});
    const auto alignment = parameter.pointee == "void" ? 1 : pointee.alignment;
    if (alignment > 1 && argument.address % alignment != 0)
      throw Error(ErrorKind::value,
                  fmt::format("the argument for parameter {} of {} is misaligned: {} needs a multiple of {} bytes",
                              parameter.name, kernel_.name, pointee.name, alignment))
          .at(source_.place(argument.span));
    store_pointer(argument, parameter, bytes, arrays);
  }

  // Only the sizes are known, from the PTX.
  void convert_by_size(const KernelArgument& argument, const Parameter& parameter, std::span<std::byte> bytes,
                       std::vector<ArrayUse>& arrays) const {
    const auto mismatch = [&](std::size_t size) {
      return Error(ErrorKind::type, fmt::format("parameter {} of {} has {} bytes, but the argument is {} of {} bytes",
                                                parameter.name, kernel_.name, bytes.size(), described(argument), size))
          .at(source_.place(argument.span))
          .note("The types of this kernel's parameters are not known; only their sizes are checked.");
    };
    switch (argument.kind) {
      case KernelArgument::Kind::pointer:
        if (bytes.size() != 8) throw mismatch(8);
        store_pointer(argument, parameter, bytes, arrays);
        return;
      case KernelArgument::Kind::null:
        if (bytes.size() != 8) throw mismatch(8);
        return;
      case KernelArgument::Kind::number:
        if (argument.type.size != bytes.size()) throw mismatch(argument.type.size);
        convert_number(argument, parameter, argument.type, bytes);
        return;
      case KernelArgument::Kind::object:
        if (argument.object.size() != bytes.size()) throw mismatch(argument.object.size());
        std::memcpy(bytes.data(), argument.object.data(), bytes.size());
        return;
      case KernelArgument::Kind::texture:
        if (bytes.size() != 8) throw mismatch(8);
        arrays.push_back({argument.array, parameter.name, argument.texture->request().bytes(), false,
                          argument.texture->request().surface, argument.texture->request().address});
        return;
      case KernelArgument::Kind::stream:
      case KernelArgument::Kind::text: throw wrong(argument, parameter);
    }
  }

  const KernelSignature& kernel_;
  const Source& source_;
};

std::string extents(const device::Dim3& dim) { return fmt::format("{} x {} x {}", dim.x, dim.y, dim.z); }

std::optional<Error> complaint_about_count(const KernelSignature& kernel, std::span<const cell::Span> arguments,
                                           const Source& source, cell::Span launch) {
  const auto wanted = kernel.parameters.size();
  if (arguments.size() == wanted) return std::nullopt;
  const auto place = arguments.size() > wanted ? arguments[wanted] : launch;
  auto error = Error(ErrorKind::type,
                     fmt::format("{} takes {} argument{}, but {} {} given", kernel.name, wanted, wanted == 1 ? "" : "s",
                                 arguments.size(), arguments.size() == 1 ? "is" : "are"))
                   .at(source.place(place))
                   .note(declaration_note(kernel));
  if (arguments.size() < wanted) error.advice = fmt::format("Missing: {}.", kernel.parameters[arguments.size()].name);
  return error;
}

}  // namespace

std::optional<Error> refuse_arguments(const KernelSignature& kernel,
                                      const std::vector<std::optional<KernelArgument>>& arguments,
                                      std::span<const cell::Span> spans, const Source& source, cell::Span launch) {
  if (auto complaint = complaint_about_count(kernel, spans, source, launch)) return complaint;
  const Checker checker(kernel, source);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i] && arguments[i]->name.empty())
      if (auto complaint = checker.complaint_about_type(*arguments[i], kernel.parameters[i])) return complaint;
  return std::nullopt;
}

CheckedArguments check_arguments(const KernelSignature& kernel, const device::FunctionInfo& function,
                                 const std::vector<KernelArgument>& arguments, const Source& source,
                                 cell::Span launch) {
  const auto wanted = kernel.parameters.size();
  if (arguments.size() != wanted) {
    std::vector<cell::Span> spans;
    for (const auto& argument : arguments) spans.push_back(argument.span);
    if (auto complaint = complaint_about_count(kernel, spans, source, launch)) throw std::move(*complaint);
  }
  CheckedArguments result;
  result.arrays.reserve(wanted);
  if (wanted == 0) return result;
  if (function.parameters.size() != wanted)
    throw Error(ErrorKind::internal, fmt::format("{} has {} parameters in C++ and {} in PTX", kernel.name, wanted,
                                                 function.parameters.size()))
        .at(source.place(launch));
  const auto& last = function.parameters.back();
  result.bytes.resize(last.offset + last.size);
  Checker checker(kernel, source);
  for (std::size_t i = 0; i < wanted; ++i) {
    const auto& layout = function.parameters[i];
    if (!arguments[i].name.empty())
      throw Error(ErrorKind::type,
                  fmt::format("a launch takes its arguments by position, not by name ({} = ...)", arguments[i].name))
          .at(source.place(arguments[i].span));
    checker.convert(arguments[i], kernel.parameters[i], std::span(result.bytes).subspan(layout.offset, layout.size),
                    result.arrays);
    if (arguments[i].texture != nullptr) result.textures.push_back({arguments[i].texture->id(), layout.offset});
  }
  return result;
}

void check_textures(const KernelSignature& kernel, const std::vector<compiler::PtxTextureUse>& uses,
                    const std::vector<KernelArgument>& arguments, const Source& source) {
  for (const auto& use : uses) {
    const auto& argument = arguments[use.parameter];
    const auto& parameter = kernel.parameters[use.parameter].name;
    if (argument.texture == nullptr)
      throw Error(ErrorKind::type,
                  fmt::format("parameter {} of {} is a {} (`{}`), but the argument is {}", parameter, kernel.name,
                              use.surface ? "surface" : "texture", use.opcode, described(argument)))
          .advise(use.surface ? "Declare one for an array: surface s(x);" : "Declare one for an array: texture t(x);")
          .at(source.place(argument.span));
    if (auto complaint = complaint_about(*argument.texture, use); !complaint.what.empty())
      throw Error(ErrorKind::type, fmt::format("parameter {} of {}: the {} of {} {}", parameter, kernel.name,
                                               argument.texture->kind(), argument.array, complaint.what))
          .advise(std::move(complaint.advice))
          .at(source.place(argument.span));
  }
  for (const auto& use : uses)  // a GPU has an object for each of the two
    for (const auto& other : uses)
      if (use.fetches && !other.fetches && other.parameter == use.parameter && other.dimensions > 0)
        throw Error(
            ErrorKind::type,
            fmt::format("parameter {} of {}: the kernel reads one texture with both tex1Dfetch (`{}`) and tex1D (`{}`)",
                        kernel.parameters[use.parameter].name, kernel.name, use.opcode, other.opcode))
            .advise("Pass two textures of the array, one for each.")
            .at(source.place(arguments[use.parameter].span));
  for (const auto& argument : arguments) {  // a surface is the only writer of its array: the GPU writes a copy back
    if (argument.texture == nullptr || !argument.texture->request().surface) continue;
    for (const auto& other : arguments)
      if (&other != &argument && other.array == argument.array && other.texture != argument.texture)
        if (other.texture == nullptr || other.texture->request().surface)
          throw Error(ErrorKind::value,
                      fmt::format("{} is passed to {} twice, once as a surface", argument.array, kernel.name))
              .advise("A kernel may write the whole array through a surface: pass the array only once.")
              .at(source.place(other.span));
  }
}

void check_shape(const LaunchShape& shape, const KernelSignature& kernel, const device::FunctionInfo& function,
                 const device::DeviceInfo& device, const Source& source, cell::Span configuration) {
  const auto refuse = [&](std::string message, std::string advice) {
    return Error(ErrorKind::launch, fmt::format("cannot launch {}: {}", kernel.name, message))
        .advise(std::move(advice))
        .at(source.place(configuration));
  };
  const auto over = [](const device::Dim3& dim, const device::Dim3& limit) {
    return dim.x > limit.x || dim.y > limit.y || dim.z > limit.z;
  };
  const auto empty = [](const device::Dim3& dim) { return dim.x == 0 || dim.y == 0 || dim.z == 0; };
  if (empty(shape.grid))
    throw refuse(fmt::format("the grid {} is empty", extents(shape.grid)), "Every extent must be at least 1.");
  if (empty(shape.block))
    throw refuse(fmt::format("the block {} is empty", extents(shape.block)), "Every extent must be at least 1.");
  if (over(shape.block, device.max_block))
    throw refuse(
        fmt::format("the block {} exceeds the device's limit {}", extents(shape.block), extents(device.max_block)),
        "Use smaller blocks and more of them.");
  const auto threads = shape.block.count();
  if (threads > device.max_threads_per_block)
    throw refuse(fmt::format("a block of {} = {} threads exceeds the device's limit of {}", extents(shape.block),
                             threads, device.max_threads_per_block),
                 "Use smaller blocks and more of them.");
  if (kernel.max_threads && threads > static_cast<std::uint64_t>(*kernel.max_threads))
    throw refuse(fmt::format("a block of {} threads exceeds its __launch_bounds__({})", threads, *kernel.max_threads),
                 "Use smaller blocks, or change the kernel's bounds.");
  if (function.max_threads_per_block > 0 && threads > static_cast<std::uint64_t>(function.max_threads_per_block))
    throw refuse(fmt::format("a block of {} threads exceeds the {} that its registers allow", threads,
                             function.max_threads_per_block),
                 "Use smaller blocks, or compile with -maxrregcount.");
  if (over(shape.grid, device.max_grid))
    throw refuse(
        fmt::format("the grid {} exceeds the device's limit {}", extents(shape.grid), extents(device.max_grid)),
        "Use larger blocks, or loop in the kernel.");
  const auto limit = std::max(device.shared_per_block, device.shared_per_block_optin);
  if (function.shared_bytes + shape.dynamic_shared > limit)
    throw refuse(
        fmt::format("{} of shared memory ({} static, {} dynamic) exceeds the device's limit of {} per block",
                    format_bytes(function.shared_bytes + shape.dynamic_shared), format_bytes(function.shared_bytes),
                    format_bytes(shape.dynamic_shared), format_bytes(limit)),
        "Use less shared memory per block.");
}

}  // namespace xcuda::interpreter
