#include "device/remote/opened.hpp"

#include <utility>

#include "device/remote/codec.hpp"

namespace xcuda::device::remote {

std::optional<Opened> open(const Message& message, std::vector<File> files) {
  Reader reader(message.body);
  Verb verb{};
  std::uint64_t position = 0;
  OpenRequest request;
  reader(verb, position);
  if (!reader.ok() || verb != Verb::open || !reader(request).complete() || files.size() != 5) return std::nullopt;
  if (request.version != kProtocolVersion || request.shared_size != sizeof(SharedArea)) return std::nullopt;
  Opened opened{
      AreaMapping(files[0]), std::move(files[1]), SharedMapping(files[3], request.staging_size), nullptr, {}, {}};
  opened.stop = new StopWatch(opened.area->stop, std::move(files[2]));
  opened.piece_bell = std::move(files[4]);
  opened.start = {
      request.window, opened.staging.bytes(), &opened.area->fault, {&opened.area->piece, opened.piece_bell.get()}};
  return opened;
}

}  // namespace xcuda::device::remote
