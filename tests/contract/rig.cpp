#include "tests/contract/rig.hpp"

#include <dirent.h>
#include <sys/wait.h>

#include <cerrno>
#include <fstream>

#include "tests/places.hpp"

namespace xcuda::device::contract {

void Contract::SetUp() {
  if (!GetParam().missing.empty()) GTEST_SKIP() << GetParam().missing;
  start();
}

void Contract::start(const Window& window) {
  device_.reset();
  MakeRequest request;
  request.window = window;
  request.on_output = [this](OutputStream, std::string_view text) { output_ += text; };
  request.limits = [this] {
    WaitRequest limits;
    limits.interrupt = &interrupt_;
    limits.grace = std::chrono::milliseconds(50);
    return limits;
  };
  device_ = GetParam().make(request);
  info_ = device_->info();
}

MemoryRequest Contract::memory_request(std::uint32_t index, std::uint64_t granules) const {
  return {MemoryId{index}, info_.window.base + index * 64 * info_.memory_granularity,
          granules * info_.memory_granularity};
}

Address Contract::add_memory(std::uint32_t index, std::uint64_t granules) {
  const auto request = memory_request(index, granules);
  device().create_memory(request);
  return request.address;
}

ModuleImage Contract::image(std::uint32_t id) const {
  return {ModuleId{id}, "In[1]", GetParam().ptx, GetParam().cubin, GetParam().architecture};
}

const ModuleInfo& Contract::load() {
  module_ = device().load_module(image(1));
  return module_;
}

const ModuleInfo& Contract::load(const std::string& file) {
  module_ = device().load_module({ModuleId{1}, "In[1]", contract_file(file), {}, ""});
  return module_;
}

const FunctionInfo& Contract::function(const std::string& entry) const {
  for (const auto& function : module_.functions)
    if (function.entry == entry) return function;
  throw Error(ErrorKind::internal, "the test's module has no kernel " + entry);
}

Completion Contract::finish_well() {
  auto completion = finish();
  EXPECT_FALSE(completion.fault) << fault_name(completion.fault->kind) << ": " << completion.fault->library;
  EXPECT_TRUE(completion.refused.empty()) << completion.refused[0].library;
  EXPECT_TRUE(completion.skipped.empty());
  EXPECT_FALSE(completion.recovery);
  return completion;
}

void Contract::fill(Address address, std::uint64_t count, std::uint32_t value, StreamId stream) {
  FillRequest request;
  request.address = address;
  request.count = count;
  request.pattern.resize(sizeof value);
  std::memcpy(request.pattern.data(), &value, sizeof value);
  device().post_fill(stream, request);
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  auto* const folder = opendir("/proc/self/fd");
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}

bool has_children() { return waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD; }

std::string contract_file(const std::string& name) {
  std::ifstream file(test::source_file("tests/contract/" + name));
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace xcuda::device::contract
