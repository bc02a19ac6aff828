#include "base/base64.hpp"

#include <openssl/evp.h>

namespace xcuda {

std::string base64(std::span<const std::byte> bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // with the 0 that OpenSSL writes at the end
  const int size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

}  // namespace xcuda
