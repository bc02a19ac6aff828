// What a cell shows: one value in several MIME types; a client takes the richest that it can draw.
// text/plain is always there. Rendering is pure: values in, bundle out.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace xcuda::display {

struct Bundle {
  nlohmann::json data = nlohmann::json::object();  // MIME type -> content
  nlohmann::json metadata = nlohmann::json::object();
};

inline constexpr std::string_view kTextMime = "text/plain";
inline constexpr std::string_view kHtmlMime = "text/html";
inline constexpr std::string_view kArrayMime = "application/vnd.xcuda.array+json";
inline constexpr std::string_view kSparseMime = "application/vnd.xcuda.sparse+json";
inline constexpr std::string_view kLaunchMime = "application/vnd.xcuda.launch+json";
inline constexpr std::string_view kCompileMime = "application/vnd.xcuda.compile+json";
inline constexpr std::string_view kImageMime = "application/vnd.xcuda.image+json";
inline constexpr std::string_view kChartMime = "application/vnd.xcuda.chart+json";
inline constexpr std::string_view kDeviceMime = "application/vnd.xcuda.device+json";
inline constexpr std::string_view kErrorMime = "application/vnd.xcuda.error+json";

enum class Colours : std::uint8_t { none, ansi };  // of text for a terminal

// Plain text as it is: a scalar, a path, a line of news.
Bundle text_bundle(std::string_view text);
// Text in a monospaced block with a heading: PTX, a kernel's source.
Bundle listing_bundle(std::string_view title, std::string_view text);

// The text/plain of a bundle.
std::string plain(const Bundle& bundle);

}  // namespace xcuda::display
