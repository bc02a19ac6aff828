// __device__ and __constant__ variables: one variable each, although every module that can see it holds a copy of its
// own in module memory, which no restart of the device's process survives.
//
// The newest copy is copied, device to device, over the others before a launch that can see them; it is saved to
// exported memory at each synchronisation and restored from there after a fault.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/compile_output.hpp"
#include "device/device.hpp"

namespace xcuda::session {

class ModuleVariables {
 public:
  struct Storage {
    // Exported memory for a backup; freed by the second when a variable goes. May throw Error(memory).
    std::function<device::Address(std::uint64_t bytes)> allocate;
    std::function<void(device::Address)> free;
    std::function<void(device::StreamId, const device::CopyRequest&)> copy;  // posted
  };
  explicit ModuleVariables(Storage storage) : storage_(std::move(storage)) {}

  // Adds the copies that a loaded module holds. signatures and info are matched by symbol.
  void add_module(device::ModuleId module, const std::vector<compiler::VariableSignature>& signatures,
                  const device::ModuleInfo& info);
  // Called before a module is unloaded: a newest value moves to another copy; a variable ends with its last copy.
  void remove_module(device::ModuleId module);
  void clear();
  // Called after a restart: new addresses; every copy is as in the module's image.
  void reload_module(device::ModuleId module, const device::ModuleInfo& info);

  void moved();  // to another device: no backups, no value has been written yet

  // Called before a launch of this module on this stream; afterwards its __device__ variables count as written.
  void post_before_launch(device::ModuleId module, device::StreamId stream);
  // The same on another device of a set, which has copies of its own: they are as the first device's when that has
  // changed, and what code writes to them stays there. Returns the copies from exported memory that have to follow what
  // was posted. `there` tells where they are.
  using There = std::function<device::ModuleInfo()>;
  std::vector<device::CopyRequest> post_for(device::ModuleId module, std::uint32_t device, const There& there);
  // Which device of how many it is, for code that asks (xcuda/devices.cuh); nothing where it is known there already.
  std::optional<device::FillRequest> number(device::ModuleId module, std::uint32_t device, std::uint32_t devices,
                                            const There& there);

  // For repeated launches: what this module may write is kept now, and put back before each repetition. Not in the
  // backup, which has the newest value after each synchronisation.
  void post_keep(device::ModuleId module);
  void post_put_back(device::ModuleId module);
  void drop_kept();
  // Part of each synchronisation: copies what may have been written to its backup. Call this before synchronize(), and
  // saved() when that went well: a copy after a fault never ran.
  void post_save();
  void saved();
  // Called after a restart: copies every backup into the copies. Returns the names, "counter, table".
  std::string post_restore();

  struct Found {
    std::string name, type;  // element type; empty when unknown
    std::uint64_t size = 0;  // bytes
    bool constant = false;
    std::string source;           // the cell that defined it
    device::Address address = 0;  // of the newest copy, in this process
  };
  std::optional<Found> find(const std::string& name) const;  // the one defined last
  std::vector<Found> all() const;                            // by name, the ones defined last
  void wrote(const std::string& name);                       // the host wrote to the newest copy
  void wrote_at(device::Address address);  // wrote(), if the newest copy of a variable holds this address
  bool any() const { return !variables_.empty(); }

 private:
  struct Copy {
    device::ModuleId module{};
    std::string symbol;
    device::Address address = 0;
    std::uint64_t version = 0;
  };
  struct Variable {
    std::string name, type, source;
    std::uint64_t size = 0;
    bool constant = false;
    std::uint64_t version = 0;  // of the newest value; 0 is the initial one, which every copy has
    std::uint64_t posted = 0;   // version whose copy to the backup was posted
    std::uint64_t saved = 0;    // version that the backup holds for certain; 0: none
    device::Address backup = 0, kept = 0;
    std::vector<Copy> copies;
    std::size_t newest() const;  // index into copies
  };
  // What another device knows of a module.
  struct Elsewhere {
    std::vector<device::VariableInfo> variables;
    std::map<std::string, std::uint64_t> versions;  // by symbol
    bool numbered = false;
  };
  Elsewhere& elsewhere(device::ModuleId module, std::uint32_t device, const There& there);
  void forget_elsewhere(device::ModuleId module);
  Found describe(const Variable& variable) const;
  void post_backup(Variable& variable);

  Storage storage_;
  std::vector<Variable> variables_;
  std::map<std::pair<device::ModuleId, std::uint32_t>, Elsewhere> elsewhere_;
};

}  // namespace xcuda::session
