#include "interpreter/launches/kernel_templates.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cell/parse.hpp"
#include "interpreter/host/template_arguments.hpp"
#include "language/complaints.hpp"

namespace xcuda::interpreter {
namespace {

std::string_view without_arguments(std::string_view name) {
  if (name.starts_with("::")) name.remove_prefix(2);
  return name.substr(0, name.find('<'));
}

// The same piece in its own text.
cell::DevicePiece moved_to_zero(cell::DevicePiece piece) {
  const auto begin = piece.span.begin;
  for (auto* span : {&piece.span, &piece.name_span, &piece.parameters, &piece.body})
    *span = {span->begin - std::min(begin, span->begin), span->end - std::min(begin, span->end)};
  return piece;
}

}  // namespace

std::vector<cell::HostFunctionPtr> KernelTemplates::declarations_of(std::string_view name) {
  name = without_arguments(name);
  std::vector<cell::HostFunctionPtr> found;
  const auto& definitions = session_.code().definitions();
  for (auto one = definitions.rbegin(); one != definitions.rend(); ++one) {
    const auto& piece = one->piece;
    const bool same = piece.name == name || std::string_view(piece.name).ends_with("::" + std::string(name));
    if (!piece.kernel || piece.kind != cell::DeviceKind::function || !same) continue;
    auto& known = known_[one->text];
    if (known == nullptr) {
      const auto here = moved_to_zero(piece);
      known = cell::parse_function({one->text, one->source, &here, nullptr, {}, {}, {}});
    }
    found.push_back(known);
  }
  return found;
}

const std::string& KernelTemplates::name_of(const cell::Launch& launch) {
  auto& named = named_[&launch];
  const auto revision = session_.code().program().revision();
  if (named.revision == revision) return named.name;
  auto name = deduced(launch);
  if (name.empty()) return named = {launch.kernel.text, revision}, named.name;
  return named = {std::move(name), 0}, named.name;
}

std::string KernelTemplates::deduced(const cell::Launch& launch) {
  const auto& name = launch.kernel.text;
  const auto base = without_arguments(name);
  if (!session_.code().program().is_kernel_template(base)) return {};
  for (const auto& kernel : declarations_of(name)) {
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

std::vector<const cell::Expression*> KernelTemplates::defaults(const Kernel& kernel, std::size_t given) {
  const auto& parameters = kernel.signature->parameters;
  for (const auto& declared : declarations_of(kernel.signature->name)) {
    const auto& list = declared->parameters;
    const bool same = !declared->refused && list.size() == parameters.size() &&
                      std::equal(list.begin(), list.end(), parameters.begin(), [](const auto& a, const auto& b) {
                        const auto& name = a.declarators.front().name;
                        return name.empty() || name == b.name;
                      });
    if (!same || given < language::required_arguments(*declared)) continue;
    std::vector<const cell::Expression*> values;
    for (auto i = given; i < list.size(); ++i) values.push_back(list[i].declarators.front().init.get());
    return values;
  }
  return {};
}

}  // namespace xcuda::interpreter
