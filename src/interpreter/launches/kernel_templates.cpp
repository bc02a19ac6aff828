#include "interpreter/launches/kernel_templates.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cell/lexer.hpp"
#include "cell/parse.hpp"
#include "interpreter/host/template_arguments.hpp"
#include "interpreter/launches/closures.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {
namespace {

std::string_view without_arguments(std::string_view name) {
  if (name.starts_with("::")) name.remove_prefix(2);
  return name.substr(0, name.find('<'));
}

}  // namespace

const std::vector<KernelTemplates::Declared*>& KernelTemplates::declarations_of(std::string_view name) {
  name = without_arguments(name);
  const auto& program = session_.code().program();
  auto& found = found_[std::string(name)];
  if (found.revision == program.revision()) return found.kernels;
  found = {{}, program.revision()};
  for (auto& written : written_kernels(program, name)) {
    auto& known = known_[written.text];
    if (known.function == nullptr) {
      known.written = std::move(written);
      known.function = known.parsed({});
    }
    found.kernels.push_back(&known);
  }
  return found.kernels;
}

cell::HostFunctionPtr KernelTemplates::Declared::parsed(TemplateArguments::Given given) const {
  return cell::parse_function({written.text, written.source, &written.piece, nullptr, {}, std::move(given), {}});
}

const std::string& KernelTemplates::name_of(const cell::Launch& launch, const std::string& called) {
  if (launch.callee != nullptr || called != launch.kernel.text) return called;
  auto& named = named_[&launch];
  const auto revision = session_.code().program().revision();
  if (named.revision == revision) return named.name;
  auto name = deduced(launch);
  if (name.empty()) {
    name = with_values(launch.kernel.text);
    const bool values = name != launch.kernel.text;  // which may be others the next time
    return named = {std::move(name), values ? 0 : revision}, named.name;
  }
  return named = {std::move(name), 0}, named.name;
}

// k<float, N> of a constant of the function that launches it, which device code does not know.
std::string KernelTemplates::with_values(const std::string& name) const {
  const auto open = name.find('<');
  if (open == std::string::npos) return name;
  std::string text = name.substr(0, open);
  std::size_t from = open;
  const auto arguments = std::string_view(name).substr(open);
  for (const auto& token : cell::tokens_of(arguments)) {
    const auto at = open + token.span.begin;
    const auto* variable =
        token.is_identifier() && name[at - 1] != ':' ? session_.names().find(std::string(token.text)) : nullptr;
    const auto* value = variable == nullptr ? nullptr : std::get_if<language::ScalarValue>(&variable->value);
    if (value == nullptr || !value->is_integer()) continue;
    text += name.substr(from, at - from) + value->text();
    from = open + token.span.end;
  }
  return text + name.substr(from);
}

std::string KernelTemplates::deduced(const cell::Launch& launch) {
  const auto& name = launch.kernel.text;
  const auto base = without_arguments(name);
  if (!session_.code().program().is_kernel_template(base)) return {};
  for (const auto& argument : launch.arguments)
    if (frame_.closures.is_by_reference(*argument.value)) throw frame_.closures.by_reference(argument.value->span);
  for (auto* declared : declarations_of(name)) {
    const auto& kernel = declared->function;
    const auto count = launch.arguments.size();
    if (kernel->refused || kernel->template_parameters.empty() || count > kernel->parameters.size() ||
        count < language::required_arguments(*kernel))
      continue;
    if (TemplateArguments::written_in(name) == kernel->template_parameters.size()) return {};
    const auto given = TemplateArguments(frame_).of({*kernel, launch.arguments, name, launch.kernel_span});
    std::vector<std::string> arguments;
    for (const auto& parameter : kernel->template_parameters) arguments.push_back(given.find(parameter.name)->second);
    return fmt::format("{}<{}>", base, fmt::join(arguments, ", "));
  }
  return {};
}

// The default arguments; in a template its arguments are in their places: T v = T(1).
std::vector<const cell::Expression*> KernelTemplates::defaults(const Kernel& kernel, const cell::Launch& launch) {
  const auto& parameters = kernel.signature->parameters;
  const auto given = launch.arguments.size();
  for (auto* declared : declarations_of(kernel.signature->name)) {
    auto function = declared->function;
    const auto& list = function->parameters;
    const bool same = !function->refused && list.size() == parameters.size() &&
                      std::equal(list.begin(), list.end(), parameters.begin(), [](const auto& a, const auto& b) {
                        const auto& name = a.declarators.front().name;
                        return name.empty() || name == b.name;
                      });
    if (!same || given < language::required_arguments(*function)) continue;
    if (!function->template_parameters.empty()) {
      const auto arguments =
          TemplateArguments(frame_).of({*function, launch.arguments, kernel.signature->name, launch.kernel_span});
      auto& instance = declared->instances[kernel.signature->name];
      if (instance == nullptr) instance = declared->parsed(arguments);
      if (instance->refused) continue;
      function = instance;
    }
    std::vector<const cell::Expression*> values;
    for (auto i = given; i < function->parameters.size(); ++i)
      values.push_back(function->parameters[i].declarators.front().init.get());
    return values;
  }
  return {};
}

}  // namespace xcuda::interpreter
