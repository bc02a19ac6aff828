// A remote device that is replaced when it is lost: a new process starts and receives what the old one had received,
// so that arrays, modules, streams, events, textures and limits are still there. One recovery path for every
// fault, death, hang, interrupt and time limit of every device.
#pragma once

#include <map>
#include <set>
#include <variant>
#include <vector>

#include "device/remote/remote_device.hpp"
#include "device/remote/visible_memory.hpp"

namespace xcuda::device::remote {

// What a new process has to be told.
struct Journal {
  struct Memory {
    MemoryRequest request;
    File descriptor;
    enum class Kind : std::uint8_t { own, mirror } kind = Kind::own;
  };  // descriptor empty: contents end with the process

  std::optional<Window> window;  // known since the first answer
  std::map<MemoryId, Memory> memory;
  std::map<Address, ArrayRange> ranges;
  std::vector<ModuleImage> modules;  // in the order of loading
  std::vector<HostModuleImage> host_modules;
  std::set<ModuleId> with_variables;  // the modules that have variables
  std::map<ModuleId, std::vector<VariableInfo>> placed;
  File words;  // that it shares with others; may be empty
  std::set<StreamId> streams;
  std::set<EventId> events;
  std::map<TextureId, TextureRequest> textures;
  std::map<Limit, std::uint64_t> limits;

  void move(const Window& to);  // the window: all addresses move along
};

class SupervisedDevice : public RemoteDevice {
 public:
  using RemoteDevice::RemoteDevice;

  DeviceInfo info() override;
  File create_memory(const MemoryRequest& request) override;  // a descriptor is kept here; the one returned is a copy
  void import_memory(const MemoryRequest& request, const File& descriptor) override;
  void mirror_memory(const MemoryRequest& request, const File& descriptor) override;
  void destroy_memory(MemoryId id) override;
  std::span<const std::byte> visible(Address from, std::uint64_t bytes) override;
  void post_name_range(const ArrayRange& range) override;
  void post_forget_range(Address address) override;
  ModuleInfo load_module(const ModuleImage& image) override;
  void unload_module(ModuleId id) override;
  std::vector<std::byte> place_variables(ModuleId module, const std::vector<VariableInfo>& variables) override;
  HostModuleInfo load_host_module(const HostModuleImage& image) override;
  void unload_host_module(ModuleId id) override;
  bool share_words(const File& words) override;
  void create_stream(StreamId id) override;
  void destroy_stream(StreamId id) override;
  void create_event(EventId id) override;
  void destroy_event(EventId id) override;
  void create_texture(const TextureRequest& request) override;
  void post_destroy_texture(TextureId id) override;
  void set_limit(Limit limit, std::uint64_t bytes) override;

  void rouse() override;
  // Starts a new process, also after rest() or when the device could not be replaced. Errors: device.
  Recovery restart() override;
  void rest() override;

 protected:
  Completion after_loss(Line::Loss loss) override;
  void leaving() override;
  bool has_module_variables() const override {
    return !journal_.with_variables.empty() || !journal_.host_modules.empty();
  }

 private:
  std::unique_ptr<Line> connect_once_more();
  bool connect_again(std::optional<Error>& refused);
  void leave_sandbox();
  std::variant<Recovery, Error> revive(Line::Loss last, int attempts);
  void learn_window();
  void remember(const MemoryRequest& request, File descriptor);
  void see_again();

  std::unique_ptr<Line> successor_;  // of a process that is leaving; it starts meanwhile
  bool try_again_ = false;           // the device was given up, but no attempt hung
  Journal journal_;
  Kind kind_ = Kind::fake;  // what the worker's info says
  VisibleMemory visible_;   // of the files in the journal
  bool in_sandbox_ = true;  // until a host module is loaded
};

}  // namespace xcuda::device::remote
