// The modules of a device, by id; their variables are in its address space.
#pragma once

#include <fmt/format.h>

#include <map>
#include <memory>

#include "base/disk_cache.hpp"
#include "device/cpu/loaded_program.hpp"
#include "device/cpu/memory/address_space.hpp"

namespace xcuda::device::cpu {

template <class Id> Error taken(std::string_view what, Id id) {
  return Error(ErrorKind::value, fmt::format("{} {} already exists", what, static_cast<unsigned>(id)));
}

template <class Id> Error missing(std::string_view what, Id id) {
  return Error(ErrorKind::value, fmt::format("there is no {} {}", what, static_cast<unsigned>(id)));
}

// Null: the program has no such kernel.
const FunctionInfo* kernel_of(const LoadedModule& program, std::string_view entry);

class LoadedModules {
 public:
  LoadedModules(AddressSpace& space, const TranslatorOptions& options) : space_(space), translator_(options) {}

  void check_free(ModuleId id) const {  // Error(value): it is taken
    if (modules_.contains(id)) throw taken("module", id);
  }

  ModuleInfo load(const ModuleImage& image);     // errors: value, unsupported, compile, memory
  void unload(ModuleId id);                      // errors: value
  ModuleInfo info(ModuleId id);                  // errors: value
  std::vector<VariableInfo> texts(ModuleId id);  // which info() leaves out. Errors: value
  // The device's verb. Errors: value (the addresses are not entirely memory of this session), name.
  std::vector<std::byte> place_variables(ModuleId id, const std::vector<VariableInfo>& variables);
  LoadedModule* find(ModuleId id);                                  // null: it is not loaded
  const FunctionInfo& kernel(ModuleId id, std::string_view entry);  // errors: value, name
  void prepare(const PrepareRequest& request);                      // nothing when there is no such kernel
  MachineCode machine_code(const CodeRequest& request, const CompileWait& wait);  // errors: value, name, unsupported
  std::string target() const { return translator_.target(); }
  CompileJobs& jobs() { return *translator_.jobs(); }

 private:
  struct Module {
    std::unique_ptr<LoadedModule> program;
    Nanoseconds load_time = 0;
  };
  Module& loaded(ModuleId id);
  static ModuleInfo info_of(const Module& module);
  void add_variables(const LoadedModule& program);
  void drop_variables(const LoadedModule& program);

  AddressSpace& space_;
  Translator translator_;
  std::map<ModuleId, Module> modules_;
};

}  // namespace xcuda::device::cpu
