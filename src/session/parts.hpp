// The parts of a session, and the interface to the layers above it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/compile_output.hpp"
#include "device/device.hpp"
#include "device/selector.hpp"
#include "files/files_client.hpp"
#include "session/current.hpp"

namespace xcuda::python {
class Client;
}

namespace xcuda::session {

class Session;

// The magics, the help lines and the shell, which live in command/ and know the session.
class Commands {
 public:
  virtual ~Commands() = default;
  virtual cell::Grammar grammar() const { return nullptr; }  // of their lines and cells
  // Checks that a command can run as it is written, before any of its cell runs. Throws as run() does.
  virtual void check(const CellRun&, const cell::Magic&) {}
  virtual void run(Session& session, CellRun& run, const cell::Magic& magic) = 0;
  virtual void help(Session& session, CellRun& run, const cell::Help& help, cell::Span span) = 0;
  virtual void shell(Session& session, CellRun& run, const cell::Shell& shell, cell::Span span) = 0;
  virtual void cell_ended(Session& session) { (void)session; }  // that went well

 protected:
  Commands() = default;
  Commands(const Commands&) = default;
  Commands& operator=(const Commands&) = default;
};

using OutputHandler = std::function<void(OutputStream, std::string_view)>;

// A device that %device can choose.
struct DeviceChoice {
  device::Selector selector;
  std::string reason;  // why it cannot be had; empty when it can
  std::function<std::unique_ptr<device::Device>(const OutputHandler&)> start;
  std::optional<device::DeviceInfo> info;  // since it was looked for
};

// Where functions and loops of the host run.
enum class HostCode : std::uint8_t {
  beside_gpu,  // over mirrors of a GPU's memory; on the CPU device over the arrays themselves
  mirrored,    // over mirrors on every device, for tests
};

struct SessionParts {
  std::function<compiler::CompileOutput(const compiler::CompileRequest&, const WaitLimits&)> compile;
  std::vector<DeviceChoice> devices;  // the first one that can be had is used
  // All devices of the machine, with their facts. Takes a fraction of a second, as it asks the drivers.
  std::function<std::vector<DeviceChoice>(const WaitLimits&)> look;
  // Several of them as one: the choice for a selector with a count.
  std::function<DeviceChoice(const device::Selector&)> together;
  std::shared_ptr<files::Client> files;
  std::shared_ptr<python::Client> python;
  std::function<std::vector<std::string>()> library_folders;  // where libraries may be, as of now
  HostCode host_code = HostCode::beside_gpu;
  std::string disassembler;  // path of nvdisasm or cuobjdump; empty when there is none
};

}  // namespace xcuda::session
