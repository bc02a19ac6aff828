#include "device/ranks/rank_line.hpp"

#include "device/remote/codec.hpp"

namespace xcuda::device::ranks {

// Host data does not lie in memory that a rank shares: what is written goes along, and what is read comes with the
// answer to the synchronisation.
void RankLine::post(remote::Verb verb, std::span<const std::byte> payload, const std::function<WaitRequest()>&) {
  using remote::Verb;
  ToRank message{rank_, Kind::post, verb, {payload.begin(), payload.end()}, {}};
  StreamId stream{};
  CopyRequest request;
  if (verb == Verb::post_read && remote::decode(payload, stream, request)) job_->will_read(rank_, request);
  if (verb == Verb::post_write && remote::decode(payload, stream, request))
    for (std::uint64_t row = 0; row < request.height; ++row) {
      const auto bytes = job_->staging().subspan(request.from + row * request.from_pitch, request.width);
      message.written.insert(message.written.end(), bytes.begin(), bytes.end());
    }
  job_->post(std::move(message));
}

}  // namespace xcuda::device::ranks
