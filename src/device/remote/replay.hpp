// Tells a new process what the old one knew.
#pragma once

#include <optional>
#include <vector>

#include "device/remote/line.hpp"
#include "device/remote/supervised_device.hpp"

namespace xcuda::device::remote {

class Replay {
 public:
  Replay(Line& connection, Journal& journal, const WaitRequest& limits)
      : connection_(connection), journal_(journal), limits_(limits) {}

  // False when the process was lost or refused what it has to do: loss() or error() tells. Modules that cannot be
  // loaded leave the journal and are named in the recovery.
  bool run(Recovery& recovery);

  const std::optional<Line::Loss>& loss() const { return loss_; }
  const std::optional<Error>& error() const { return error_; }
  std::optional<ModuleId> module() const { return module_; }  // that was being loaded when the process was lost

 private:
  std::optional<Line::Answer> ask(Verb verb, std::vector<std::byte> arguments, std::vector<File> files = {});
  bool tell(Verb verb, std::vector<std::byte> arguments) { return ask(verb, std::move(arguments)).has_value(); }
  bool obtain_window(Recovery& recovery);
  bool share_words();
  bool restore_memory(Recovery& recovery);
  bool load_modules(Recovery& recovery);
  bool load_host_modules(Recovery& recovery);
  bool place_variables(ModuleId module);
  bool restore_textures();

  Line& connection_;
  Journal& journal_;
  WaitRequest limits_;
  std::optional<Line::Loss> loss_;
  std::optional<Error> error_;
  std::optional<ModuleId> module_;
};

}  // namespace xcuda::device::remote
