// Files as the session sees them: opened here, decoded by the process xcuda-files, which is started when it is first
// wanted, ended by an interrupt, and replaced when it is gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/worker.hpp"
#include "files/array_file.hpp"
#include "files/module_file.hpp"

namespace xcuda::files {

// A file whose elements are to be read.
struct OpenArray {
  std::string path;
  ArrayFacts facts;
  std::uint64_t number = 0;  // of its opening
};

class Client {
 public:
  explicit Client(std::string program);  // path of xcuda-files; empty when it is not installed
  ~Client();                             // ends the process
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;

  // The kind follows from the path. Errors: those of InputFile and make_array_reader(); io when the process dies;
  // interrupted, also on the deadline.
  OpenArray open(const std::string& path, ArrayRequest wanted, const WaitLimits& limits);
  // The next elements. One file is open at a time: opening another one closes it.
  void read(const OpenArray& file, std::span<std::byte> elements, const WaitLimits& limits);

  // Decodes a module. Errors: those of read_module(); io when the process dies; interrupted, also on the deadline.
  compiler::CompileOutput module(const ModuleFile& file, const WaitLimits& limits);

  int process() const;  // pid of xcuda-files; 0 when none runs

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace xcuda::files
