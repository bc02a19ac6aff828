#include "display/kernel_view.hpp"

#include <fmt/format.h>

#include "base/units.hpp"
#include "display/compile_report.hpp"
#include "display/figures.hpp"
#include "display/html.hpp"
#include "display/readable_name.hpp"
#include "display/table.hpp"

namespace xcuda::display {
namespace {

Table parameter_table(const compiler::KernelSignature& signature) {
  Table table;
  table.columns = {{"parameter", Align::left, Column::Kind::code},
                   {"type", Align::left, Column::Kind::code},
                   {"bytes", Align::right},
                   {"offset", Align::right}};
  for (const auto& parameter : signature.parameters)
    table.rows.push_back({parameter.name, parameter.type.empty() ? std::string("unknown") : declared_type(parameter),
                          format_count(parameter.size), format_count(parameter.offset)});
  if (!signature.types_known) table.notes.emplace_back("the types are unknown: the PTX gives only sizes");
  return table;
}

Table resource_table(const KernelView& kernel) {
  Table table;
  table.columns = {{"", Align::left}, {"", Align::left}};
  const auto& function = *kernel.function;
  if (function.registers > 0) table.rows.push_back({"registers per thread", std::to_string(function.registers)});
  table.rows.push_back({"static shared memory", format_bytes(function.shared_bytes)});
  table.rows.push_back({"local memory per thread", format_bytes(function.local_bytes)});
  if (function.spills) table.rows.push_back({"spilled registers", spills_text(function)});
  if (function.constant_bytes > 0) table.rows.push_back({"constant memory", format_bytes(function.constant_bytes)});
  table.rows.push_back(
      {"threads per block", "at most " + format_count(static_cast<std::uint64_t>(function.max_threads_per_block))});
  if (kernel.best_block > 0) table.rows.push_back({"best block", format_count(kernel.best_block) + " threads"});
  if (auto advice = local_memory_advice(function); !advice.empty()) table.warnings.push_back(std::move(advice));
  return table;
}

Table occupancy_table(const KernelView& kernel) {
  Table table;
  table.columns = {{"block", Align::right}, {"blocks per SM", Align::right}, {"occupancy", Align::left}};
  for (const auto& row : kernel.occupancies)
    table.rows.push_back({format_count(row.block_threads), std::to_string(row.occupancy.blocks_per_multiprocessor),
                          occupancy_field(row.occupancy)});
  return table;
}

constexpr const char* state_name(device::NativeCode::State state) {
  switch (state) {
    case device::NativeCode::State::compiling: return "being compiled";
    case device::NativeCode::State::compiled: return "compiled";
    case device::NativeCode::State::stored: return "loaded from the cache";
  }
  return "";
}

Table native_table(const std::vector<device::NativeCode>& codes) {
  Table table;
  table.columns = {{"native code for", Align::left}, {"", Align::left}, {"time", Align::right}, {"code", Align::right}};
  for (const auto& code : codes) {
    const bool made = code.state != device::NativeCode::State::compiling;
    table.rows.push_back({code.variant, state_name(code.state),
                          made ? format_duration(static_cast<double>(code.time)) : std::string(),
                          made ? format_bytes(code.bytes) : std::string()});
  }
  return table;
}

nlohmann::json kernel_json(const KernelView& kernel) {
  auto parameters = nlohmann::json::array(), occupancies = nlohmann::json::array();
  for (const auto& parameter : kernel.signature.parameters)
    parameters.push_back(
        {{"name", parameter.name}, {"type", parameter.type}, {"bytes", parameter.size}, {"offset", parameter.offset}});
  for (const auto& row : kernel.occupancies) {
    auto json = occupancy_json(row.occupancy);
    json["block"] = row.block_threads;
    occupancies.push_back(std::move(json));
  }
  nlohmann::json json = {{"name", kernel.signature.name},
                         {"entry", kernel.signature.entry},
                         {"source", kernel.source},
                         {"line", kernel.signature.line},
                         {"parameters", std::move(parameters)},
                         {"types_known", kernel.signature.types_known},
                         {"occupancy", std::move(occupancies)}};
  if (kernel.best_block > 0) json["best_block"] = kernel.best_block;
  if (kernel.function) {
    add_resources(json, *kernel.function);
    json["max_threads_per_block"] = kernel.function->max_threads_per_block;
    for (const auto& code : kernel.function->native)
      json["native"].push_back({{"variant", code.variant},
                                {"state", state_name(code.state)},
                                {"time_ns", code.time},
                                {"bytes", code.bytes}});
  }
  return {{"schema", 1}, {"architecture", kernel.architecture}, {"kernels", nlohmann::json::array({std::move(json)})}};
}

}  // namespace

Bundle kernel_bundle(const KernelView& kernel) {
  const auto& signature = kernel.signature;
  const auto declaration = "__global__ void " + readable_name(signature.name) + signature_text(signature);
  std::vector<std::string> facts;
  if (!kernel.source.empty()) facts.push_back(place_text({.source = kernel.source, .line = signature.line}));
  if (!kernel.architecture.empty()) facts.push_back(kernel.architecture);
  if (!kernel.device.empty()) facts.push_back(kernel.device);
  if (signature.max_threads) facts.push_back(fmt::format("__launch_bounds__({})", *signature.max_threads));

  std::vector<Table> tables;
  if (!signature.parameters.empty()) tables.push_back(parameter_table(signature));
  if (kernel.function) tables.push_back(resource_table(kernel));
  if (kernel.function && !kernel.function->native.empty()) tables.push_back(native_table(kernel.function->native));
  if (!kernel.occupancies.empty()) tables.push_back(occupancy_table(kernel));

  std::string text = declaration;
  if (!facts.empty()) text += fmt::format("\n{}", fmt::join(facts, ", "));
  std::string html = heading(declaration, facts);
  for (const auto& table : tables) {
    text += "\n\n" + table_text(table);
    html += table_html(table);
  }
  if (!kernel.instances.empty()) {
    const auto line = fmt::format("instances: {}", fmt::join(kernel.instances, ", "));
    text += "\n\n" + line;
    html += note(line);
  }
  Bundle bundle = text_bundle(std::move(text));
  bundle.data[kHtmlMime] = html_output(html);
  bundle.data[kCompileMime] = kernel_json(kernel);
  return bundle;
}

}  // namespace xcuda::display
