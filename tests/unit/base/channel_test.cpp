#include "base/channel.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "base/error.hpp"

namespace xcuda {
namespace {

struct Ends {
  Channel here, there;
};
Ends make_ends() {
  auto pair = make_channel_pair();
  return {Channel(std::move(pair.here)), Channel(std::move(pair.there))};
}

TEST(Channel, CarriesHeadBodyAndFiles) {
  auto ends = make_ends();
  Message message;
  message.head = {{"verb", "x"}, {"text", "\xff not UTF-8"}, {"n", 1u << 31}};
  message.body = {std::byte{1}, std::byte{0}, std::byte{255}};
  int pipe_ends[2];
  ASSERT_EQ(pipe2(pipe_ends, O_CLOEXEC), 0);
  const File reader(pipe_ends[0]);
  message.files.emplace_back(pipe_ends[1]);
  ends.here.send(message);
  message.files.clear();

  auto got = ends.there.receive();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->head, message.head);
  EXPECT_EQ(got->body, message.body);
  ASSERT_EQ(got->files.size(), 1u);
  EXPECT_NE(fcntl(got->files[0].get(), F_GETFD) & FD_CLOEXEC, 0);
  ASSERT_EQ(write(got->files[0].get(), "z", 1), 1);
  char letter = 0;
  EXPECT_EQ(read(reader.get(), &letter, 1), 1);
  EXPECT_EQ(letter, 'z');
}

TEST(Channel, MessagesStayApartAndInOrder) {
  auto ends = make_ends();
  for (int i = 0; i < 100; ++i)
    ends.here.send({.head = i, .body = std::vector<std::byte>(static_cast<std::size_t>(i)), .files = {}});
  for (int i = 0; i < 100; ++i) {
    const auto got = ends.there.receive();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->head, i);
    EXPECT_EQ(got->body.size(), static_cast<std::size_t>(i));
  }
}

TEST(Channel, ABodyMayBeLargerThanTheSocketsBuffer) {
  auto ends = make_ends();
  std::vector<std::byte> body(20 << 20);
  for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<std::byte>(i * 7);
  std::thread sender([&] { ends.here.send({.head = "big", .body = body, .files = {}}); });
  const auto got = ends.there.receive();
  sender.join();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->body, body);
}

TEST(Channel, QueueNeverBlocks) {
  auto ends = make_ends();
  ends.here.queue({.head = 1, .body = std::vector<std::byte>(8 << 20), .files = {}});
  ends.here.queue({.head = 2, .body = {}, .files = {}});
  Message message;
  std::vector<Message> got;
  while (ends.here.flush() == Channel::Flow::pending)
    while (ends.there.receive(message) == Channel::Flow::done) got.push_back(std::move(message));
  while (ends.there.receive(message) == Channel::Flow::done) got.push_back(std::move(message));
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].body.size(), 8u << 20);
  EXPECT_EQ(got[1].head, 2);
}

TEST(Channel, TheEndOfThePeerIsNoError) {
  auto ends = make_ends();
  ends.here.send({.head = "last", .body = {}, .files = {}});
  ends.here = Channel(File{});
  EXPECT_TRUE(ends.there.receive());
  EXPECT_FALSE(ends.there.receive());
  EXPECT_THROW(ends.there.send({.head = "x", .body = {}, .files = {}}), Error);
}

TEST(Channel, GarbageIsAnError) {
  auto ends = make_ends();
  const std::string text(64, 'x');
  ASSERT_EQ(write(ends.here.fd(), text.data(), text.size()), 64);
  EXPECT_THROW(ends.there.receive(), Error);
  EXPECT_THROW(ends.there.receive(), Error);
}

TEST(Channel, ADeeplyNestedHeadIsAnErrorAndNoStackOverflow) {
  auto ends = make_ends();
  struct {
    std::uint32_t magic = 0x31414358, files = 0;
    std::uint64_t head = 1 << 20, body = 0;
  } header;
  std::string frame(reinterpret_cast<const char*>(&header), sizeof header);
  frame += std::string(header.head, '\x91');  // an array that holds an array that holds ...
  std::thread sender([&] { (void)!send(ends.here.fd(), frame.data(), frame.size(), MSG_NOSIGNAL); });
  EXPECT_THROW(ends.there.receive(), Error);
  sender.join();
}

TEST(Channel, TooManyFilesAreRefusedBeforeAnythingIsSent) {
  auto ends = make_ends();
  Message message;
  for (int i = 0; i < 17; ++i) message.files.emplace_back(dup(0));
  EXPECT_THROW(ends.here.send(message), Error);
}

}  // namespace
}  // namespace xcuda
