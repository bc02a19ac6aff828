// Messages as they cross the sockets: frames in, an Envelope or a refusal out; and back. Nothing in a frame is trusted
// before the count of the frames, their sizes and the signature are right.
//
//   identity..., "<IDS|MSG>", signature (hex), header, parent header, metadata, content, buffer...
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_set>
#include <variant>
#include <vector>

namespace xcuda::kernel {

using Json = nlohmann::json;

inline constexpr std::string_view kDelimiter = "<IDS|MSG>";
inline constexpr std::size_t kMaxJsonDepth = 128;  // a deeper text would overflow the stack when it is written
inline constexpr std::size_t kMaxIdLength = 256;   // bytes of msg_id, session, msg_type, comm_id, cellId
inline constexpr std::size_t kMaxIdentities = 16;  // routing frames
inline constexpr std::size_t kMaxBuffers = 4096;
inline constexpr std::size_t kRememberedMessages = 1 << 16;  // to know a repeated one

struct Envelope {
  std::vector<std::string> identities;
  Json header;  // an object with the texts msg_id, msg_type and session
  Json parent_header;
  Json metadata;
  Json content;  // null when it is not JSON, or too deep: the request is answered with an error
  std::vector<std::vector<char>> buffers;
};

enum class Refusal {
  no_delimiter,
  too_few_frames,
  too_many_frames,
  bad_signature,
  repeated,
  bad_header,
};
std::string_view describe(Refusal refusal);

// Depth of nesting, without parsing: brackets outside of strings. 0 for a scalar.
std::size_t json_depth(std::string_view text);
// The parsed text, or null when it is not JSON or deeper than kMaxJsonDepth.
Json parse_bounded(std::string_view text);

// Thread-safe.
class Wire {
 public:
  // digest as OpenSSL names it. Error(unsupported) when the library does not have it.
  Wire(const std::string& digest, std::string_view key);
  ~Wire();

  std::variant<Envelope, Refusal> open(const std::vector<std::string_view>& frames);

  // The frames after the identities: delimiter, signature, four texts. Bytes that are not UTF-8 become U+FFFD.
  std::vector<std::string> seal(const Json& header, const Json& parent, const Json& metadata, const Json& content);

  std::string sign(const std::vector<std::string_view>& parts) const;  // hex

 private:
  bool remember(std::string_view signature);  // false when it is known
  std::string parent_text(const Json& parent);

  struct Mac;
  std::unique_ptr<Mac> mac_;
  std::mutex mutex_;
  std::unordered_set<std::uint64_t>
      known_;  // the first 64 bits of right signatures: only owners of the key can make one
  std::deque<std::uint64_t> order_;
  Json parent_;  // of the last message: those of one request have the same
  std::string parent_text_;
};

}  // namespace xcuda::kernel
