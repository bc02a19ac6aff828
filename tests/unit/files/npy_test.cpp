#include "files/npy.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "base/error.hpp"
#include "files/array_file.hpp"

namespace xcuda::files {
namespace {

class Npy : public ::testing::Test {
 protected:
  void TearDown() override { unlink(path_.c_str()); }
  void write(const std::string& bytes) { std::ofstream(path_, std::ios::binary) << bytes; }
  ArrayFacts facts;  // of the file that was read last
  // In pieces of `step` elements.
  std::vector<std::byte> read(std::size_t step = 1'000'000) {
    const auto reader = make_array_reader({FileKind::npy}, InputFile(path_));
    facts = reader->facts();
    std::vector<std::byte> bytes(facts.bytes());
    for (std::size_t at = 0; at < bytes.size(); at += step * facts.type.size)
      reader->read(std::span(bytes).subspan(at, std::min(step * facts.type.size, bytes.size() - at)));
    return bytes;
  }
  // A file with this dictionary and these data bytes.
  void write(const std::string& dictionary, const std::string& data) {
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes.push_back(static_cast<char>(dictionary.size()));
    bytes.push_back(0);
    write(bytes + dictionary + data);
  }
  std::string failure() {
    try {
      read();
    } catch (const Error& error) {
      return error.message;
    }
    return "";
  }
  std::string path_ = "npy_test." + std::to_string(getpid()) + ".npy";
};

TEST_F(Npy, FortranOrderIsReadRight) {
  write("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", std::string("\1\4\2\5\3\6"));
  for (const std::size_t step : {1, 2, 5, 6}) EXPECT_EQ(std::memcmp(read(step).data(), "\1\2\3\4\5\6", 6), 0) << step;
  EXPECT_EQ(facts.shape, (std::vector<std::uint64_t>{2, 3}));
}

TEST_F(Npy, FortranOrderOfThreeDimensionsBigEndian) {
  // numpy.save("x.npy", numpy.asfortranarray(numpy.arange(24, dtype=">i2").reshape(2, 3, 4)))
  std::string data;
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 2; ++i) data += {'\0', static_cast<char>(i * 12 + j * 4 + k)};
  write("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3, 4), }", data);
  for (const std::size_t step : {1, 7, 24}) {
    const auto bytes = read(step);
    for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(std::to_integer<std::size_t>(bytes[2 * i]), i) << step;
  }
}

TEST_F(Npy, BigEndianIsConverted) {
  write("{'descr': '>i4', 'fortran_order': False, 'shape': (1,), }", std::string("\0\0\1\2", 4));
  int value = 0;
  std::memcpy(&value, read().data(), 4);
  EXPECT_EQ(value, 258);
}

TEST_F(Npy, BigEndianComplexIsConvertedByHalves) {
  write("{'descr': '>c8', 'fortran_order': False, 'shape': (1,), }", std::string("\x3f\x80\0\0\x40\0\0\0", 8));
  float value[2];
  std::memcpy(value, read().data(), 8);
  EXPECT_EQ(value[0], 1.0f);
  EXPECT_EQ(value[1], 2.0f);
}

TEST_F(Npy, BadFilesSayWhatIsWrong) {
  EXPECT_NE(failure().find("cannot read"), std::string::npos);
  write("PK\3\4 this is a zip file");
  EXPECT_NE(failure().find("magic"), std::string::npos);
  write("{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }", "12345678");
  EXPECT_NE(failure().find("truncated"), std::string::npos);
  write("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "12345678");
  EXPECT_NE(failure().find("Python objects"), std::string::npos);
  write("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "1234");
  EXPECT_NE(failure().find("fields"), std::string::npos);
  write("{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (1,), }", "12345678");
  EXPECT_NE(failure().find("<M8[ns]"), std::string::npos);
  write("{'descr': '<f4', 'shape': (1,), }", "1234");
  EXPECT_NE(failure().find("header"), std::string::npos);
  for (const auto* order : {"False", "True"}) {
    write(std::string("{'descr': '<f4', 'fortran_order': ") + order + ", 'shape': (4294967296, 4294967296, 4), }", "");
    EXPECT_NE(failure().find("overflow"), std::string::npos);
    write(std::string("{'descr': '<f4', 'fortran_order': ") + order + ", 'shape': (1152921504606846975, 4), }", "1234");
    EXPECT_NE(failure().find("truncated"), std::string::npos);
  }
  write(std::string("\x93NUMPY\x07\x00", 8) + "xx");
  EXPECT_NE(failure().find("version"), std::string::npos);
  write(std::string("\x93NUMPY\x01\x00\xff", 9));
  EXPECT_NE(failure().find("truncated"), std::string::npos);
  // The length of a header is believed up to 1 MiB.
  write(std::string("\x93NUMPY\x02\x00\x01\x00\x10\x00", 12));
  EXPECT_NE(failure().find("claims 1048577 bytes"), std::string::npos) << failure();
  write(std::string("\x93NUMPY\x02\x00\x00\x00\x10\x00", 12));
  EXPECT_NE(failure().find("truncated"), std::string::npos) << failure();
}

TEST_F(Npy, NoPrefixOfAFileIsAccepted) {
  write("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "12345678");
  std::ifstream file(path_, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(file)), {});
  for (std::size_t n = 0; n < whole.size(); ++n) {
    write(whole.substr(0, n));
    EXPECT_NE(failure(), "") << n;
  }
}

}  // namespace
}  // namespace xcuda::files
