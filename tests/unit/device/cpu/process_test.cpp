// What needs a process of its own: signals of generated code. And what the next process finds on disk.
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <filesystem>
#include <map>
#include <new>

#include "device/fault_record.hpp"
#include "tests/places.hpp"
#include "tests/unit/device/cpu/device_fixture.hpp"

namespace xcuda::device::cpu {
namespace {

std::string faults_ptx() {
  std::ifstream stream(test::source_file("tests/kernels/ptx/faults.ptx"));
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(CpuProcess, ASignalOfGeneratedCodeLeavesWord) {
  void* shared = mmap(nullptr, sizeof(FaultRecord), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto* record = new (shared) FaultRecord;
  const pid_t child = fork();
  if (child == 0) {
    CpuOptions options;
    options.threads = 2;
    options.store = CpuOptions::Store::none;
    StartRequest start;
    start.fault_record = record;
    const auto device = make_cpu_device(start, options);
    device->load_module({ModuleId{1}, "In[3]", faults_ptx(), {}, ""});
    LaunchRequest request;
    request.number = 42;
    request.module = ModuleId{1};
    request.entry = "beyond";
    request.grid = {5};
    request.block = {32};
    request.checks.bounds = false;
    const Address stray = device->info().window.base + (1 << 20);  // of the window, but nothing is there
    request.arguments.resize(8);
    std::memcpy(request.arguments.data(), &stray, 8);
    device->post_launch(request);
    device->synchronize({});
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_NE(WEXITSTATUS(status), 0);
  const std::optional<Fault> fault = read_fault(*record);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::illegal_address);
  EXPECT_EQ(fault->launches, std::vector<std::uint64_t>{42});
  EXPECT_EQ(fault->entry, "beyond");
  EXPECT_EQ(fault->library, "SIGSEGV");
  EXPECT_TRUE(fault->address);
  munmap(shared, sizeof(FaultRecord));
}

// An object that is found stays the file that it was; one that is compiled again replaces it.
TEST(CpuProcess, TheNextDeviceStartsWarm) {
  namespace fs = std::filesystem;
  const auto cache = fs::path(testing::TempDir()) / ("warm-" + std::to_string(getpid()));
  fs::remove_all(cache);
  setenv("XCUDA_CACHE_DIR", cache.c_str(), 1);
  const auto run = [&](Checks checks, Dim3 block) {
    CpuOptions options;
    options.threads = 1;
    const auto device = make_cpu_device({}, options);
    device->load_module({ModuleId{1}, "In[3]", faults_ptx(), {}, ""});
    const MemoryRequest memory{MemoryId{1}, device->info().window.base, 2 << 20};
    const File file = device->create_memory(memory);
    LaunchRequest request;
    request.module = ModuleId{1};
    request.entry = "beyond";
    request.block = block;
    request.checks = checks;
    request.arguments.resize(8);
    std::memcpy(request.arguments.data(), &memory.address, 8);
    device->post_launch(request);
    device->post_read(StreamId{0}, {0, memory.address, 32 * sizeof(float)});
    EXPECT_FALSE(device->synchronize({}).fault);
    float last = 0;
    std::memcpy(&last, device->staging().data() + 7 * sizeof(float), sizeof last);
    EXPECT_EQ(last, 1.0f);
    std::map<std::string, ino_t> files;
    for (const auto& entry : fs::directory_iterator(cache / "cpu")) {
      struct stat status {};
      stat(entry.path().c_str(), &status);
      files[entry.path().filename()] = status.st_ino;
    }
    return files;
  };
  const auto first = run({}, {32});
  EXPECT_EQ(first.size(), 1u);
  EXPECT_EQ(run({}, {32}), first);
  EXPECT_EQ(run({}, {64}), first);  // of the same shape
  EXPECT_EQ(run({}, {8, 4}).size(), 2u);
  EXPECT_EQ(run({.bounds = false}, {32}).size(), 3u);
  for (const auto& entry : fs::directory_iterator(cache / "cpu")) fs::resize_file(entry.path(), 100);
  run({}, {32});  // a damaged entry is a miss, and is written again
  EXPECT_GT(fs::file_size(cache / "cpu" / first.begin()->first), 100u);
  unsetenv("XCUDA_CACHE_DIR");
  fs::remove_all(cache);
}

}  // namespace
}  // namespace xcuda::device::cpu
