#include "session/module_variables.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace xcuda::session {
namespace {

constexpr std::string_view kDeviceNumbers = "5xcuda6detail14device_numbers";  // of xcuda/devices.cuh, in a symbol

}  // namespace

std::size_t ModuleVariables::Variable::newest() const {
  const auto found = std::max_element(copies.begin(), copies.end(),
                                      [](const Copy& a, const Copy& b) { return a.version < b.version; });
  return static_cast<std::size_t>(found - copies.begin());
}

void ModuleVariables::add_module(device::ModuleId module, const std::vector<compiler::VariableSignature>& signatures,
                                 const device::ModuleInfo& info) {
  for (const auto& signature : signatures) {
    const auto loaded = std::find_if(info.variables.begin(), info.variables.end(),
                                     [&](const device::VariableInfo& v) { return v.symbol == signature.symbol; });
    if (loaded == info.variables.end()) continue;  // NVRTC dropped it: nothing uses it
    auto known = std::find_if(variables_.begin(), variables_.end(), [&](const Variable& v) {
      return v.name == signature.name && v.source == signature.source && v.size == loaded->size;
    });
    if (known == variables_.end()) {
      Variable fresh{.name = signature.name, .type = signature.type, .source = signature.source};
      fresh.size = loaded->size;
      fresh.constant = signature.constant || loaded->constant;
      variables_.push_back(std::move(fresh));
      known = std::prev(variables_.end());
    }
    known->copies.push_back({module, signature.symbol, loaded->address});
  }
}

void ModuleVariables::remove_module(device::ModuleId module) {
  forget_elsewhere(module);
  for (auto& variable : variables_) {
    const auto newest = variable.copies[variable.newest()];
    std::erase_if(variable.copies, [&](const Copy& copy) { return copy.module == module; });
    if (newest.module != module || variable.copies.empty()) continue;
    auto& heir = variable.copies.front();
    if (heir.version == newest.version) continue;
    storage_.copy(device::StreamId{0}, {.to = heir.address, .from = newest.address, .width = variable.size});
    heir.version = newest.version;
  }
  std::erase_if(variables_, [&](const Variable& variable) {
    if (!variable.copies.empty()) return false;
    if (variable.backup != 0) storage_.free(variable.backup);
    return true;
  });
}

void ModuleVariables::clear() {
  for (const auto& variable : variables_)
    if (variable.backup != 0) storage_.free(variable.backup);
  variables_.clear();
  elsewhere_.clear();
}

void ModuleVariables::moved() {
  elsewhere_.clear();
  for (auto& variable : variables_) {
    variable.backup = 0;
    variable.version = variable.posted = variable.saved = 0;
  }
}

void ModuleVariables::reload_module(device::ModuleId module, const device::ModuleInfo& info) {
  forget_elsewhere(module);
  for (auto& variable : variables_)
    for (auto& copy : variable.copies) {
      if (copy.module != module) continue;
      copy.version = 0;
      for (const auto& loaded : info.variables)
        if (loaded.symbol == copy.symbol) copy.address = loaded.address;
    }
}

void ModuleVariables::post_before_launch(device::ModuleId module, device::StreamId stream) {
  for (auto& variable : variables_)
    for (auto& copy : variable.copies) {
      if (copy.module != module) continue;
      if (copy.version < variable.version) {
        storage_.copy(stream,
                      {.to = copy.address, .from = variable.copies[variable.newest()].address, .width = variable.size});
        copy.version = variable.version;
      }
      if (!variable.constant) copy.version = ++variable.version;
    }
}

ModuleVariables::Elsewhere& ModuleVariables::elsewhere(device::ModuleId module, std::uint32_t device,
                                                       const There& there) {
  const std::pair key{module, device};
  const auto known = elsewhere_.find(key);
  return known != elsewhere_.end() ? known->second
                                   : elsewhere_.emplace(key, Elsewhere{there().variables}).first->second;
}

void ModuleVariables::forget_elsewhere(device::ModuleId module) {
  std::erase_if(elsewhere_, [&](const auto& one) { return one.first.first == module; });
}

std::vector<device::CopyRequest> ModuleVariables::post_for(device::ModuleId module, std::uint32_t device,
                                                           const There& there) {
  std::vector<device::CopyRequest> copies;
  for (auto& variable : variables_)
    for (const auto& copy : variable.copies) {
      if (copy.module != module || variable.version == 0) continue;
      auto& other = elsewhere(module, device, there);
      if (other.versions[copy.symbol] == variable.version) continue;
      if (variable.posted != variable.version || variable.backup == 0) post_backup(variable);
      for (const auto& one : other.variables)
        if (one.symbol == copy.symbol)
          copies.push_back({.to = one.address, .from = variable.backup, .width = variable.size});
      other.versions[copy.symbol] = variable.version;
    }
  return copies;
}

std::optional<device::FillRequest> ModuleVariables::number(device::ModuleId module, std::uint32_t device,
                                                           std::uint32_t devices, const There& there) {
  auto& here = elsewhere(module, device, there);
  if (std::exchange(here.numbered, true)) return std::nullopt;
  for (const auto& one : here.variables) {
    if (one.symbol.find(kDeviceNumbers) == std::string::npos) continue;
    device::FillRequest request{one.address, 1, std::vector<std::byte>(2 * sizeof(int))};
    const int numbers[] = {static_cast<int>(device), static_cast<int>(devices)};
    std::memcpy(request.pattern.data(), numbers, sizeof numbers);
    return request;
  }
  return std::nullopt;
}

void ModuleVariables::post_save() {
  for (auto& variable : variables_)
    if (variable.saved != variable.version) post_backup(variable);
}

void ModuleVariables::saved() {
  for (auto& variable : variables_) variable.saved = variable.posted;
}

void ModuleVariables::post_backup(Variable& variable) {
  if (variable.backup == 0) variable.backup = storage_.allocate(variable.size);
  storage_.copy(device::StreamId{0},
                {.to = variable.backup, .from = variable.copies[variable.newest()].address, .width = variable.size});
  variable.posted = variable.version;
}

void ModuleVariables::post_keep(device::ModuleId module) {
  for (auto& variable : variables_)
    for (const auto& copy : variable.copies) {
      if (copy.module != module || variable.constant) continue;
      if (variable.kept == 0) variable.kept = storage_.allocate(variable.size);
      storage_.copy(device::StreamId{0},
                    {.to = variable.kept, .from = variable.copies[variable.newest()].address, .width = variable.size});
    }
}

void ModuleVariables::post_put_back(device::ModuleId module) {
  for (auto& variable : variables_)
    for (auto& copy : variable.copies) {
      if (copy.module != module || variable.kept == 0) continue;
      storage_.copy(device::StreamId{0}, {.to = copy.address, .from = variable.kept, .width = variable.size});
      copy.version = ++variable.version;
    }
}

void ModuleVariables::drop_kept() {
  for (auto& variable : variables_)
    if (const auto kept = std::exchange(variable.kept, 0); kept != 0) storage_.free(kept);
}

std::string ModuleVariables::post_restore() {
  std::string names;
  for (auto& variable : variables_) {
    variable.posted = variable.saved;
    if (variable.saved == 0) {  // never saved: the image's value is the newest there is
      variable.version = 0;
      continue;
    }
    variable.version = variable.saved;
    for (auto& copy : variable.copies) {
      storage_.copy(device::StreamId{0}, {.to = copy.address, .from = variable.backup, .width = variable.size});
      copy.version = variable.version;
    }
    const bool current = find(variable.name) && find(variable.name)->address == describe(variable).address;
    if (!current) continue;  // what only older kernels see has a namesake
    if (!names.empty()) names += ", ";
    names += variable.name;
  }
  return names;
}

ModuleVariables::Found ModuleVariables::describe(const Variable& variable) const {
  return {variable.name,     variable.type,   variable.size,
          variable.constant, variable.source, variable.copies[variable.newest()].address};
}

std::optional<ModuleVariables::Found> ModuleVariables::find(const std::string& name) const {
  for (auto variable = variables_.rbegin(); variable != variables_.rend(); ++variable)
    if (variable->name == name) return describe(*variable);
  return std::nullopt;
}

std::vector<ModuleVariables::Found> ModuleVariables::all() const {
  std::vector<Found> found;
  for (auto variable = variables_.rbegin(); variable != variables_.rend(); ++variable) {
    const bool shadowed =
        std::any_of(found.begin(), found.end(), [&](const Found& f) { return f.name == variable->name; });
    if (!shadowed) found.push_back(describe(*variable));
  }
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.name < b.name; });
  return found;
}

void ModuleVariables::wrote(const std::string& name) {
  for (auto variable = variables_.rbegin(); variable != variables_.rend(); ++variable) {
    if (variable->name != name) continue;
    variable->copies[variable->newest()].version = ++variable->version;
    return;
  }
}

void ModuleVariables::wrote_at(device::Address address) {
  for (auto& variable : variables_) {
    auto& newest = variable.copies[variable.newest()];
    if (address - newest.address < variable.size) newest.version = ++variable.version;
  }
}

}  // namespace xcuda::session
