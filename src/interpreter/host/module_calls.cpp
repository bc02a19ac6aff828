#include "interpreter/host/module_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "interpreter/launches/launch_arguments.hpp"
#include "interpreter/launches/launch_check.hpp"
#include "interpreter/launches/launch_overloads.hpp"

namespace xcuda::interpreter {

using device::HostArgument;
using device::Passing;

std::optional<Error> refuse_module_function(const HostModuleTable& table, const std::string& name,
                                            const language::Where& where) {
  const auto& overloads = table.find(name);
  if (overloads.empty()) {
    const auto* source = table.source_of_template(name);
    if (source == nullptr) return std::nullopt;
    const auto base = name.substr(0, name.find('<'));
    return Error(ErrorKind::unsupported,
                 fmt::format("{} of {} is a template, which has no code of its own", base, *source))
        .at(where.get())
        .advise(fmt::format("Define a function in {} that calls it with the types that you need.", *source));
  }
  const auto& first = *overloads.front();
  if (const auto* why = table.why_lost(first.module))
    return Error(ErrorKind::device, fmt::format("the module of {} with {} is not loaded: {}", first.source, name, *why))
        .at(where.get())
        .advise(fmt::format("Run the cell of {} again.", first.source));
  if (std::any_of(overloads.begin(), overloads.end(), [](const auto& one) { return one->info.can_be_called; }))
    return std::nullopt;
  auto error = Error(ErrorKind::unsupported, fmt::format("statements cannot call {}", name)).at(where.get());
  const auto& types = first.info.parameters;
  const auto bad =
      std::find_if(types.begin(), types.end(), [](const auto& one) { return one.passing == Passing::none; });
  const auto what = bad == types.end() ? fmt::format("its result is {}", first.signature.result)
                                       : fmt::format("parameter {} is {}",
                                                     first.signature.parameters[bad - types.begin()].name, bad->name);
  error.library = what;
  error.notes.push_back(declaration_note(first.signature));
  error.advice =
      "Functions for statements take and give numbers, structs that copies of bytes make, pointers and streams.";
  return error;
}

// By the number of arguments, then as C++ chooses among kernels.
ModuleFunctionPtr ModuleCalls::choose(const std::vector<ModuleFunctionPtr>& overloads, const cell::Call& call,
                                      cell::Span span) {
  std::vector<ModuleFunctionPtr> fitting;
  for (const auto& one : overloads)
    if (one->info.can_be_called && one->info.parameters.size() == call.arguments.size()) fitting.push_back(one);
  if (fitting.empty()) return overloads.front();  // whose check says what is wrong
  if (fitting.size() == 1) return fitting.front();
  std::vector<KernelArgument> arguments;
  std::vector<const compiler::KernelSignature*> signatures;
  for (const auto& given : call.arguments) arguments.push_back(frame_.launch_arguments.read(*given.value));
  for (const auto& one : fitting) signatures.push_back(&one->signature);
  return fitting[choose_signature(signatures, arguments, run_.source, span)];
}

Type ModuleCalls::type_of(const device::HostType& type, const ModuleFunction& function, cell::Span span) {
  if (auto known = xcuda::find_type(type.name)) return *known;
  auto found = session_.code().try_find_type(run_.source, type.name, span);
  if (found.error)
    throw error(
        ErrorKind::type,
        fmt::format("{} of {} has {}, which the session does not know", function.info.name, function.source, type.name),
        span)
        .advise(fmt::format("Define {} in a cell of device code, and #include \"session.cuh\" in {}.", type.name,
                            function.source));
  if (found.type.size != type.size)
    throw error(
        ErrorKind::type,
        fmt::format("{} has {} bytes in {} and {} here", type.name, type.size, function.source, found.type.size), span)
        .advise(fmt::format("Run {} again after the cell that defines {}.", function.source, type.name));
  return found.type;
}

// A struct of the same name may have changed since the module was compiled.
void ModuleCalls::check_layout(const KernelArgument& argument, const ModuleFunction& function,
                               std::size_t index) const {
  const auto& type = function.info.parameters[index];
  const bool pointer = argument.kind == KernelArgument::Kind::pointer &&
                       (type.passing == Passing::pointer || type.passing == Passing::pointer_to_const);
  const bool value = argument.kind == KernelArgument::Kind::object && type.passing == Passing::value;
  if ((!pointer && !value) || type.size == 0 || argument.type.name != type.name || argument.type.size == type.size)
    return;
  throw error(
      ErrorKind::type,
      fmt::format("{} has {} bytes in {} and {} here", type.name, type.size, function.source, argument.type.size),
      argument.span)
      .advise(fmt::format("Run {} again after the cell that defines {}.", function.source, type.name));
}

KernelArgument ModuleCalls::argument(const cell::Expression& expression, const ModuleFunction& function,
                                     std::size_t index, std::vector<Reference>& references) {
  const auto& type = function.info.parameters[index];
  if (type.passing != Passing::reference) {
    auto given = frame_.launch_arguments.read(expression);
    check_layout(given, function, index);
    return given;
  }
  auto target = frame_.targets.of(expression);
  auto held = frame_.targets.type_of(target);
  const auto& parameter = function.signature.parameters[index];
  const auto wanted = xcuda::find_type(type.name).value_or(Type{type.name});
  const auto* place = std::get_if<Pointer>(&target);
  if (!same_element(wanted, held) || held.size != type.size || (place != nullptr && !place->shape.empty()))
    throw error(ErrorKind::type,
                fmt::format("parameter {} of {} is {}, but the argument is {}", parameter.name, function.info.name,
                            parameter.written,
                            place != nullptr && !place->shape.empty() ? "an array of " + held.name : "a " + held.name),
                expression.span)
        .note(declaration_note(function.signature));
  KernelArgument given;
  given.span = expression.span;
  given.kind = KernelArgument::Kind::object;
  given.type = wanted;
  given.object = frame_.targets.bytes_of(frame_.targets.load(target), held, expression.span);
  if (place != nullptr) given.array = place->owner;
  references.push_back({std::move(target), std::move(held), expression.span});
  return given;
}

Value ModuleCalls::result(const ModuleFunction& function, const Type& type, std::span<const std::byte> bytes) const {
  if (function.info.result.name == "void") return Nothing{};
  return frame_.targets.load(type, bytes.first(type.size));
}

std::optional<Value> ModuleCalls::call(const cell::Call& call, const std::string& name, cell::Span span) {
  const auto overloads = session_.code().functions().modules().find(name);
  if (auto refused = refuse_module_function(session_.code().functions().modules(), name, where(span)))
    throw std::move(*refused);
  if (overloads.empty()) return std::nullopt;
  for (const auto& given : call.arguments)
    if (!given.name.empty())
      throw error(ErrorKind::type,
                  fmt::format("a function of a host module takes its arguments by position, not by name ({} = ...)",
                              given.name),
                  given.name_span);
  const auto function = choose(overloads, call, span);
  const bool gives = function->info.result.name != "void";
  const auto type = gives ? type_of(function->info.result, *function, span) : Type();
  std::vector<KernelArgument> arguments;
  std::vector<Reference> references;
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    arguments.push_back(i < function->info.parameters.size()
                            ? argument(*call.arguments[i].value, *function, i, references)
                            : frame_.launch_arguments.read(*call.arguments[i].value));
  frame_.launch_arguments.convert_enumerations(function->signature, arguments);
  auto checked = check_arguments(function->signature, function->layout, arguments, run_.source, span);

  device::HostCall request{.module = function->module, .function = function->index, .result_size = type.size};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    auto& one = request.arguments.emplace_back();
    const auto& layout = function->layout.parameters[i];
    const auto bytes = std::span(checked.bytes).subspan(layout.offset, layout.size);
    one.bytes.assign(bytes.begin(), bytes.end());
    switch (function->info.parameters[i].passing) {
      case Passing::reference: one.kind = HostArgument::Kind::reference; break;
      case Passing::stream: one = {.kind = HostArgument::Kind::stream, .stream = arguments[i].stream}; break;
      default:
        if (!arguments[i].text) break;
        one.kind = HostArgument::Kind::memory;
        const auto* text = reinterpret_cast<const std::byte*>(arguments[i].text->c_str());
        one.bytes.assign(text, text + arguments[i].text->size() + 1);
    }
  }
  if (session_.code().functions().modules().take_news())
    run_.sink.stream(OutputStream::err, fmt::format("[{}]\n", kReloadedNote));
  const auto site = session_.launches().site(&call, function->info.name, checked.arrays, [&] {
    return LaunchSite{&call, function->info.name, snippet(run_.source, span), run_.source.place(span), checked.arrays};
  });
  if (!gives && references.empty()) {
    session_.submission().launch(std::move(request), site);
    return Nothing{};
  }
  const device::HostResults places(request);
  session_.submission().launch(std::move(request), site);
  session_.submission().synchronize();
  const auto given = session_.device().staging().first(places.size());
  auto value = result(*function, type, given);
  std::vector<Value> written;  // before a store asks more of the device
  for (std::size_t i = 0; i < references.size(); ++i)
    written.push_back(
        frame_.targets.load(references[i].type, given.subspan(places.references()[i], references[i].type.size)));
  for (std::size_t i = 0; i < references.size(); ++i)
    frame_.targets.store(references[i].target, written[i], references[i].span);
  return value;
}

}  // namespace xcuda::interpreter
