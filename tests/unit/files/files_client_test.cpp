// xcuda-files as a process: what it reads, and what is left of the session when it is killed, hangs or crashes.
#include "files/files_client.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/output_file.hpp"
#include "display/png.hpp"
#include "files/array_writer.hpp"
#include "tests/places.hpp"

namespace xcuda::files {
namespace {
namespace fs = std::filesystem;

class FileProcess : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "client-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ / name; }
  // Its elements count from 0.
  std::string save(const std::string& name, std::uint64_t count) {
    std::vector<std::uint32_t> values(count);
    for (std::uint64_t i = 0; i < count; ++i) values[i] = static_cast<std::uint32_t>(i);
    ArrayWriter writer(path(name), {type_of(Scalar::uint32), {count}});
    writer.write(std::as_bytes(std::span(values)));
    writer.commit();
    return path(name);
  }
  // All elements, in pieces of so many bytes.
  std::vector<std::uint32_t> load(const std::string& file, std::size_t step = std::size_t{1} << 20) {
    const auto open = client_.open(file, {}, {});
    std::vector<std::uint32_t> values(open.facts.bytes() / 4);
    auto bytes = std::as_writable_bytes(std::span(values));
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(step, bytes.size())))
      client_.read(open, bytes.first(std::min(step, bytes.size())), {});
    return values;
  }
  template <class Work> static Error failure(const Work& work) {
    try {
      work();
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "nothing failed";
    return Error(ErrorKind::internal, "");
  }
  fs::path folder_;
  Client client_{test::program_file("xcuda-files")};
};

TEST_F(FileProcess, StartsWhenItIsWantedAndStays) {
  EXPECT_EQ(client_.process(), 0);
  EXPECT_EQ(load(save("a.npy", 3)), (std::vector<std::uint32_t>{0, 1, 2}));
  const auto process = client_.process();
  EXPECT_GT(process, 0);
  EXPECT_EQ(load(save("b.npy", 1)), (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(client_.process(), process);
}

TEST_F(FileProcess, LargeFilesComeWholeInPiecesOfAnySize) {
  const std::uint64_t count = 5'000'003;
  const auto file = save("large.npy", count);
  for (const std::size_t step : {std::size_t{4} << 10, std::size_t{3} << 20, std::size_t{64} << 20}) {
    const auto values = load(file, step);
    ASSERT_EQ(values.size(), count);
    for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(values[i], i);
  }
}

TEST_F(FileProcess, KindsSayWhatTheyHold) {
  write_file(path("x.raw"), "12345");
  const auto raw = client_.open(path("x.raw"), {}, {});
  EXPECT_EQ(raw.facts.bytes(), 5u);
  std::string text(5, ' ');
  client_.read(raw, std::as_writable_bytes(std::span(text)), {});
  EXPECT_EQ(text, "12345");
  write_file(path("x.png"), display::encode_png({3, 2, 3, std::vector<std::uint8_t>(18, 9)}));
  const auto image = client_.open(path("x.png"), {}, {});
  EXPECT_EQ(image.facts.type, type_of(Scalar::uint8));
  EXPECT_EQ(image.facts.shape, (std::vector<std::uint64_t>{2, 3, 3}));
}

TEST_F(FileProcess, WhatIsNoFileIsRefusedHere) {
  ASSERT_EQ(mkfifo(path("x.npy").c_str(), 0600), 0);
  EXPECT_EQ(failure([&] { client_.open(path("x.npy"), {}, {}); }).library, "it is a FIFO, not a file");
  EXPECT_EQ(failure([&] { client_.open("/dev/zero", {}, {}); }).library, "it is a character device, not a file");
  EXPECT_EQ(client_.process(), 0);
}

TEST_F(FileProcess, ErrorsOfTheDecoderComeBack) {
  write_file(path("x.npy"), "nonsense");
  const auto error = failure([&] { client_.open(path("x.npy"), {}, {}); });
  EXPECT_EQ(error.kind, ErrorKind::value);
  EXPECT_NE(error.message.find("magic"), std::string::npos);
  auto png = display::encode_png({64, 64, 1, std::vector<std::uint8_t>(4096, 9)});
  png[png.size() - 20] ^= std::byte{0xff};
  write_file(path("x.png"), png);
  const auto image = client_.open(path("x.png"), {}, {});
  std::vector<std::byte> samples(4096);
  EXPECT_EQ(failure([&] { client_.read(image, samples, {}); }).kind, ErrorKind::value);
  EXPECT_EQ(load(save("a.npy", 2)).size(), 2u);  // the process goes on
}

TEST_F(FileProcess, AKilledProcessIsReplaced) {
  load(save("a.npy", 3));
  const auto first = client_.process();
  kill(first, SIGKILL);
  EXPECT_EQ(load(path("a.npy")).size(), 3u);  // nothing was outstanding
  EXPECT_NE(client_.process(), first);
  const auto open = client_.open(save("b.npy", 5'000'000), {}, {});
  std::vector<std::byte> bytes(open.facts.bytes());
  client_.read(open, std::span(bytes).first(4), {});
  kill(client_.process(), SIGKILL);
  const auto error = failure([&] { client_.read(open, std::span(bytes).subspan(4), {}); });
  EXPECT_EQ(error.kind, ErrorKind::io);
  EXPECT_NE(error.message.find("crashed on"), std::string::npos);
  EXPECT_NE(error.library.find("SIGKILL"), std::string::npos);
  EXPECT_EQ(load(path("a.npy")).size(), 3u);
}

// The mapping of a file that becomes shorter ends the process that reads what is gone: a crash as a decoder's would be.
TEST_F(FileProcess, ACrashIsAnErrorAndNothingElse) {
  std::string columns("\x93NUMPY\x01\x00", 8);
  const std::string header = "{'descr': '<u4', 'fortran_order': True, 'shape': (4096, 1024), }";
  columns += {static_cast<char>(header.size()), '\0'};
  columns += header + std::string(16 << 20, '\0');
  write_file(path("x.npy"), columns);
  const auto open = client_.open(path("x.npy"), {}, {});
  ASSERT_EQ(truncate(path("x.npy").c_str(), 4096), 0);
  std::vector<std::byte> bytes(open.facts.bytes());
  const auto error = failure([&] { client_.read(open, bytes, {}); });
  EXPECT_EQ(error.kind, ErrorKind::io);
  EXPECT_NE(error.message.find("crashed on"), std::string::npos) << error.message;
  EXPECT_EQ(load(save("a.npy", 3)).size(), 3u);
}

TEST_F(FileProcess, AFileThatBecomesShorterIsAnError) {
  const auto open = client_.open(save("x.npy", 5'000'000), {}, {});
  std::vector<std::byte> bytes(open.facts.bytes());
  ASSERT_EQ(truncate(path("x.npy").c_str(), 4096), 0);
  const auto error = failure([&] { client_.read(open, bytes, {}); });
  EXPECT_NE(error.message.find("became shorter"), std::string::npos) << error.message;
}

TEST_F(FileProcess, AnInterruptEndsAHang) {
  const auto open = client_.open(save("x.npy", 5'000'000), {}, {});
  std::vector<std::byte> bytes(open.facts.bytes());
  kill(client_.process(), SIGSTOP);
  Interrupt interrupt;
  interrupt.raise();
  const WaitLimits limits{.interrupt = &interrupt};
  const auto error = failure([&] { client_.read(open, bytes, limits); });
  EXPECT_EQ(error.kind, ErrorKind::interrupted);
  EXPECT_EQ(client_.process(), 0);
  EXPECT_EQ(load(save("a.npy", 3)).size(), 3u);
}

TEST_F(FileProcess, AnotherOpeningEndsTheFirst) {
  const auto first = client_.open(save("a.npy", 3), {}, {});
  const auto second = client_.open(save("b.npy", 3), {}, {});
  std::vector<std::byte> bytes(12);
  EXPECT_EQ(failure([&] { client_.read(first, bytes, {}); }).kind, ErrorKind::internal);
  client_.read(second, bytes, {});
  EXPECT_EQ(failure([&] { client_.read(second, bytes, {}); }).kind, ErrorKind::internal);  // there is no more
}

TEST_F(FileProcess, WithoutTheProgramItSaysSo) {
  Client none("");
  save("a.npy", 1);
  EXPECT_NE(failure([&] { none.open(path("a.npy"), {}, {}); }).message.find("xcuda-files is not installed"),
            std::string::npos);
}

TEST_F(FileProcess, ModulesSayWhatTheyDeclare) {
  using Kind = ModuleFile::Kind;
  const auto output = client_.module({"m", "m.ptx", "compute_80", Kind::ptx,
                                      ".visible .global .align 4 .u32 counter;\n"
                                      ".visible .entry scale(.param .u64 x, .param .f32 a) { ret; }\n"},
                                     {});
  EXPECT_TRUE(output.ok);
  EXPECT_TRUE(output.ptx.starts_with(".version 8.0 .target sm_80"));
  ASSERT_EQ(output.kernels.size(), 1u);
  EXPECT_EQ(output.kernels[0].name, "scale");
  EXPECT_EQ(output.kernels[0].parameters[1].type, "4 bytes");
  ASSERT_EQ(output.variables.size(), 1u);
  EXPECT_EQ(output.variables[0].name, "counter");
  const auto refused = [&](Kind kind, std::string bytes) {
    return failure([&] { client_.module({"m", "m.x", "compute_80", kind, std::move(bytes)}, {}); });
  };
  EXPECT_EQ(refused(Kind::ptx, "").kind, ErrorKind::compile);
  EXPECT_NE(refused(Kind::cubin, "").message.find("empty"), std::string::npos);
  EXPECT_NE(refused(Kind::cubin, ".version 8.0").message.find("PTX"), std::string::npos);
  std::string elf(
      "\x7f"
      "ELF\2\1\1",
      7);
  elf.resize(64, '\xff');
  EXPECT_EQ(refused(Kind::cubin, elf).kind, ErrorKind::value);
}

TEST_F(FileProcess, ACubinIsRead) {
  std::ifstream file(test::source_file("tests/unit/compiler/cubins/kernels_sm90.cubin"), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const auto output = client_.module({"m", "kernels_sm90.cubin", "compute_80", ModuleFile::Kind::cubin, bytes}, {});
  EXPECT_EQ(output.architecture, "sm_90");
  EXPECT_EQ(output.cubin.size(), bytes.size());
  EXPECT_FALSE(output.kernels.empty());
}

}  // namespace
}  // namespace xcuda::files
