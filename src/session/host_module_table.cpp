#include "session/host_module_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "display/compile_report.hpp"
#include "display/readable_name.hpp"

namespace xcuda::session {
namespace {

using device::Passing;

std::string_view plain(std::string_view name) {
  if (name.starts_with("::")) name.remove_prefix(2);
  return name;
}

compiler::Parameter parameter_of(const device::HostType& type, std::string name) {
  compiler::Parameter parameter{
      .name = std::move(name), .type = type.name, .size = type.size, .alignment = type.alignment};
  switch (type.passing) {
    case Passing::value: break;
    case Passing::none: parameter.written = type.name; break;
    case Passing::reference: parameter.written = type.name + "&"; break;
    case Passing::stream: parameter.type = "cudaStream_t"; break;
    case Passing::pointer:
    case Passing::pointer_to_const:
      parameter.pointer = true;
      parameter.const_pointee = type.passing == Passing::pointer_to_const;
      parameter.pointee = type.name;
      parameter.type += parameter.const_pointee ? " const*" : "*";
      parameter.size = parameter.alignment = sizeof(device::Address);
  }
  return parameter;
}

ModuleFunctionPtr function_of(const HostModuleCell& cell, std::uint32_t index) {
  auto function = std::make_shared<ModuleFunction>();
  function->info = cell.info.functions[index];
  function->module = cell.id;
  function->index = index;
  function->source = cell.source;
  if (const auto text = cell.texts.find(function->info.name); text != cell.texts.end()) function->text = text->second;
  auto& signature = function->signature;
  signature.name = function->info.name;
  signature.result = display::readable_name(display::declared_type(function->info.result.name));
  std::uint32_t offset = 0;
  for (std::size_t i = 0; i < function->info.parameters.size(); ++i) {
    const auto& name = function->info.parameter_names[i];
    auto parameter = parameter_of(function->info.parameters[i], name.empty() ? fmt::format("#{}", i + 1) : name);
    parameter.offset = offset = (offset + parameter.alignment - 1) / parameter.alignment * parameter.alignment;
    offset += parameter.size;
    function->layout.parameters.push_back({parameter.offset, parameter.size, parameter.alignment});
    signature.parameters.push_back(std::move(parameter));
  }
  return function;
}

}  // namespace

std::vector<device::ModuleId> HostModuleTable::define(HostModuleCell cell) {
  std::set<device::ModuleId> before, after;
  const auto modules = [&](std::set<device::ModuleId>& found) {
    for (const auto& [name, overloads] : functions_)
      for (const auto& one : overloads) found.insert(one->module);
  };
  modules(before);
  for (const auto& one : cell.info.functions) forget(one.name);
  for (const auto& one : cell.templates) forget(one);
  for (std::uint32_t i = 0; i < cell.info.functions.size(); ++i)
    functions_[cell.info.functions[i].name].push_back(function_of(cell, i));
  for (auto& one : cell.templates) templates_[std::move(one)] = cell.source;
  modules(after);
  std::vector<device::ModuleId> unused;
  std::set_difference(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(unused));
  std::erase_if(unused, [&](device::ModuleId id) { return lost_.erase(id) > 0; });
  return unused;
}

void HostModuleTable::forget(std::string_view name) {
  if (const auto found = functions_.find(name); found != functions_.end()) functions_.erase(found);
  if (const auto found = templates_.find(name); found != templates_.end()) templates_.erase(found);
}

void HostModuleTable::clear() {
  functions_.clear();
  templates_.clear();
  lost_.clear();
  news_ = false;
}

const std::vector<ModuleFunctionPtr>& HostModuleTable::find(std::string_view name) const {
  static const std::vector<ModuleFunctionPtr> kNone;
  const auto found = functions_.find(plain(name));
  return found == functions_.end() ? kNone : found->second;
}

const std::string* HostModuleTable::source_of_template(std::string_view name) const {
  name = plain(name);
  const auto found = templates_.find(name.substr(0, name.find('<')));
  return found == templates_.end() ? nullptr : &found->second;
}

std::vector<std::string> HostModuleTable::names() const {
  std::vector<std::string> names;
  for (const auto& [name, overloads] : functions_) names.push_back(name);
  return names;
}

void HostModuleTable::lose_all(const std::string& why) {
  for (const auto& [name, overloads] : functions_)
    for (const auto& one : overloads) lost_[one->module] = why;
}

const std::string* HostModuleTable::why_lost(device::ModuleId id) const {
  const auto found = lost_.find(id);
  return found == lost_.end() ? nullptr : &found->second;
}

bool HostModuleTable::take_news() { return std::exchange(news_, false); }

}  // namespace xcuda::session
