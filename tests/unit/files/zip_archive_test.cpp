// Archives as ZipWriter and Python's zipfile write them, and what is left of damaged ones.
#include "files/zip_archive.hpp"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <cstring>
#include <filesystem>

#include "base/output_file.hpp"
#include "files/array_file.hpp"
#include "files/array_writer.hpp"
#include "files/npy.hpp"

namespace xcuda::files {
namespace {

class Zip : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  std::vector<std::int32_t> load(const std::string& member, std::size_t step = 1 << 20) {
    const auto reader = make_array_reader({FileKind::npz, member, {}, {}}, InputFile(path_));
    shape_ = reader->facts().shape;
    std::vector<std::int32_t> values(reader->facts().count());
    for (std::size_t at = 0; at < values.size(); at += step)
      reader->read(std::as_writable_bytes(std::span(values).subspan(at, std::min(step, values.size() - at))));
    return values;
  }
  Error failure(const std::string& member) {
    try {
      load(member);
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "nothing failed";
    return Error(ErrorKind::internal, "");
  }
  // One deflated member, as numpy.savez_compressed writes it: a header with the sizes, and a directory.
  void write_deflated(const std::string& npy, std::uint32_t declared) {
    std::string packed(compressBound(npy.size()) + 64, '\0');
    z_stream stream{};
    ASSERT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(npy.data()));
    stream.avail_in = static_cast<uInt>(npy.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    ASSERT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(npy.data()), npy.size());
    std::string file;
    const auto add = [&](std::uint64_t value, int bytes) {
      for (int i = 0; i < bytes; ++i) file.push_back(i < 8 ? static_cast<char>(value >> 8 * i) : '\0');
    };
    const auto sizes = [&] {
      for (const auto value : {std::uint64_t{sum}, std::uint64_t{packed.size()}, std::uint64_t{declared}})
        add(value, 4);
    };
    add(0x04034b50, 4), add(20, 2), add(0, 2), add(8, 2), add(0, 4), sizes(), add(5, 2), add(0, 2);
    file += "x.npy" + packed;
    const auto directory = file.size();
    add(0x02014b50, 4), add(20, 2), add(20, 2), add(0, 2), add(8, 2), add(0, 4), sizes(), add(5, 2), add(0, 12),
        add(0, 4);
    file += "x.npy";
    const auto size = file.size() - directory;
    add(0x06054b50, 4), add(0, 4), add(1, 2), add(1, 2), add(size, 4), add(directory, 4), add(0, 2);
    write_file(path_, file);
  }
  static std::string npy(const std::string& order, const std::vector<std::int32_t>& values) {
    auto file = npy_header(type_of(Scalar::int32), {2, values.size() / 2});
    file.replace(file.find("False"), 5, order);
    return file.append(reinterpret_cast<const char*>(values.data()), values.size() * 4);
  }
  void write_two() {
    const std::vector<std::int32_t> a{1, 2, 3}, b{4, 5, 6, 7};
    ArrayWriter writer(path_, {type_of(Scalar::int32), {3}, "a"});
    writer.write(std::as_bytes(std::span(a)));
    writer.next({type_of(Scalar::int32), {2, 2}, "b"});
    writer.write(std::as_bytes(std::span(b)).first(8));
    writer.write(std::as_bytes(std::span(b)).subspan(8));
    writer.commit();
  }
  std::vector<std::uint64_t> shape_;
  std::string path_ = "zip_test." + std::to_string(getpid()) + ".npz";
};

TEST_F(Zip, SeveralArraysByTheirNames) {
  write_two();
  EXPECT_EQ(load("a"), (std::vector<std::int32_t>{1, 2, 3}));
  EXPECT_EQ(load("b.npy", 1), (std::vector<std::int32_t>{4, 5, 6, 7}));
  EXPECT_EQ(shape_, (std::vector<std::uint64_t>{2, 2}));
  const auto unnamed = failure(""), wrong = failure("c");
  EXPECT_NE(unnamed.message.find("holds 2 arrays: a, b"), std::string::npos) << unnamed.message;
  EXPECT_EQ(wrong.kind, ErrorKind::name);
  EXPECT_EQ(wrong.advice, "It holds a, b.");
}

TEST_F(Zip, DeflatedInBothOrders) {
  std::vector<std::int32_t> values(100'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i / 7);
  const auto rows = npy("False", values), columns = npy(" True", values);
  write_deflated(rows, static_cast<std::uint32_t>(rows.size()));
  EXPECT_EQ(load("x", 777), values);
  EXPECT_EQ(load(""), values);
  write_deflated(columns, static_cast<std::uint32_t>(columns.size()));
  const auto turned = load("x", 777);
  for (std::size_t i = 0; i < turned.size(); ++i) ASSERT_EQ(turned[i], values[i % 50'000 * 2 + i / 50'000]) << i;
}

TEST_F(Zip, WhatLiesIsRefused) {
  const auto file = npy("False", {1, 2, 3, 4});
  write_deflated(file, 1U << 30);
  EXPECT_NE(failure("x").message.find("cannot hold that"), std::string::npos);
  write_deflated(file, static_cast<std::uint32_t>(file.size()) + 4);
  EXPECT_EQ(failure("x").kind, ErrorKind::value);
  write_deflated(file, static_cast<std::uint32_t>(file.size()) - 4);
  EXPECT_NE(failure("x").message.find("truncated"), std::string::npos);
  write_file(path_, "not an archive, and longer than its end");
  EXPECT_NE(failure("x").message.find("a zip archive was expected"), std::string::npos);
}

// Each byte of a file changed, and each length: the elements as they were, or one error.
TEST_F(Zip, DamageIsAnError) {
  for (const bool deflated : {false, true}) {
    const auto contents = npy("False", {1, 2, 3, 4});
    if (deflated)
      write_deflated(contents, static_cast<std::uint32_t>(contents.size()));
    else
      write_two();
    const auto whole = read_file(path_, 1 << 20);
    const std::string member = deflated ? "x" : "b";
    const auto right = load(member);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      auto broken = whole;
      broken[i] = static_cast<char>(broken[i] ^ 0x41);
      for (const auto& bytes : {broken, whole.substr(0, i)}) {
        write_file(path_, bytes);
        try {
          EXPECT_EQ(load(member), right) << i;
        } catch (const Error& error) {
          EXPECT_NE(error.kind, ErrorKind::internal) << error.message;
        }
      }
    }
  }
}

}  // namespace
}  // namespace xcuda::files
