#include "files/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "base/half.hpp"

namespace xcuda::files {
namespace {

constexpr std::string_view kBlanks = " \t\r\f\v";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool is_missing(std::string_view field) {
  return field.empty() || field == "NA" || field == "N/A" || field == "null" || field == "NULL";
}

// All of it, as C reads numbers: the nearest one, infinity for what is too large.
template <class Real> std::optional<Real> parse_real(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  Real value = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, state] = std::from_chars(text.data(), end, value);
  if (text.empty() || stop != end || state == std::errc::invalid_argument) return std::nullopt;
  if (state == std::errc::result_out_of_range) {
    const std::string copy(text);
    if constexpr (std::is_same_v<Real, float>)
      value = std::strtof(copy.c_str(), nullptr);
    else
      value = std::strtod(copy.c_str(), nullptr);
  }
  return value;
}

// 1.5, 2j, 1.5-2j, with or without parentheses.
template <class Real> std::optional<std::complex<Real>> parse_complex(std::string_view text) {
  if (text.starts_with('(') && text.ends_with(')')) text = trimmed(text.substr(1, text.size() - 2));
  if (!text.ends_with('j')) {
    const auto value = parse_real<Real>(text);
    return value ? std::optional(std::complex<Real>(*value)) : std::nullopt;
  }
  text.remove_suffix(1);
  // The sign between the parts: not that of an exponent, nor the first.
  auto sign = text.size();
  for (std::size_t i = text.size(); i-- > 1;)
    if ((text[i] == '+' || text[i] == '-') && text[i - 1] != 'e' && text[i - 1] != 'E') {
      sign = i;
      break;
    }
  if (sign == text.size()) {
    const auto value = parse_real<Real>(text);
    return value ? std::optional(std::complex<Real>(0, *value)) : std::nullopt;
  }
  const auto left = parse_real<Real>(text.substr(0, sign)), right = parse_real<Real>(text.substr(sign));
  return left && right ? std::optional(std::complex<Real>(*left, *right)) : std::nullopt;
}

template <class Stored> void put(std::byte* to, Stored value) { std::memcpy(to, &value, sizeof value); }

}  // namespace

TextTableReader::TextTableReader(std::span<const std::byte> file, std::string name, const Wanted& wanted)
    : name_(std::move(name)), text_(reinterpret_cast<const char*>(file.data()), file.size()) {
  if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  if (const auto zero = text_.find('\0'); zero != std::string_view::npos) {
    const bool wide = text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF") || zero < 2;
    fail(wide ? "it is UTF-16" : fmt::format("it is not text: byte {} is zero", zero),
         wide ? "Save it as UTF-8." : "Rename it: its extension says how it is read.");
  }
  if (text_.find('\n') == std::string_view::npos && text_.find('\r') != std::string_view::npos) line_end_ = '\r';
  std::uint64_t rows = 0, columns = 0;
  bool complex = false;
  for (auto start = at_, number = line_; next_line(); start = at_, number = line_) {
    if (rows == 0) {
      if (first_ == 0 && is_header()) {
        first_ = at_;  // what follows a second line of names is not looked for
        first_line_ = line_;
        continue;
      }
      first_ = start;
      first_line_ = number;
      columns = fields_.size();
      complex = std::any_of(fields_.begin(), fields_.end(),
                            [](auto field) { return !parse_real<double>(field) && parse_complex<double>(field); });
    }
    if (fields_.size() != columns)
      fail(fmt::format("line {} has {} number{}, but line {} has {}", line_, fields_.size(),
                       fields_.size() == 1 ? "" : "s", first_line_ + 1, columns),
           "Each line of a table has as many numbers as the first.");
    ++rows;
  }
  facts_.type = type_of(wanted.scalar.value_or(complex ? Scalar::complex128 : Scalar::float64));
  facts_.shape = {rows, columns};
  if (rows == 0)
    facts_.shape = {0};
  else if (wanted.extents.value_or(1) < 2 && std::min(rows, columns) == 1)
    facts_.shape = {std::max(rows, columns)};
  at_ = first_;
  line_ = first_line_;
  fields_.clear();
}

void TextTableReader::fail(const std::string& why, const std::string& advice) const {
  throw Error(ErrorKind::value, fmt::format("cannot load {}: {}", shown_path(name_), why)).advise(advice);
}

bool TextTableReader::next_line() {
  while (at_ < text_.size()) {
    const auto end = std::min(text_.find(line_end_, at_), text_.size());
    current_ = text_.substr(at_, end - at_);
    at_ = std::min(end + 1, text_.size());
    ++line_;
    current_ = current_.substr(0, current_.find('#'));
    if (trimmed(current_).empty()) continue;
    split();
    return true;
  }
  return false;
}

void TextTableReader::split() {
  auto text = current_;
  if (delimiter_ == '\0') {
    delimiter_ = ' ';
    for (const char one : {',', ';', '\t'})
      if (delimiter_ == ' ' && text.find(one) != std::string_view::npos) delimiter_ = one;
  }
  fields_.clear();
  field_ = 0;
  const std::string_view ends = delimiter_ == ' ' ? kBlanks : std::string_view(&delimiter_, 1);
  if (delimiter_ == ' ') text = trimmed(text);
  while (true) {
    std::size_t stop = 0;
    if (const auto quote = text.find_first_not_of(kBlanks); quote != std::string_view::npos && text[quote] == '"')
      stop = std::min(text.find('"', quote + 1), text.size() - 1);
    stop = std::min(text.find_first_of(ends, stop), text.size());
    auto field = trimmed(text.substr(0, stop));
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
      field = trimmed(field.substr(1, field.size() - 2));
    fields_.push_back(field);
    if (stop == text.size()) return;
    text.remove_prefix(delimiter_ == ' ' ? text.find_first_not_of(kBlanks, stop) : stop + 1);
  }
}

// Names of columns: something, but not a number among it.
bool TextTableReader::is_header() const {
  const auto is_number = [](auto field) { return parse_complex<double>(field).has_value(); };
  return std::none_of(fields_.begin(), fields_.end(), is_number) &&
         !std::all_of(fields_.begin(), fields_.end(), is_missing);
}

double TextTableReader::real(std::string_view field) const {
  if (is_missing(field)) return std::numeric_limits<double>::quiet_NaN();
  if (const auto value = parse_real<double>(field)) return *value;
  fail(fmt::format("line {}, column {}: \"{}\" is not a number", line_, field_, field.substr(0, 40)),
       "Each field is a number or empty; a first line of names is skipped.");
}

template <class Integer> Integer TextTableReader::integer(std::string_view field) const {
  if (field.starts_with('+') && !field.starts_with("+-")) field.remove_prefix(1);
  Integer value = 0;
  const auto* end = field.data() + field.size();
  const auto [stop, state] = std::from_chars(field.data(), end, value);
  if (state == std::errc{} && stop == end) return value;
  const auto where = fmt::format("line {}, column {}", line_, field_);
  if (is_missing(field))
    fail(fmt::format("{}: a number is missing, and {} has no value for that", where, facts_.type.name),
         "Load it as double: what is missing is NaN there.");
  const auto other = real(field);  // 3.0, 1e6
  constexpr auto kLow = static_cast<double>(std::numeric_limits<Integer>::min());
  constexpr auto kHigh = 2 * static_cast<double>(Integer{std::numeric_limits<Integer>::max() / 2 + 1});
  if (std::trunc(other) == other && other >= kLow && other < kHigh) return static_cast<Integer>(other);
  fail(fmt::format("{}: {} is not a value of {}", where, field, facts_.type.name),
       fmt::format("Load it as {}.", std::trunc(other) == other && std::abs(other) < 0x1p63 ? "long" : "double"));
}

void TextTableReader::store(std::string_view field, std::byte* to) const {
  const auto nearest = [&]<class Real>(Real) {
    if (const auto value = parse_real<Real>(field)) return *value;
    return static_cast<Real>(real(field));
  };
  const auto complex = [&]<class Real>(Real) {
    if (const auto value = parse_complex<Real>(field)) return *value;
    return std::complex<Real>(static_cast<Real>(real(field)));
  };
  switch (facts_.type.scalar) {
    case Scalar::boolean: return put(to, static_cast<std::uint8_t>(real(field) != 0));
    case Scalar::int8: return put(to, integer<std::int8_t>(field));
    case Scalar::int16: return put(to, integer<std::int16_t>(field));
    case Scalar::int32: return put(to, integer<std::int32_t>(field));
    case Scalar::int64: return put(to, integer<std::int64_t>(field));
    case Scalar::uint8: return put(to, integer<std::uint8_t>(field));
    case Scalar::uint16: return put(to, integer<std::uint16_t>(field));
    case Scalar::uint32: return put(to, integer<std::uint32_t>(field));
    case Scalar::uint64: return put(to, integer<std::uint64_t>(field));
    case Scalar::float16: return put(to, double_to_half(real(field)));
    case Scalar::bfloat16: return put(to, double_to_bfloat16(real(field)));
    case Scalar::float32: return put(to, nearest(0.0F));
    case Scalar::float64: return put(to, nearest(0.0));
    case Scalar::complex64: return put(to, complex(0.0F));
    case Scalar::complex128: return put(to, complex(0.0));
    case Scalar::none: return;  // type_of() has no elements of it
  }
}

void TextTableReader::read(std::span<std::byte> elements) {
  const auto size = facts_.type.size;
  for (std::size_t to = 0; to + size <= elements.size(); to += size) {
    if (field_ == fields_.size() && !next_line()) fail("it became shorter while it was read", "Load it again.");
    const auto field = fields_[field_++];  // messages count columns from 1
    store(field, elements.data() + to);
  }
}

}  // namespace xcuda::files
