#include "base/hash.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <array>
#include <cstdint>

#include "base/error.hpp"

namespace xcuda {
namespace {

EVP_MD_CTX* raw(const Handle<DigestTraits>& context) { return static_cast<EVP_MD_CTX*>(context.get()); }

void check(int result) {
  if (result != 1)
    throw Error(ErrorKind::internal, "cannot compute a SHA-256 digest").said("OpenSSL's EVP interface failed");
}

// A program on the CPU device may end while a thread hashes, so OpenSSL must not clean up then.
EVP_MD_CTX* new_context() {
  static const bool kept = OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr) == 1;
  return kept ? EVP_MD_CTX_new() : nullptr;
}

}  // namespace

void DigestTraits::close(void* context) noexcept { EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context)); }

Sha256::Sha256() : context_(new_context()) {
  check(context_ ? EVP_DigestInit_ex(raw(context_), EVP_sha256(), nullptr) : 0);
}

Sha256& Sha256::add(std::string_view part) { return add(std::as_bytes(std::span(part.data(), part.size()))); }

Sha256& Sha256::add(std::span<const std::byte> part) {
  const std::uint64_t size = part.size();
  check(EVP_DigestUpdate(raw(context_), &size, sizeof size));
  check(EVP_DigestUpdate(raw(context_), part.data(), part.size()));
  return *this;
}

std::string Sha256::hex() {
  std::array<unsigned char, 32> digest{};
  unsigned size = digest.size();
  check(EVP_DigestFinal_ex(raw(context_), digest.data(), &size));
  std::string text;
  for (const auto byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace xcuda
