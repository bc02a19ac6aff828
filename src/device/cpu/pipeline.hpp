// PTX to native code: Translator owns the JIT, a Program is one loaded PTX module in it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/disk_cache.hpp"
#include "device/cpu/run/program.hpp"

namespace xcuda::ptx {
struct Module;
}

namespace xcuda::device::cpu {

struct TranslatorOptions {
  std::string cpu;  // LLVM's name; empty is XCUDA_CPU_TARGET, else the host
  // Compiled objects of earlier processes. A key holds all that can change the object: PTX, entry, block shape, checks,
  // target, version. None: everything is compiled anew.
  DiskCache* store = nullptr;
};

class Translator {
 public:
  explicit Translator(const TranslatorOptions& options = {});
  ~Translator();
  Translator(Translator&&) noexcept;
  Translator& operator=(Translator&&) noexcept;

  // name: the cell it came from. text: the PTX that the module was parsed from; without it nothing is stored. A program
  // must not outlive its translator. Errors: unsupported, compile, memory.
  std::unique_ptr<Program> load(std::shared_ptr<const ptx::Module> module, std::string name,
                                std::string_view text = {});

  std::string target() const;  // "LLVM 19.1.7 (sapphirerapids, AVX-512)"

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace xcuda::device::cpu
