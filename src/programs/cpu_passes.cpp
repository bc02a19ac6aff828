// cpu_passes: a kernel after a pass of the CPU device, for developers. Not installed.
//   cpu_passes                                                      the names of the passes
//   cpu_passes FILE.ptx KERNEL PASS [X Y Z] [unchecked] [race] [init] [shared] [inlined] [quick]
//                                                         blocks of X * Y * Z threads, else of 256
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "device/cpu/loaded_program.hpp"
#include "device/cpu/pipeline.hpp"

int main(int argc, char** argv) {
  namespace cpu = xcuda::device::cpu;
  if (argc < 4) {
    for (const std::string& name : cpu::pass_names()) fmt::print("{}\n", name);
    return argc > 1;
  }
  std::ifstream file(argv[1]);
  if (!file) return fmt::print(stderr, "cannot open {}\n", argv[1]), 1;
  const std::string ptx{std::istreambuf_iterator<char>(file), {}};
  cpu::KernelRequest kernel{argv[2], {}, {256, 1, 1}, {}};
  std::optional<cpu::Dispatch> dispatch;
  cpu::Tier tier = cpu::Tier::full;
  std::uint32_t* sizes[] = {&kernel.block.x, &kernel.block.y, &kernel.block.z};
  std::size_t given = 0;
  for (int i = 4; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "unchecked")
      kernel.checks.bounds = false;
    else if (word == "race")
      kernel.checks.races = true;
    else if (word == "init")
      kernel.checks.uninitialised = true;
    else if (word == "shared")
      dispatch = cpu::Dispatch::shared;
    else if (word == "inlined")
      dispatch = cpu::Dispatch::inlined;
    else if (word == "quick")
      tier = cpu::Tier::quick;
    else if (given < 3)
      *sizes[given++] = static_cast<std::uint32_t>(std::atoi(argv[i]));
  }
  cpu::Translator translator;
  fmt::print("{}", cpu::text_after({argv[3], ptx, kernel, translator.jit(), dispatch, tier}));
}
