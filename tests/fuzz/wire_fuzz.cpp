// Any bytes on the wire between a session and a device worker: as values, as a socket's stream, as a ring of posts.
// No crash, no allocation by a length that lies, and what is accepted is written again as it was.
#include <sys/socket.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "base/channel.hpp"
#include "device/remote/codec.hpp"
#include "device/remote/ring.hpp"

namespace {

using namespace xcuda;
using namespace xcuda::device;
using namespace xcuda::device::remote;

template <class T> void value(std::span<const std::byte> bytes) {
  T read{};
  if (!decode(bytes, read)) return;
  // A byte other than 0 and 1 is true as well, so the text may differ once, but not its meaning.
  T again{};
  const auto written = encode(read);
  if (!decode(written, again) || encode(again) != written) std::abort();
}

void values(std::uint8_t which, std::span<const std::byte> bytes) {
  switch (which % 12) {
    case 0: return value<LaunchRequest>(bytes);
    case 1: return value<Completion>(bytes);
    case 2: return value<ModuleImage>(bytes);
    case 3: return value<ModuleInfo>(bytes);
    case 4: return value<DeviceInfo>(bytes);
    case 5: return value<FillRequest>(bytes);
    case 6: return value<CopyRequest>(bytes);
    case 7: return value<TextureRequest>(bytes);
    case 8: return value<ErrorText>(bytes);
    case 9: return value<OpenRequest>(bytes);
    case 10: return value<ArrayRange>(bytes);
    default: return value<OccupancyRequest>(bytes);
  }
}

void stream(std::span<const std::byte> bytes) {
  auto pair = make_channel_pair();
  if (send(pair.there.get(), bytes.data(), bytes.size(), MSG_DONTWAIT) < 0) return;
  pair.there.reset();
  Channel channel(std::move(pair.here));
  Message message;
  while (channel.receive(message) == Channel::Flow::done) {}
}

void ring(std::span<const std::byte> bytes) {
  static const File file = make_shared_area();
  static const AreaMapping area(file);
  const auto size = std::min<std::size_t>(bytes.size(), kRingBytes);
  std::memcpy(area->ring, bytes.data(), size);
  area->written.store(size);
  area->read.store(0);
  RingReader reader(*area);
  Verb verb{};
  std::vector<std::byte> payload;
  while (reader.take(verb, payload) == RingReader::Take::record)
    if (reader.position() > size) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto bytes = std::as_bytes(std::span(data, size)).subspan(2);
  switch (data[0] % 4) {
    case 0: stream(bytes); break;
    case 1: ring(bytes); break;
    default: values(data[1], bytes);
  }
  return 0;
}
