// A session on the fake device, whose compiler knows nothing but the signatures that a test tells it: cells run in
// microseconds, and without a process.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/compile_output.hpp"
#include "device/fake.hpp"
#include "display/launch_report.hpp"
#include "interpreter/launches/launch_options.hpp"
#include "session/session.hpp"

namespace xcuda::interpreter {

// What a cell did: all that it showed, and the error that ended it.
struct Ran {
  std::string text;
  std::string error;   // "ValueError: index 4 is out of bounds: x has 4 elements there"; empty: it ran to its end
  std::string at;      // what the error's place underlines
  std::string advice;  // of the error
  std::vector<std::string> notes;
};

class Interpreted : public testing::Test {
 protected:
  using Kernel = std::function<void(device::FakeLaunch&)>;
  struct Declared {
    std::string type, name;  // {"const float*", "x"}
  };

  Interpreted();
  ~Interpreted() override;

  // All of these come before the first cell. A cell's kernels and types are those that it names, with what was told of
  // them; the text of their definitions is not looked at.
  void kernel(const std::string& name, const std::vector<Declared>& parameters, Kernel body);
  void type(compiler::TypeLayout layout) { types_[layout.type] = std::move(layout); }
  // A kernel of the session's own, wherever one of this name is written.
  void operation(const std::string& name, const std::vector<Declared>& parameters, Kernel body);
  void before_verbs(std::function<void(std::string_view)> before) { device_options_.before = std::move(before); }
  void fault_at_launch(std::uint64_t number, device::Fault fault) { device_options_.faults[number] = std::move(fault); }

  Ran run(const std::string& code);  // the next cell
  // The text of a cell that has to run to its end.
  std::string shown(const std::string& code);
  session::Session& session();

  // Of %%launch and %%launch --graph, which are the only commands that do something.
  LaunchOptions options;
  display::LaunchReport report;  // of the last one

  std::function<void(std::string_view)> printed;  // called with all that cells print, as they do
  std::vector<std::string> compiled;              // the names of what was compiled

 private:
  struct Commands;
  struct Outputs;
  compiler::KernelSignature signature_of(const std::string& name, const std::vector<Declared>& parameters) const;
  compiler::CompileOutput compile(const compiler::CompileRequest& request);
  void start();

  device::FakeOptions device_options_;
  std::map<std::string, compiler::KernelSignature> kernels_, operations_;
  std::map<std::string, compiler::TypeLayout> types_;
  std::unique_ptr<Commands> commands_;
  std::optional<session::Session> session_;
  int cells_ = 0;
};

}  // namespace xcuda::interpreter
