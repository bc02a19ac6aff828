#include "kernel/wire.hpp"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/error.hpp"
#include "base/handle.hpp"

namespace xcuda::kernel {
namespace {

struct MacTraits {
  using type = EVP_MAC*;
  static constexpr type kEmpty = nullptr;
  static void close(type mac) noexcept { EVP_MAC_free(mac); }
};
struct MacContextTraits {
  using type = EVP_MAC_CTX*;
  static constexpr type kEmpty = nullptr;
  static void close(type context) noexcept { EVP_MAC_CTX_free(context); }
};

// Signed texts: header, parent header, metadata, content.
constexpr std::size_t kSignedFrames = 4;

bool short_text(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() && found->get_ref<const std::string&>().size() <= kMaxIdLength;
}

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

struct Wire::Mac {
  Handle<MacTraits> algorithm;
  Handle<MacContextTraits> keyed;
};

std::string_view describe(Refusal refusal) {
  switch (refusal) {
    case Refusal::no_delimiter: return "no <IDS|MSG> frame";
    case Refusal::too_few_frames: return "too few frames";
    case Refusal::too_many_frames: return "too many frames";
    case Refusal::bad_signature: return "a wrong signature";
    case Refusal::repeated: return "the signature of an earlier message";
    case Refusal::bad_header:
      return "a header that is not an object with the short strings msg_id, msg_type and session";
  }
  return "";
}

std::size_t json_depth(std::string_view text) {
  std::size_t depth = 0, deepest = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

Json parse_bounded(std::string_view text) {
  if (json_depth(text) > kMaxJsonDepth) return nullptr;
  auto json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return json.is_discarded() ? Json(nullptr) : json;
}

Wire::Wire(const std::string& digest, std::string_view key) : mac_(std::make_unique<Mac>()) {
  mac_->algorithm.reset(EVP_MAC_fetch(nullptr, "HMAC", nullptr));
  if (mac_->algorithm) mac_->keyed.reset(EVP_MAC_CTX_new(mac_->algorithm.get()));
  std::string name = digest;
  const std::array parameters{OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name.data(), name.size()),
                              OSSL_PARAM_construct_end()};
  if (!mac_->keyed || EVP_MAC_init(mac_->keyed.get(), reinterpret_cast<const unsigned char*>(key.data()), key.size(),
                                   parameters.data()) != 1)
    throw Error(ErrorKind::unsupported, "this machine's OpenSSL cannot make the signature hmac-" + digest)
        .advise("Use the signature scheme hmac-sha256");
}

Wire::~Wire() = default;

std::string Wire::sign(const std::vector<std::string_view>& parts) const {
  const Handle<MacContextTraits> context(EVP_MAC_CTX_dup(mac_->keyed.get()));
  std::array<unsigned char, EVP_MAX_MD_SIZE> raw{};
  std::size_t size = 0;
  bool good = static_cast<bool>(context);
  for (const auto part : parts)
    good = good && EVP_MAC_update(context.get(), reinterpret_cast<const unsigned char*>(part.data()), part.size()) == 1;
  if (!good || EVP_MAC_final(context.get(), raw.data(), &size, raw.size()) != 1)
    throw Error(ErrorKind::internal, "OpenSSL could not sign a message");
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex(2 * size, '0');
  for (std::size_t i = 0; i < size; ++i) {
    hex[2 * i] = kDigits[raw[i] >> 4];
    hex[2 * i + 1] = kDigits[raw[i] & 15];
  }
  return hex;
}

std::variant<Envelope, Refusal> Wire::open(const std::vector<std::string_view>& frames) {
  const auto mark = std::find(frames.begin(), frames.end(), kDelimiter);
  if (mark == frames.end()) return Refusal::no_delimiter;
  const auto identities = static_cast<std::size_t>(mark - frames.begin());
  const auto after = frames.size() - identities - 1;
  if (after < 1 + kSignedFrames) return Refusal::too_few_frames;
  if (identities > kMaxIdentities || after > 1 + kSignedFrames + kMaxBuffers) return Refusal::too_many_frames;

  const auto signature = mark[1];
  const std::vector<std::string_view> texts(mark + 2, mark + 2 + kSignedFrames);
  const auto expected = sign(texts);
  if (signature.size() != expected.size() || CRYPTO_memcmp(signature.data(), expected.data(), expected.size()) != 0)
    return Refusal::bad_signature;
  if (!remember(expected)) return Refusal::repeated;

  Envelope envelope;
  envelope.header = parse_bounded(texts[0]);
  const auto& header = envelope.header;
  if (!header.is_object() || !short_text(header, "msg_id") || !short_text(header, "msg_type") ||
      !short_text(header, "session"))
    return Refusal::bad_header;
  envelope.parent_header = parse_bounded(texts[1]);
  envelope.metadata = parse_bounded(texts[2]);
  envelope.content = parse_bounded(texts[3]);
  envelope.identities.assign(frames.begin(), mark);
  for (auto buffer = mark + 2 + kSignedFrames; buffer != frames.end(); ++buffer)
    envelope.buffers.emplace_back(buffer->begin(), buffer->end());
  return envelope;
}

std::string Wire::parent_text(const Json& parent) {
  const std::lock_guard lock(mutex_);
  if (parent_text_.empty() || parent != parent_) {
    parent_ = parent;
    parent_text_ = text_of(parent);
  }
  return parent_text_;
}

std::vector<std::string> Wire::seal(const Json& header, const Json& parent, const Json& metadata, const Json& content) {
  std::vector<std::string> frames(2);
  frames.reserve(2 + kSignedFrames);
  frames[0] = kDelimiter;
  frames.push_back(text_of(header));
  frames.push_back(parent_text(parent));
  frames.push_back(text_of(metadata));
  frames.push_back(text_of(content));
  frames[1] = sign({frames[2], frames[3], frames[4], frames[5]});
  return frames;
}

bool Wire::remember(std::string_view signature) {
  std::uint64_t start = 0;
  std::from_chars(signature.data(), signature.data() + 16, start, 16);
  const std::lock_guard lock(mutex_);
  if (!known_.insert(start).second) return false;
  order_.push_back(start);
  if (order_.size() > kRememberedMessages) {
    known_.erase(order_.front());
    order_.pop_front();
  }
  return true;
}

}  // namespace xcuda::kernel
