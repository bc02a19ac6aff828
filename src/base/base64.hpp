// Bytes as text, for JSON.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace xcuda {

std::string base64(std::span<const std::byte> bytes);  // at most 1 GiB of them

}  // namespace xcuda
