// Every line of isa.hpp on the CPU device; and where there is a ptxas, that it takes what is here for sm_80, so that
// the list holds PTX and no inventions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "device/cpu/cpu_device.hpp"
#include "device/transfer.hpp"
#include "ptx/instructions.hpp"
#include "tests/opcodes/cases.hpp"
#include "tests/opcodes/isa.hpp"
#include "tests/places.hpp"

namespace xcuda::opcodes {
namespace {

class Isa : public testing::Test {
 protected:
  void SetUp() override { start(); }

  void start() {
    device_.reset();  // gives the window back
    device::cpu::CpuOptions options;
    options.threads = 1;
    options.store = device::cpu::CpuOptions::Store::none;
    options.output = [](std::string_view) {};
    options.error_output = [](std::string_view) {};
    device_ = device::cpu::make_cpu_device({}, options);
    const device::DeviceInfo info = device_->info();
    base_ = info.window.base;
    memory_ = device_->create_memory({device::MemoryId{1}, base_, info.memory_granularity});
  }

  // The answers of 32 lanes; or what was said.
  struct Answer {
    std::vector<std::uint32_t> values;
    std::string said;
    int line = 0;
  };
  Answer run(const Line& line) {
    Answer answer;
    try {
      device_->load_module({device::ModuleId{++modules_}, "In[7]", isa_module(line), {}, ""});
      std::vector<std::uint32_t> memory(32 * 16);
      for (std::uint32_t i = 0; i < memory.size(); ++i) memory[i] = i;
      device::Transfer transfer(*device_);
      const device::Address memory_at = base_ + 4096;
      transfer.write({.address = memory_at, .width = memory.size() * 4}, std::as_bytes(std::span(memory)));
      device::LaunchRequest launch;
      launch.number = ++launches_;
      launch.module = device::ModuleId{modules_};
      launch.entry = "listed";
      launch.grid = {1};
      launch.block = {32};
      launch.dynamic_shared = 1024;
      const device::Address arguments[] = {base_, memory_at};
      launch.arguments.resize(sizeof arguments);
      std::memcpy(launch.arguments.data(), arguments, sizeof arguments);
      device_->post_launch(launch);
      const device::Completion completion = device_->synchronize({});
      if (completion.fault) {
        answer.said = "fault: " + completion.fault->message;
        start();
        return answer;
      }
      answer.values.resize(32);
      transfer.read({.address = base_, .width = 128}, std::as_writable_bytes(std::span(answer.values)));
      device_->unload_module(device::ModuleId{modules_});
    } catch (const Error& error) {
      answer.values.clear();
      answer.said = error.message + " " + error.library;
      answer.line = error.place ? error.place->line : 0;
    }
    return answer;
  }

 private:
  std::unique_ptr<device::Device> device_;
  device::Address base_ = 0;
  File memory_;
  std::uint32_t modules_ = 0;
  std::uint64_t launches_ = 0;
};

TEST_F(Isa, RunsRightOrSaysWhatItCannot) {
  for (const Line& line : isa_lines()) {
    SCOPED_TRACE(line.name);
    const Answer answer = run(line);
    if (line.value) {
      if (answer.values.empty()) {
        ADD_FAILURE() << line.name << ": " << answer.said;
        continue;
      }
      for (std::uint32_t lane = 0; lane < 32; ++lane)
        if (answer.values[lane] != line.value(lane)) {
          ADD_FAILURE() << fmt::format("{}: lane {} has {:#x} instead of {:#x}", line.name, lane, answer.values[lane],
                                       line.value(lane));
          break;
        }
      continue;
    }
    EXPECT_TRUE(answer.values.empty()) << line.name << " runs";
    EXPECT_EQ(answer.said.find("has no code for"), answer.said.npos)
        << "refused where code is emitted, and not by the pass: " << answer.said;
    const std::string opcode = line.name.substr(0, line.name.find_first_of(" ,"));
    EXPECT_NE(answer.said.find(opcode), answer.said.npos) << answer.said;
    EXPECT_NE(answer.said.find("listed"), answer.said.npos) << answer.said;
    EXPECT_NE(answer.said.find(line.refused), answer.said.npos) << answer.said;
    EXPECT_EQ(answer.line, 12) << answer.said;
  }
}

// Each row of instructions.def is run by a line, a case or a kernel of the tests, or it has no emitter and a line says
// with which words it is refused.
TEST(IsaList, HasEveryInstruction) {
  std::set<std::string> run, refused;
  const auto add = [](std::string body, std::set<std::string>& to) {
    std::replace_if(
        body.begin(), body.end(), [](char c) { return std::strchr(";:{}", c) != nullptr; }, ' ');
    std::istringstream words(body);
    for (std::string word; words >> word;) to.insert(word.substr(0, word.find('.')));
  };
  for (const Line& line : isa_lines()) add(line.body + line.module, line.value ? run : refused);
  for (const Family& family : families())
    for (const Case& each : family.cases) add(each.body, run);
  // Textures have handles, which lines and cases have not.
  for (const char* name : {"textures", "surfaces"}) {
    std::ifstream file(test::source_file(fmt::format("tests/contract/{}.ptx", name)));
    add({std::istreambuf_iterator<char>(file), {}}, run);
  }
  for (const ptx::InstructionRow& row : ptx::instruction_rows()) {
    const std::string text(row.text);
    if (row.family == ptx::Family::none)
      EXPECT_TRUE(text.empty() || (refused.contains(text) && !run.contains(text))) << text;
    else
      EXPECT_TRUE(run.contains(text)) << text;
  }
}

// What ptxas says of modules.
std::string assembled(const std::vector<std::string>& modules) {
  static const std::string ptxas = [] {
    const char* const home = std::getenv("CUDA_HOME");
    for (const std::string& path :
         {home ? std::string(home) + "/bin/ptxas" : std::string(), std::string("/usr/local/cuda/bin/ptxas")})
      if (!path.empty() && std::filesystem::exists(path)) return path;
    return std::string(std::system("ptxas --version > /dev/null 2>&1") == 0 ? "ptxas" : "");
  }();
  if (ptxas.empty()) return "no ptxas";
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("xcuda-isa-{}", ::getpid());
  std::filesystem::create_directories(folder);
  std::string said;
  const auto file = folder / "all.ptx", log = folder / "log";
  for (std::size_t i = 0; i < modules.size(); ++i) {
    std::ofstream(file) << modules[i];
    if (std::system(fmt::format("{} -O0 -arch=sm_80 {} -o {} > {} 2>&1", ptxas, file.string(),
                                (folder / "all.cubin").string(), log.string())
                        .c_str())) {
      std::ifstream text(log);
      said.append(std::istreambuf_iterator<char>(text), {});
    }
  }
  std::filesystem::remove_all(folder);
  return said;
}

TEST_F(Isa, IsPtx) {
  if (assembled({}) == "no ptxas") GTEST_SKIP() << "there is no ptxas";
  std::vector<const Line*> lines;
  for (const Line& line : isa_lines())
    if (line.architecture <= 80) lines.push_back(&line);
  // All kernels that need nothing beside them as one module, which takes a second; if it is refused, each by itself.
  std::string all;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i]->module.empty()) continue;
    const std::string text = isa_module(*lines[i]), name = "listed(";
    const std::size_t at = text.find(name), end = text.find(".file 1");
    all += text.substr(all.empty() ? 0 : text.find(".visible"), at - (all.empty() ? 0 : text.find(".visible")));
    all += fmt::format("listed_{}(", i) + text.substr(at + name.size(), end - at - name.size());
  }
  const bool taken = assembled({all + ".file 1 \"/In[7]\"\n"}).empty();
  for (const Line* line : lines)
    if (!taken || !line->module.empty()) {
      EXPECT_EQ(assembled({isa_module(*line)}), "") << line->name << "\n" << line->body;
    }
}

}  // namespace
}  // namespace xcuda::opcodes
