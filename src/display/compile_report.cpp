#include "display/compile_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "base/units.hpp"
#include "display/figures.hpp"
#include "display/html.hpp"
#include "display/readable_name.hpp"
#include "display/table.hpp"

namespace xcuda::display {
namespace {

std::string_view cache_name(compiler::CacheResult cache) {
  switch (cache) {
    case compiler::CacheResult::miss: return "";
    case compiler::CacheResult::memory: return "from this session's cache";
    case compiler::CacheResult::disk: return "from the disk cache";
  }
  return "";
}

const device::FunctionInfo* function_of(const CompileView& compile, const std::string& entry) {
  const auto found = std::find_if(compile.functions.begin(), compile.functions.end(),
                                  [&](const auto& function) { return function.entry == entry; });
  return found == compile.functions.end() ? nullptr : &*found;
}

Table kernel_table(const CompileView& compile) {
  Table table;
  table.columns = {{"kernel", Align::left, Column::Kind::code}, {"parameters", Align::left, Column::Kind::code}};
  const bool known = !compile.functions.empty();
  const bool local =
      std::any_of(compile.functions.begin(), compile.functions.end(), [](const auto& f) { return f.local_bytes > 0; });
  const bool registers =
      std::any_of(compile.functions.begin(), compile.functions.end(), [](const auto& f) { return f.registers > 0; });
  if (registers) table.columns.push_back({"registers", Align::right});
  if (known) table.columns.push_back({"shared", Align::right});
  const bool spills = std::any_of(compile.functions.begin(), compile.functions.end(),
                                  [](const auto& f) { return f.spills && f.spills->any(); });
  if (local) table.columns.push_back({"local", Align::right});
  if (spills) table.columns.push_back({"spills, st / ld", Align::right});
  for (const auto& kernel : compile.output.kernels) {
    std::vector<Field> row = {readable_name(kernel.name), signature_text(kernel)};
    const auto* function = function_of(compile, kernel.entry);
    if (registers) row.emplace_back(function != nullptr ? std::to_string(function->registers) : "");
    if (known) row.emplace_back(function != nullptr ? format_bytes(function->shared_bytes) : "");
    if (local) row.emplace_back(function != nullptr ? format_bytes(function->local_bytes) : "");
    if (spills) row.emplace_back(function != nullptr ? short_spills_text(*function) : "");
    if (function != nullptr)
      if (auto advice = local_memory_advice(*function); !advice.empty())
        table.warnings.push_back(readable_name(kernel.name) + ": " + advice);
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> facts_of(const CompileView& compile) {
  const auto& output = compile.output;
  const auto kernels = output.kernels.size();
  std::vector<std::string> facts = {fmt::format("{} kernel{}", kernels, kernels == 1 ? "" : "s")};
  if (!output.variables.empty())
    facts.push_back(fmt::format("{} variable{}", output.variables.size(), output.variables.size() == 1 ? "" : "s"));
  facts.push_back(output.architecture);
  facts.push_back("NVRTC " + output.nvrtc_version);
  if (output.phases.total > 0) facts.push_back(format_duration(static_cast<double>(output.phases.total)));
  facts.emplace_back(cache_name(output.cache));
  std::erase(facts, "");
  return facts;
}

// "prepare 0.4 ms, NVRTC 19 ms, load 0.1 ms".
std::string phases_text(const CompileView& compile) {
  const auto& phases = compile.output.phases;
  std::vector<std::string> parts;
  const auto add = [&](std::string_view name, std::int64_t time) {
    if (time > 0) parts.push_back(fmt::format("{} {}", name, format_duration(static_cast<double>(time))));
  };
  add("prepare", phases.prepare);
  add("NVRTC", phases.nvrtc);
  add("signatures", phases.signatures);
  add("load", compile.load_time);
  return parts.empty() ? "" : fmt::format("time: {}", fmt::join(parts, ", "));
}

std::vector<std::string> replaced_lines(const CompileView& compile) {
  std::vector<std::string> lines;
  for (const auto& one : compile.replaced) lines.push_back(fmt::format("replaces {} of {}", one.signature, one.source));
  return lines;
}

nlohmann::json compile_json(const CompileView& compile) {
  const auto& output = compile.output;
  auto kernels = nlohmann::json::array();
  for (const auto& kernel : output.kernels) {
    auto parameters = nlohmann::json::array();
    for (const auto& parameter : kernel.parameters)
      parameters.push_back({{"name", parameter.name}, {"type", parameter.type}, {"bytes", parameter.size}});
    nlohmann::json json = {{"name", kernel.name},
                           {"entry", kernel.entry},
                           {"line", kernel.line},
                           {"parameters", std::move(parameters)},
                           {"types_known", kernel.types_known}};
    if (const auto* function = function_of(compile, kernel.entry)) add_resources(json, *function);
    kernels.push_back(std::move(json));
  }
  auto variables = nlohmann::json::array();
  for (const auto& variable : output.variables)
    variables.push_back(
        {{"name", variable.name}, {"type", variable.type}, {"bytes", variable.size}, {"constant", variable.constant}});
  static constexpr std::string_view kCache[] = {"miss", "memory", "disk"};
  return {{"schema", 1},
          {"name", output.name},
          {"ok", output.ok},
          {"architecture", output.architecture},
          {"nvrtc", output.nvrtc_version},
          {"options", output.options},
          {"cache", kCache[static_cast<std::size_t>(output.cache)]},
          {"kernels", std::move(kernels)},
          {"variables", std::move(variables)},
          {"times",
           {{"prepare", output.phases.prepare},
            {"nvrtc", output.phases.nvrtc},
            {"signatures", output.phases.signatures},
            {"total", output.phases.total},
            {"load", compile.load_time}}},
          {"replaced", replaced_lines(compile)},
          {"ptx_bytes", output.ptx.size()},
          {"cubin_bytes", output.cubin.size()},
          {"diagnostics", diagnostics_json(output.diagnostics)}};
}

}  // namespace

std::string declared_type(std::string_view type) {
  // NVRTC writes const after what it belongs to; people write it before.
  const auto stars = type.find_last_not_of("*& ") + 1;
  auto base = type.substr(0, stars);
  const auto marks = type.substr(stars);
  constexpr std::string_view kConst = " const";
  if (!base.ends_with(kConst) || base.find('*') != std::string_view::npos) return std::string(type);
  base.remove_suffix(kConst.size());
  return "const " + std::string(base) + std::string(marks);
}

std::string declared_type(const compiler::Parameter& parameter) {
  return declared_type(parameter.written.empty() ? parameter.type : parameter.written);
}

std::string signature_text(const compiler::KernelSignature& kernel) {
  std::string text;
  for (const auto& parameter : kernel.parameters) {
    if (!text.empty()) text += ", ";
    text += parameter.type.empty() ? fmt::format("{} bytes", parameter.size) : readable_name(declared_type(parameter));
    if (!parameter.name.empty() && parameter.name.front() != '#') text += " " + parameter.name;
  }
  return "(" + text + ")";
}

Bundle compile_bundle(const CompileView& compile) {
  const auto& output = compile.output;
  const auto name = place_text({.source = output.name});
  const auto facts = facts_of(compile);
  const auto table = kernel_table(compile);
  const auto warnings = styled_diagnostics(output.diagnostics);
  const auto phases = phases_text(compile);
  const auto options = output.options.empty() ? "" : fmt::format("options: {}", fmt::join(output.options, " "));

  std::string text = fmt::format("{}: {}", name, fmt::join(facts, ", "));
  if (!table.rows.empty()) text += "\n" + table_text(table);
  const auto replaced = replaced_lines(compile);
  for (const auto& line : replaced) text += "\n" + line;
  for (const auto& line : {phases, options})
    if (!line.empty()) text += "\n" + line;
  if (!warnings.empty()) text += "\n" + std::string(trim(warnings.text(Colours::none)));
  Bundle bundle = text_bundle(std::move(text));

  std::string html = heading(name, facts);
  if (!table.rows.empty()) html += table_html(table);
  for (const auto& line : replaced) html += note(line);
  if (!warnings.empty()) html += enclose("pre", "", warnings.html());
  if (!phases.empty() || !options.empty())
    html += folded("time and options", (phases.empty() ? "" : note(phases)) + (options.empty() ? "" : note(options)));
  constexpr std::size_t kMostFolded = 4 << 10;  // more would be the greater part of a saved notebook; %ptx shows it
  if (!output.ptx.empty() && output.ptx.size() <= kMostFolded)
    html += folded("PTX", enclose("pre", "xc-block", styled_ptx(output.ptx, compile.files).html()));
  for (const auto& code : compile.machine_code)
    html += folded("SASS of " + code.kernel,
                   listing_html(sass_rows(code.listing, compile.files), "SASS of " + code.kernel));
  bundle.data[kHtmlMime] = html_output(html);
  bundle.data[kCompileMime] = compile_json(compile);
  return bundle;
}

}  // namespace xcuda::display
