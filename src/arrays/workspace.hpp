// What array operations need of the session that they run for: a device, a compiler, and what cells define.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/type.hpp"
#include "cell/lexer.hpp"
#include "compiler/compile_output.hpp"
#include "compiler/program.hpp"
#include "device/device.hpp"

namespace xcuda::arrays {

class Workspace {
 public:
  virtual ~Workspace() = default;

  virtual const device::DeviceInfo& device_info() = 0;  // of the device in use, which is started when it is not

  virtual compiler::CompileOutput compile(const compiler::CompileRequest& request) = 0;
  // The request for a source together with the cells' definitions of the names in it, compiled as cells are.
  virtual compiler::CompileRequest beside_cells(const compiler::Program::Addition& addition) = 0;
  struct Cells {
    std::uint64_t revision = 0;  // rises when a cell changes what it may give
    std::string_view options;    // of the compiler, for all cells; until they change
  };
  virtual Cells cells() = 0;
  // The layout of a type that cells may define. Error(name), at the span, when there is none.
  virtual Type find_type(const std::string& spelling, const cell::Source& source, cell::Span span) = 0;

  struct Loaded {
    device::ModuleId id{};
    device::ModuleInfo info;
  };
  virtual Loaded load(const compiler::CompileOutput& output) = 0;
  virtual void unload(device::ModuleId module) = 0;

  virtual device::Address allocate(std::uint64_t bytes) = 0;  // without a name; Error(memory)
  virtual void free(device::Address address) = 0;             // after what was posted
  // Memory of the current device that stays, one piece for each: whoever asks reads what is in it before anybody asks
  // for that of this device again.
  virtual device::Address scratch(std::uint64_t bytes) = 0;

  // Posts to the stream that is used where none is named. name: for errors. What is given may keep its memory.
  virtual void launch(device::LaunchRequest&& request, const std::string& name) = 0;
  virtual void fill(const device::FillRequest& request) = 0;
  virtual void copy(device::Address to, device::Address from, std::uint64_t bytes) = 0;

  // The library for calls of a family, opened if needed. Error(unsupported), with the line that installs it.
  virtual const library::Facts& library(library::Family family) = 0;
  // The workspace that a call needs of its own, where the library plans it. Errors: unsupported, device, memory.
  virtual std::uint64_t workspace_bytes(const library::Call& call) = 0;
  // Posts the call like a launch. Without a workspace of its own it uses the library's.
  virtual void call(library::Call call, const std::string& name) = 0;

  virtual void write(device::Address to, std::span<const std::byte> bytes) = 0;
  // These two synchronise.
  virtual void read(device::Address from, std::span<std::byte> bytes) = 0;
  virtual void read_pieces(device::Address from, std::uint64_t bytes,
                           const std::function<void(std::span<const std::byte>)>& take) = 0;

 protected:
  Workspace() = default;
  Workspace(const Workspace&) = default;
  Workspace& operator=(const Workspace&) = default;
};

}  // namespace xcuda::arrays
