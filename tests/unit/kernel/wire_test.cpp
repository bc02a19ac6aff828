#include "kernel/wire.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace xcuda::kernel {
namespace {

const Json header{{"msg_id", "1"}, {"msg_type", "kernel_info_request"}, {"session", "s"}};

std::vector<std::string_view> views(const std::vector<std::string>& frames) { return {frames.begin(), frames.end()}; }

// Frames that the wire itself would accept, with texts of the test's choice.
std::vector<std::string> kSignedFrames(const Wire& wire, std::vector<std::string> texts) {
  const auto signature = wire.sign(views(texts));
  texts.insert(texts.begin(), {std::string(kDelimiter), signature});
  return texts;
}

Refusal refusal(Wire& wire, const std::vector<std::string>& frames) {
  return std::get<Refusal>(wire.open(views(frames)));
}

TEST(Wire, SignsAsTheProtocolSays) {
  // RFC 4231, test case 2: the key "Jefe".
  const Wire wire("sha256", "Jefe");
  EXPECT_EQ(wire.sign({"what do ya ", "want ", "for nothing?"}),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(Wire, OpensWhatItSealed) {
  Wire wire("sha256", "key");
  auto frames = wire.seal(header, Json::object(), {{"m", 1}}, {{"code", "é"}});
  frames.insert(frames.begin(), {"first", "second"});
  frames.push_back("buffer");
  const auto envelope = std::get<Envelope>(wire.open(views(frames)));
  EXPECT_EQ(envelope.identities, (std::vector<std::string>{"first", "second"}));
  EXPECT_EQ(envelope.header, header);
  EXPECT_EQ(envelope.metadata, Json({{"m", 1}}));
  EXPECT_EQ(envelope.content, Json({{"code", "é"}}));
  EXPECT_EQ(envelope.buffers, (std::vector<std::vector<char>>{{'b', 'u', 'f', 'f', 'e', 'r'}}));
}

TEST(Wire, RefusesByTheCountOfFrames) {
  Wire wire("sha256", "key");
  const auto whole = wire.seal(header, {}, {}, {});
  EXPECT_EQ(refusal(wire, {}), Refusal::no_delimiter);
  EXPECT_EQ(refusal(wire, {"a", "b"}), Refusal::no_delimiter);
  for (std::size_t count = 1; count < whole.size(); ++count)
    EXPECT_EQ(refusal(wire, {whole.begin(), whole.begin() + static_cast<long>(count)}), Refusal::too_few_frames)
        << count;
  auto many = whole;
  many.insert(many.begin(), kMaxIdentities + 1, "id");
  EXPECT_EQ(refusal(wire, many), Refusal::too_many_frames);
  many = whole;
  many.insert(many.end(), kMaxBuffers + 1, "buffer");
  EXPECT_EQ(refusal(wire, many), Refusal::too_many_frames);
}

TEST(Wire, WantsTheExactSignature) {
  Wire wire("sha256", "key");
  const auto whole = wire.seal(header, Json::object(), Json::object(), Json::object());
  const auto& good = whole[1];
  for (const auto& bad :
       {std::string(), good.substr(0, 63), good + "junk", good + good, std::string(64, '0'), std::string(64, '\0')}) {
    auto frames = whole;
    frames[1] = bad;
    EXPECT_EQ(refusal(wire, frames), Refusal::bad_signature) << bad;
  }
  Wire other("sha256", "another key");
  EXPECT_EQ(refusal(other, whole), Refusal::bad_signature);
  EXPECT_TRUE(std::holds_alternative<Envelope>(wire.open(views(whole))));
}

TEST(Wire, RefusesARepeatedMessageAndOnlyThat) {
  Wire wire("sha256", "key");
  const auto first = wire.seal(header, {}, {}, {{"n", 1}}), second = wire.seal(header, {}, {}, {{"n", 2}});
  EXPECT_TRUE(std::holds_alternative<Envelope>(wire.open(views(first))));
  EXPECT_TRUE(std::holds_alternative<Envelope>(wire.open(views(second))));
  EXPECT_EQ(refusal(wire, first), Refusal::repeated);
  EXPECT_EQ(refusal(wire, second), Refusal::repeated);
}

TEST(Wire, ForgetsOldMessages) {
  Wire wire("sha256", "key");
  const auto first = kSignedFrames(wire, {"x", "", "", ""});
  EXPECT_EQ(refusal(wire, first), Refusal::bad_header);
  for (std::size_t i = 1; i < kRememberedMessages; ++i)
    refusal(wire, kSignedFrames(wire, {std::to_string(i), "", "", ""}));
  EXPECT_EQ(refusal(wire, first), Refusal::repeated);
  refusal(wire, kSignedFrames(wire, {"one more", "", "", ""}));
  EXPECT_EQ(refusal(wire, first), Refusal::bad_header);
}

TEST(Wire, WantsAHeaderWithShortTexts) {
  Wire wire("sha256", "key");
  const auto with = [&](const char* name, const Json& value) {
    auto changed = header;
    changed[name] = value;
    return kSignedFrames(wire, {changed.dump(), "{}", "{}", "{}"});
  };
  for (const char* name : {"msg_id", "msg_type", "session"}) {
    EXPECT_EQ(refusal(wire, with(name, nullptr)), Refusal::bad_header);
    EXPECT_EQ(refusal(wire, with(name, 5)), Refusal::bad_header);
    EXPECT_EQ(refusal(wire, with(name, std::string(kMaxIdLength + 1, 'x'))), Refusal::bad_header);
    const auto longest = with(name, std::string(kMaxIdLength, 'x'));
    EXPECT_TRUE(std::holds_alternative<Envelope>(wire.open(views(longest))));
  }
  for (const char* text : {"", "null", "[]", "{", "{\"msg_id\":\"1\"}", "\xff"})
    EXPECT_EQ(refusal(wire, kSignedFrames(wire, {text, "{}", "{}", "{}"})), Refusal::bad_header) << text;
}

TEST(Wire, KeepsAMessageWhoseOtherTextsAreWrong) {
  Wire wire("sha256", "key");
  const auto deep = std::string(200, '[') + std::string(200, ']');
  const auto frames = kSignedFrames(wire, {header.dump(), "nonsense", "", deep});
  const auto envelope = std::get<Envelope>(wire.open(views(frames)));
  EXPECT_EQ(envelope.header, header);
  EXPECT_TRUE(envelope.parent_header.is_null() && envelope.metadata.is_null() && envelope.content.is_null());
}

TEST(Wire, ReplacesBytesThatAreNotUtf8) {
  Wire wire("sha256", "key");
  EXPECT_EQ(wire.seal(header, {}, {}, {{"text", "a\xff"}})[5], "{\"text\":\"a\xEF\xBF\xBD\"}");
}

TEST(Wire, SaysWhichDigestIsMissing) {
  try {
    Wire("sha999", "key");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::unsupported);
    EXPECT_NE(error.message.find("hmac-sha999"), std::string::npos);
  }
}

TEST(JsonDepth, CountsBracketsOutsideOfStrings) {
  EXPECT_EQ(json_depth(""), 0u);
  EXPECT_EQ(json_depth("3"), 0u);
  EXPECT_EQ(json_depth("{\"a\":[1,[2]],\"b\":[]}"), 3u);
  EXPECT_EQ(json_depth("[\"[[[[\", \"\\\"[[\"]"), 1u);
  EXPECT_EQ(json_depth("]]]][[["), 3u);
  EXPECT_EQ(json_depth("[\"\\"), 1u);
}

TEST(JsonDepth, Bounds) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_FALSE(parse_bounded(nested(kMaxJsonDepth)).is_null());
  EXPECT_TRUE(parse_bounded(nested(kMaxJsonDepth + 1)).is_null());
  EXPECT_TRUE(parse_bounded(std::string(10'000'000, '[')).is_null());
  EXPECT_TRUE(parse_bounded("[1,").is_null());
  EXPECT_TRUE(parse_bounded("1e999").is_null());
}

}  // namespace
}  // namespace xcuda::kernel
