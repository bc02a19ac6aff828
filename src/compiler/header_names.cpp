#include "compiler/header_names.hpp"

#include <filesystem>

#include "cell/parse.hpp"
#include "compiler/user_headers.hpp"

namespace xcuda::compiler {
namespace {

// A library that comes by -I is not read as a user's header is.
constexpr std::size_t kMostHeaders = 64;
constexpr std::size_t kLargestHeader = std::size_t{1} << 20;  // bytes

}  // namespace

std::vector<std::unique_ptr<Unit>> units_of_headers(const std::vector<std::unique_ptr<Unit>>& units) {
  std::vector<std::unique_ptr<Unit>> result;
  UserHeaders headers;
  for (const auto& unit : units) {
    for (const auto& piece : unit->pieces)
      if (const auto name = piece.is_include() && !piece.dead ? include_name(piece.info.value) : std::nullopt)
        headers.find(*name, unit->folder, unit->options.include_folders);
    for (const auto& header : headers.take()) {
      if (result.size() >= kMostHeaders) return result;
      if (header.text.size() > kLargestHeader || header.text.find('\0') != std::string::npos) continue;
      // What follows something that the parser does not know is not found; the compiler has the last word.
      const auto name = std::filesystem::path(header.path).filename().string();
      const auto parsed = cell::try_parse_device_code(header.text, name);
      result.push_back(std::make_unique<Unit>(make_unit({&parsed.cell, name, {}, unit->options})));
    }
  }
  return result;
}

}  // namespace xcuda::compiler
