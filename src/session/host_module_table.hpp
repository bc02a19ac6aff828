// Functions of host modules, which cells of %%cuda without main() define, by name.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/compile_output.hpp"
#include "device/device.hpp"

namespace xcuda::session {

struct ModuleFunction {
  device::HostFunctionInfo info;
  compiler::KernelSignature signature;  // of info, as arguments are checked
  device::FunctionInfo layout;          // of the arguments, one after the other
  device::ModuleId module{};
  std::uint32_t index = 0;  // in the module
  std::string source;       // the cell, "In[7]"
  std::string text;         // of its definition
};
using ModuleFunctionPtr = std::shared_ptr<const ModuleFunction>;

struct HostModuleCell {
  device::ModuleId id{};
  std::string source;  // "In[7]"
  device::HostModuleInfo info;
  std::vector<std::string> templates;        // names of function templates, which have no code of their own
  std::map<std::string, std::string> texts;  // of definitions, by name
};

class HostModuleTable {
 public:
  // Defines the functions of these names, in place of all that had them. Returns the modules that have lost their last
  // function, for unloading.
  std::vector<device::ModuleId> define(HostModuleCell cell);
  void forget(std::string_view name);  // another definition has this name now
  void clear();

  // Overloads, of one cell; empty if no function has this name.
  const std::vector<ModuleFunctionPtr>& find(std::string_view name) const;
  const std::string* source_of_template(std::string_view name) const;  // its cell; null if no template has this name
  std::vector<std::string> names() const;
  bool empty() const { return functions_.empty(); }

  // Notes a module that the device has lost, and why; calls of its functions report that.
  void lose(device::ModuleId id, std::string why) { lost_[id] = std::move(why); }
  void lose_all(const std::string& why);
  const std::string* why_lost(device::ModuleId id) const;

  // Notes that the device's process was replaced: static variables and modules' memory are as at first. Told once.
  void reloaded() { news_ = !functions_.empty(); }
  bool take_news();

 private:
  std::map<std::string, std::vector<ModuleFunctionPtr>, std::less<>> functions_;
  std::map<std::string, std::string, std::less<>> templates_;  // name -> cell
  std::map<device::ModuleId, std::string> lost_;
  bool news_ = false;
};

inline constexpr std::string_view kReloadedNote =
    "The host modules were loaded again: their static variables are as at first, and what they had allocated is gone.";

}  // namespace xcuda::session
