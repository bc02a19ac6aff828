#include "kernel/publisher.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace xcuda::kernel {
namespace {

using namespace std::chrono_literals;

struct Sent {
  std::string type;
  Json parent, content;
};

// Intervals of an hour: what a test sees was sent by size, by order or at the end, never by the clock.
PublisherLimits patient() { return {1h, 100, 1h, 16 << 20}; }

class PublisherTest : public testing::Test {
 protected:
  Publisher make(PublisherLimits limits) {
    return Publisher(
        [this](const std::string& type, const Json& parent, Json content) {
          sent_.push_back({type, parent, std::move(content)});
        },
        limits);
  }
  std::vector<std::string> types() const {
    std::vector<std::string> names;
    for (const auto& each : sent_) names.push_back(each.type);
    return names;
  }
  std::string text(const char* name) const {
    std::string all;
    for (const auto& each : sent_)
      if (each.type == "stream" && each.content["name"] == name) all += each.content["text"];
    return all;
  }

  std::vector<Sent> sent_;
};

constexpr auto out = OutputStream::out;
const Json parent{{"msg_id", "p"}};
const Json data{{"text/plain", "x"}};

TEST_F(PublisherTest, TextWaitsForItsSize) {
  auto publisher = make(patient());
  publisher.begin({parent, 1, false});
  for (int i = 0; i < 9; ++i) publisher.stream(out, "0123456789");
  EXPECT_TRUE(sent_.empty());
  publisher.stream(out, "0123456789");
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_EQ(sent_[0].content["text"].get<std::string>().size(), 100u);
  EXPECT_EQ(sent_[0].parent, parent);
  publisher.end();
  EXPECT_EQ(sent_.size(), 1u);
}

TEST_F(PublisherTest, TextGoesBeforeEverythingElse) {
  auto publisher = make(patient());
  publisher.begin({parent, 7, false});
  publisher.stream(out, "a");
  publisher.display({data}, "");
  publisher.stream(out, "b");
  publisher.stream(out, "c");
  publisher.result({data});
  publisher.stream(out, "d");
  publisher.update_display({data}, "id");
  publisher.stream(out, "e");
  publisher.error({"E", "v", {"t"}});
  publisher.end();
  EXPECT_EQ(types(), (std::vector<std::string>{"stream", "display_data", "stream", "execute_result", "stream",
                                               "update_display_data", "stream", "error"}));
  EXPECT_EQ(sent_[3].content["execution_count"], 7);
}

TEST_F(PublisherTest, TextIsSentInTimeByItself) {
  auto limits = patient();
  limits.text_interval = 1ms;
  std::atomic<bool> arrived{false};
  Publisher publisher([&](const std::string&, const Json&, Json) { arrived = true; }, limits);
  publisher.begin({parent, 1, false});
  publisher.stream(out, "a");
  while (!arrived) std::this_thread::yield();  // the test's time limit is what fails it
  publisher.end();
}

TEST_F(PublisherTest, TheLatestUpdateWins) {
  auto publisher = make(patient());
  publisher.begin({parent, 1, false});
  for (int i = 0; i < 1000; ++i) {
    publisher.update_display({{{"text/plain", std::to_string(i)}}}, "a");
    publisher.update_display({{{"text/plain", std::to_string(-i)}}}, "b");
  }
  EXPECT_EQ(sent_.size(), 2u);
  publisher.end();
  ASSERT_EQ(sent_.size(), 4u);
  EXPECT_EQ(sent_[2].content["data"]["text/plain"], "999");
  EXPECT_EQ(sent_[2].content["transient"]["display_id"], "a");
  EXPECT_EQ(sent_[3].content["data"]["text/plain"], "-999");
}

TEST_F(PublisherTest, TheLimitCountsEveryMessage) {
  auto limits = patient();
  limits.cell_bytes = 1000;
  auto publisher = make(limits);
  publisher.begin({parent, 1, false});
  publisher.stream(out, std::string(400, 'x'));
  publisher.display({{{"text/plain", std::string(400, 'y')}}}, "");
  publisher.stream(out, std::string(400, 'z'));
  publisher.stream(out, std::string(5000, 'z'));
  publisher.display({data}, "");
  publisher.error({"E", "v", {}});
  publisher.end();
  std::size_t bytes = 0;
  for (const auto& each : sent_)
    if (each.type != "error" && each.content.value("name", "") != "stderr") bytes += each.content.dump().size();
  EXPECT_LE(bytes, 1000u);
  EXPECT_GT(bytes, 900u);
  EXPECT_EQ(types().back(), "stream");
  EXPECT_NE(text("stderr").find("reached the limit of 1,000 B"), std::string::npos) << text("stderr");
  EXPECT_NE(text("stderr").find("including 1 displays"), std::string::npos) << text("stderr");
}

TEST_F(PublisherTest, EscapesCountAsTheyTravel) {
  auto limits = patient();
  limits.cell_bytes = 630;
  auto publisher = make(limits);
  publisher.begin({parent, 1, false});
  publisher.stream(out, std::string(1000, '\x01'));  // six bytes each in JSON
  publisher.end();
  EXPECT_EQ(text("stdout").size(), 100u);
}

TEST_F(PublisherTest, ASilentCellSendsNothing) {
  auto publisher = make(patient());
  publisher.begin({parent, 1, true});
  publisher.stream(out, std::string(1000, 'x'));
  publisher.display({data}, "a");
  publisher.update_display({data}, "a");
  publisher.result({data});
  publisher.error({"E", "v", {}});
  publisher.end();
  EXPECT_TRUE(sent_.empty());
}

TEST_F(PublisherTest, OutputOutsideOfACellIsGivenUp) {
  auto publisher = make(patient());
  publisher.stream(out, "before");
  publisher.begin({parent, 1, false});
  publisher.end();
  publisher.stream(out, "after");
  publisher.update_display({data}, "a");
  EXPECT_TRUE(sent_.empty());
}

TEST_F(PublisherTest, PayloadsAreThoseOfTheirCell) {
  auto publisher = make(patient());
  publisher.begin({parent, 1, false});
  publisher.page({{{"text/plain", "one"}}});
  publisher.page({{{"text/plain", "two"}}});
  publisher.next_input("// %load a.cu\n");
  const auto payload = publisher.end();
  ASSERT_EQ(payload.size(), 2u);
  EXPECT_EQ(payload[0]["data"]["text/plain"], "two");
  EXPECT_EQ(payload[1], (Json{{"source", "set_next_input"}, {"text", "// %load a.cu\n"}, {"replace", true}}));
  publisher.begin({parent, 2, false});
  EXPECT_EQ(publisher.end(), Json::array());
}

TEST_F(PublisherTest, SeveralThreadsMayWrite) {
  auto publisher = make({1ms, 1000, 1ms, 64 << 20});
  publisher.begin({parent, 1, false});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        publisher.stream(out, "line\n");
        if (i % 100 == 0) publisher.update_display({{{"text/plain", std::to_string(i)}}}, std::to_string(t));
      }
    });
  for (auto& thread : threads) thread.join();
  publisher.end();
  EXPECT_EQ(text("stdout").size(), 4u * 2000 * 5);
}

}  // namespace
}  // namespace xcuda::kernel
