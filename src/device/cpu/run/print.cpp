#include "device/cpu/run/print.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace xcuda::device::cpu {
namespace {

// Reads arguments in order.
class Arguments {
 public:
  explicit Arguments(const std::byte* data) : data_(data) {}

  template <class T> T next() {
    offset_ = (offset_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value;
    std::memcpy(&value, data_ + offset_, sizeof(T));
    offset_ += sizeof(T);
    ++count_;
    return value;
  }
  int count() const { return count_; }

 private:
  const std::byte* data_;
  std::size_t offset_ = 0;
  int count_ = 0;
};

// One conversion, "%-8.3lld": what precedes its length, then the length, then the letter.
struct Conversion {
  std::string head;  // "%-8.3", stars replaced by their values
  int longs = 0;     // l: 1, ll (and j, z, t, q, L): 2
  int shorts = 0;    // h: 1, hh: 2
  char letter = 0;
  std::size_t length = 0;  // characters of the format
};

template <class T> void append(std::string& out, const std::string& format, T value) {
  std::array<char, 256> buffer;
  const int size = std::snprintf(buffer.data(), buffer.size(), format.c_str(), value);
  if (size < 0) return;
  const auto length = static_cast<std::size_t>(size);
  if (length < buffer.size()) {
    out.append(buffer.data(), length);
    return;
  }
  const std::size_t begin = out.size();
  out.resize(begin + length + 1);
  std::snprintf(out.data() + begin, length + 1, format.c_str(), value);
  out.resize(begin + length);
}

// A width or precision: digits, or a star and its argument.
void read_number(Conversion& conversion, std::string_view format, std::size_t& at, Arguments& arguments) {
  if (at < format.size() && format[at] == '*') {
    conversion.head += std::to_string(arguments.next<std::int32_t>());
    ++at;
  }
  while (at < format.size() && format[at] >= '0' && format[at] <= '9') conversion.head += format[at++];
}

Conversion read_conversion(std::string_view format, Arguments& arguments) {
  Conversion conversion{.head = "%"};
  std::size_t at = 1;
  while (at < format.size() && std::string_view("-+ #0").find(format[at]) != std::string_view::npos)
    conversion.head += format[at++];
  read_number(conversion, format, at, arguments);
  if (at < format.size() && format[at] == '.') {
    conversion.head += format[at++];
    read_number(conversion, format, at, arguments);
    // A negative precision counts as none.
    if (const std::size_t point = conversion.head.find(".-"); point != std::string::npos) conversion.head.resize(point);
  }
  for (; at < format.size(); ++at) {
    if (format[at] == 'l')
      ++conversion.longs;
    else if (format[at] == 'h')
      ++conversion.shorts;
    else if (std::string_view("jztqL").find(format[at]) != std::string_view::npos)
      conversion.longs = 2;
    else
      break;
  }
  if (at < format.size()) conversion.letter = format[at++];
  conversion.length = at;
  return conversion;
}

void append_integer(std::string& out, const Conversion& conversion, Arguments& arguments) {
  const std::string wide = conversion.head + "ll" + conversion.letter;
  const bool is_signed = conversion.letter == 'd' || conversion.letter == 'i';
  if (conversion.longs > 0) {
    append(out, wide, arguments.next<std::int64_t>());
  } else if (is_signed) {
    auto value = arguments.next<std::int32_t>();
    if (conversion.shorts == 1) value = static_cast<std::int16_t>(value);
    if (conversion.shorts > 1) value = static_cast<std::int8_t>(value);
    append(out, wide, static_cast<long long>(value));
  } else {
    auto value = arguments.next<std::uint32_t>();
    if (conversion.shorts == 1) value = static_cast<std::uint16_t>(value);
    if (conversion.shorts > 1) value = static_cast<std::uint8_t>(value);
    append(out, wide, static_cast<unsigned long long>(value));
  }
}

}  // namespace

int format_print(std::string& out, const char* text, const std::byte* packed) {
  if (text == nullptr) return -1;
  Arguments arguments(packed);
  std::string_view format(text);
  while (!format.empty()) {
    const std::size_t percent = format.find('%');
    out.append(format.substr(0, percent));
    if (percent == format.npos) break;
    format.remove_prefix(percent);
    if (format.starts_with("%%")) {
      out += '%';
      format.remove_prefix(2);
      continue;
    }
    const Conversion conversion = read_conversion(format, arguments);
    const std::string plain = conversion.head + conversion.letter;
    switch (conversion.letter) {
      case 'd':
      case 'i':
      case 'u':
      case 'o':
      case 'x':
      case 'X': append_integer(out, conversion, arguments); break;
      case 'c': append(out, plain, arguments.next<std::int32_t>()); break;
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A': append(out, plain, arguments.next<double>()); break;
      case 's': append(out, plain, reinterpret_cast<const char*>(arguments.next<std::uint64_t>())); break;
      case 'p': append(out, plain, reinterpret_cast<const void*>(arguments.next<std::uint64_t>())); break;
      default: out.append(format.substr(0, conversion.length));  // no conversion that CUDA knows
    }
    format.remove_prefix(conversion.length);
  }
  return arguments.count();
}

}  // namespace xcuda::device::cpu
