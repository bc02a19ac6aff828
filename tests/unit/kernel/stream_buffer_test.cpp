#include "kernel/stream_buffer.hpp"

#include <gtest/gtest.h>

#include <random>

namespace xcuda::kernel {
namespace {

constexpr auto stream_out = OutputStream::out;
constexpr auto err = OutputStream::err;

std::string joined(const std::vector<StreamText>& pieces, OutputStream stream) {
  std::string text;
  for (const auto& piece : pieces)
    if (piece.stream == stream) text += piece.text;
  return text;
}

TEST(StreamBuffer, JoinsWhatBelongsTogether) {
  StreamBuffer buffer;
  buffer.append(stream_out, "a");
  buffer.append(stream_out, "b");
  buffer.append(err, "c");
  buffer.append(stream_out, "d");
  EXPECT_EQ(buffer.size(), 4u);
  const auto pieces = buffer.take();
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[0].text, "ab");
  EXPECT_EQ(pieces[1].stream, err);
  EXPECT_EQ(pieces[2].text, "d");
  EXPECT_EQ(buffer.size(), 0u);
  EXPECT_TRUE(buffer.take().empty());
}

TEST(StreamBuffer, ManyChangesBecomeTwoPieces) {
  StreamBuffer buffer;
  std::string even, odd;
  for (int i = 0; i < 1000; ++i) {
    const auto text = std::to_string(i) + "\n";
    (i % 2 ? odd : even) += text;
    buffer.append(i % 2 ? err : stream_out, text);
  }
  const auto pieces = buffer.take();
  EXPECT_LE(pieces.size(), StreamBuffer::kMaxPieces + 1);
  EXPECT_EQ(joined(pieces, stream_out), even);
  EXPECT_EQ(joined(pieces, err), odd);
}

TEST(StreamBuffer, HoldsBackAnIncompleteCharacter) {
  StreamBuffer buffer;
  buffer.append(stream_out, "a\xE2\x82");
  EXPECT_EQ(joined(buffer.take(), stream_out), "a");
  buffer.append(err, "x");
  EXPECT_EQ(joined(buffer.take(), stream_out), "");
  buffer.append(stream_out, "\xAC");
  EXPECT_EQ(joined(buffer.take(), stream_out), "€");
}

TEST(StreamBuffer, EndsWithAReplacementForWhatNeverCame) {
  StreamBuffer buffer;
  buffer.append(stream_out, "\xF0\x9F");
  EXPECT_TRUE(buffer.take().empty());
  EXPECT_EQ(joined(buffer.finish(), stream_out), "\uFFFD\uFFFD");
  EXPECT_TRUE(buffer.finish().empty());
}

TEST(StreamBuffer, AnyCutsOfAnyBytesGiveTheSameText) {
  std::mt19937 random(1);
  const std::string units[] = {"a", "é", "€", "😀", "\n"};
  std::string whole;
  for (int i = 0; i < 2000; ++i) whole += units[random() % 5];
  for (int round = 0; round < 20; ++round) {
    StreamBuffer buffer;
    std::string got;
    for (std::size_t i = 0; i < whole.size();) {
      const auto size = 1 + random() % 7;
      buffer.append(stream_out, std::string_view(whole).substr(i, size));
      i += size;
      if (random() % 3 == 0) got += joined(buffer.take(), stream_out);
    }
    got += joined(buffer.finish(), stream_out);
    EXPECT_EQ(got, whole);
  }
}

TEST(JsonPrefix, CountsEscapesAndKeepsCharactersWhole) {
  EXPECT_EQ(json_prefix("abc", 10), 3u);
  EXPECT_EQ(json_prefix("abc", 2), 2u);
  EXPECT_EQ(json_prefix("\n\n\n", 5), 2u);
  EXPECT_EQ(json_prefix("\x1b[0m", 6), 1u);
  EXPECT_EQ(json_prefix("a€b", 3), 1u);
  EXPECT_EQ(json_prefix("a€b", 4), 4u);
  EXPECT_EQ(json_prefix("€", 0), 0u);
}

TEST(JsonSize, IsTheSizeOfTheText) {
  for (const Json& value : {Json("a\"\\\n\x01"), Json{{"a", 1}, {"bc", {"x", true, nullptr}}}, Json(-17)}) {
    const auto size = json_size(value), exact = value.dump().size();
    EXPECT_GE(size, exact);
    EXPECT_LE(size, exact + 4);
  }
}

}  // namespace
}  // namespace xcuda::kernel
