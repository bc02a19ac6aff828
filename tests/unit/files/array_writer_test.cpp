#include "files/array_writer.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <filesystem>
#include <limits>
#include <sstream>

#include "base/error.hpp"
#include "base/half.hpp"
#include "base/input_file.hpp"
#include "base/output_file.hpp"
#include "files/array_file.hpp"

namespace xcuda::files {
namespace {
namespace fs = std::filesystem;

class ArrayWriting : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "writer-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }
  template <class Number>
  std::string csv(const Type& type, const std::vector<std::uint64_t>& shape, const std::vector<Number>& values) {
    const std::string path = folder_ / "x.csv";
    ArrayWriter writer(path, {type, shape});
    // In two pieces, as an array comes from a device.
    const auto bytes = std::as_bytes(std::span(values));
    const auto half = values.size() / 2 * sizeof(Number);
    writer.write(bytes.first(half));
    writer.write(bytes.subspan(half));
    writer.commit();
    return read_file(path, 64 << 20);
  }
  // The error of a file that cannot be; nothing may be left of it.
  Error refused(const std::string& name, const Type& type, const std::vector<std::uint64_t>& shape) {
    try {
      ArrayWriter(folder_ / name, {type, shape});
    } catch (const Error& error) {
      EXPECT_TRUE(fs::is_empty(folder_));
      return error;
    }
    ADD_FAILURE() << name << " was taken";
    return Error(ErrorKind::internal, "");
  }
  fs::path folder_;
};

TEST_F(ArrayWriting, NpyIsRead) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const std::string path = folder_ / "x.npy";
  ArrayWriter writer(path, {type_of(Scalar::float32), {2, 3}});
  writer.write(std::as_bytes(std::span(values)));
  writer.commit();
  const auto reader = make_array_reader({FileKind::npy}, InputFile(path));
  EXPECT_EQ(reader->facts().shape, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(reader->facts().type, type_of(Scalar::float32));
  std::vector<float> back(6);
  reader->read(std::as_writable_bytes(std::span(back)));
  EXPECT_EQ(back, values);
  EXPECT_EQ((fs::file_size(path) - 24) % 64, 0u);  // as NumPy aligns the elements
}

TEST_F(ArrayWriting, CsvHasALineForEachRow) {
  EXPECT_EQ(csv<std::int32_t>(type_of(Scalar::int32), {4}, {1, -2, 3, 4}), "1\n-2\n3\n4\n");
  EXPECT_EQ(csv<float>(type_of(Scalar::float32), {2, 3}, {1, 2.5f, 3, -4, 0.1f, 1e20f}), "1,2.5,3\n-4,0.1,1e+20\n");
  EXPECT_EQ(csv<std::int8_t>(type_of(Scalar::int8), {1, 2}, {-128, 127}), "-128,127\n");
  EXPECT_EQ(csv<std::uint8_t>(type_of(Scalar::uint8), {2}, {0, 255}), "0\n255\n");
  EXPECT_EQ(csv<std::uint8_t>(type_of(Scalar::boolean), {2}, {0, 1}), "0\n1\n");
  EXPECT_EQ(csv<std::int64_t>(type_of(Scalar::int64), {1}, {std::numeric_limits<std::int64_t>::min()}),
            "-9223372036854775808\n");
  EXPECT_EQ(csv<std::uint64_t>(type_of(Scalar::uint64), {1}, {~std::uint64_t{0}}), "18446744073709551615\n");
}

TEST_F(ArrayWriting, VectorsAreColumns) {
  EXPECT_EQ(csv<float>(*find_type("float2"), {2}, {1, 2, 3, 4}), "1,2\n3,4\n");
  // 12 bytes: a piece ends inside an element.
  EXPECT_EQ(csv<float>(*find_type("float3"), {3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}), "1,2,3\n4,5,6\n7,8,9\n");
}

TEST_F(ArrayWriting, ComplexNumbersAreWrittenAsNumpyWritesThem) {
  using Complex = std::complex<float>;
  EXPECT_EQ(csv<Complex>(type_of(Scalar::complex64), {1, 2}, {Complex(1.5f, -2), Complex(0, 0.1f)}),
            "(1.5-2j),(0+0.1j)\n");
  EXPECT_EQ(csv<std::complex<double>>(type_of(Scalar::complex128), {1}, {{0.1, 1e300}}), "(0.1+1e+300j)\n");
}

// Numbers of every size, infinities and the smallest ones: what is read back has the same bits.
TEST_F(ArrayWriting, FloatsComeBackWithTheSameBits) {
  std::vector<float> singles = {
      0.0f, -0.0f, INFINITY, -INFINITY, std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::max()};
  std::vector<double> doubles = {
      0.0, -0.0, INFINITY, -INFINITY, std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max()};
  std::uint64_t bits = 12345;
  while (singles.size() < 4000) {
    bits = bits * 6364136223846793005u + 1442695040888963407u;
    float single = 0;
    double wide = 0;
    std::memcpy(&single, reinterpret_cast<const char*>(&bits) + 4, 4);
    std::memcpy(&wide, &bits, 8);
    if (!std::isnan(single)) singles.push_back(single);
    if (!std::isnan(wide)) doubles.push_back(wide);
  }
  std::istringstream one(csv(type_of(Scalar::float32), {singles.size()}, singles));
  std::string line;
  for (const float value : singles) {
    ASSERT_TRUE(std::getline(one, line));
    const float back = std::strtof(line.c_str(), nullptr);
    EXPECT_EQ(std::memcmp(&back, &value, sizeof value), 0) << line;
  }
  std::istringstream two(csv(type_of(Scalar::float64), {doubles.size()}, doubles));
  for (const double value : doubles) {
    ASSERT_TRUE(std::getline(two, line));
    const double back = std::strtod(line.c_str(), nullptr);
    EXPECT_EQ(std::memcmp(&back, &value, sizeof value), 0) << line;
  }
  EXPECT_TRUE(std::isnan(std::strtod(csv<float>(type_of(Scalar::float32), {1}, {NAN}).c_str(), nullptr)));
}

TEST_F(ArrayWriting, EveryHalfAndBfloat16ComesBack) {
  std::vector<std::uint16_t> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  std::istringstream halves(csv(type_of(Scalar::float16), {all.size()}, all));
  std::istringstream brains(csv(type_of(Scalar::bfloat16), {all.size()}, all));
  std::string line;
  for (const auto bits : all) {
    ASSERT_TRUE(std::getline(halves, line));
    const float half = std::strtof(line.c_str(), nullptr);
    if (!std::isnan(half)) {
      EXPECT_EQ(float_to_half(half), bits) << line;
    }
    ASSERT_TRUE(std::getline(brains, line));
    const float brain = std::strtof(line.c_str(), nullptr);
    if (!std::isnan(brain)) {
      EXPECT_EQ(float_to_bfloat16(brain), bits) << line;
    }
  }
}

TEST_F(ArrayWriting, WhatAFormatCannotHoldIsRefused) {
  const auto floats = type_of(Scalar::float32);
  EXPECT_NE(refused("x.csv", floats, {2, 3, 4}).message.find("this array has 3"), std::string::npos);
  EXPECT_NE(refused("x.csv", *find_type("float4"), {2, 3}).message.find("members of float4"), std::string::npos);
  EXPECT_EQ(refused("x.csv", {.name = "Point", .size = 8, .alignment = 4}, {2}).kind, ErrorKind::type);
  for (const auto* name : {"x", "x.dat", "npy", "x.npy.gz"}) {
    const auto error = refused(name, floats, {2});
    EXPECT_EQ(error.kind, ErrorKind::value) << name;
    EXPECT_NE(error.advice.find(".npy"), std::string::npos);
    EXPECT_NE(error.advice.find(".csv"), std::string::npos);
  }
  EXPECT_EQ(refused("no/such/folder/x.npy", floats, {2}).kind, ErrorKind::io);
}

TEST_F(ArrayWriting, UncommittedLeavesTheOldFile) {
  const std::string path = folder_ / "x.npy";
  write_file(path, "old");
  { ArrayWriter writer(path, {type_of(Scalar::float32), {2}}); }
  EXPECT_EQ(read_file(path, 10), "old");
}

}  // namespace
}  // namespace xcuda::files
