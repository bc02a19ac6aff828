#include "files/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/error.hpp"

namespace xcuda::files {
namespace {

static_assert(std::endian::native == std::endian::little);

// name: of the file, as errors show it.
Error malformed(const std::string& name, const std::string& why) {
  return Error(ErrorKind::value, fmt::format("cannot load {}: {}", name, why))
      .advise("Write the file with numpy.save(file, array).");
}

// The Python literal of the header: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
class Dictionary {
 public:
  Dictionary(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  NpyHeader read() {
    NpyHeader header;
    std::optional<std::string> descr;
    bool has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const auto key = quoted();
      expect(':');
      if (key == "descr") {
        if (peek() == '[')
          throw malformed(path_, "its elements are records of several fields")
              .advise("Save each field as an array: numpy.save(file, array['name']).");
        descr = quoted();
      } else if (key == "fortran_order") {
        header.fortran_order = boolean();
        has_order = true;
      } else if (key == "shape") {
        header.shape = tuple();
        has_shape = true;
      } else {
        throw malformed(path_, fmt::format("its header has an unknown key '{}'", key));
      }
      if (!accept(',') && peek() != '}') fail();
    }
    skip_blank();
    if (at_ != text_.size() || !descr || !has_order || !has_shape) fail();
    set_type(header, *descr);
    return header;
  }

 private:
  [[noreturn]] void fail() const {
    throw malformed(path_, "its header is not a dictionary of descr, fortran_order and shape");
  }
  void skip_blank() {
    while (at_ < text_.size() && std::strchr(" \t\r\n", text_[at_]) != nullptr) ++at_;
  }
  char peek() {
    skip_blank();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail();
  }
  std::string quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail();
    const auto end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail();
    std::string word(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return word;
  }
  bool boolean() {
    skip_blank();
    const auto rest = text_.substr(at_);
    if (rest.starts_with("True")) {
      at_ += 4;
      return true;
    }
    if (rest.starts_with("False")) {
      at_ += 5;
      return false;
    }
    fail();
  }
  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> values;
    expect('(');
    while (!accept(')')) {
      skip_blank();
      std::uint64_t value = 0;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      if (error != std::errc{}) fail();
      at_ = static_cast<std::size_t>(end - text_.data());
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // files of Python 2
      values.push_back(value);
      if (!accept(',') && peek() != ')') fail();
    }
    if (values.size() > kMaxExtents)
      throw malformed(path_, fmt::format("it has {} extents, but an array has at most {}", values.size(), kMaxExtents));
    return values;
  }
  void set_type(NpyHeader& header, const std::string& descr) const {
    if (descr.find('O') != std::string::npos)
      throw malformed(path_, "it holds Python objects, not numbers")
          .advise("Convert it first: array.astype(numpy.float32).");
    struct Known {
      std::string_view code;
      Scalar scalar;
    };
    static constexpr Known kTypes[] = {{"b1", Scalar::boolean},   {"i1", Scalar::int8},       {"i2", Scalar::int16},
                                       {"i4", Scalar::int32},     {"i8", Scalar::int64},      {"u1", Scalar::uint8},
                                       {"u2", Scalar::uint16},    {"u4", Scalar::uint32},     {"u8", Scalar::uint64},
                                       {"f2", Scalar::float16},   {"f4", Scalar::float32},    {"f8", Scalar::float64},
                                       {"c8", Scalar::complex64}, {"c16", Scalar::complex128}};
    if (!descr.empty() && std::strchr("<>|=", descr[0]) != nullptr) {
      header.swapped = descr[0] == '>';
      for (const auto& known : kTypes)
        if (descr.substr(1) == known.code) {
          header.type = type_of(known.scalar);
          return;
        }
    }
    if (descr.starts_with("|S") || descr.starts_with("|V")) {  // bytes, as many for each element
      std::uint64_t width = 0;
      const auto [end, error] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), width);
      if (error == std::errc{} && end == descr.data() + descr.size() && width > 0 &&
          header.shape.size() < kMaxExtents) {
        header.type = type_of(Scalar::uint8);
        header.shape.push_back(width);
        return;
      }
    }
    throw malformed(path_, fmt::format("its element type '{}' has no C++ counterpart here", descr))
        .advise("Convert it first: array.astype(numpy.float64), or numpy.int64.");
  }

  std::string_view text_;
  const std::string& path_;
  std::size_t at_ = 0;
};

}  // namespace

NpyHeader read_npy_header(ByteSource& file) {
  const auto& path = file.name();
  std::byte start[8];
  if (file.read(start) < sizeof start || std::memcmp(start, "\x93NUMPY", 6) != 0)
    throw malformed(path, "it is not a .npy file (wrong magic bytes)");
  const int major = static_cast<int>(start[6]);
  if (major < 1 || major > 3)
    throw malformed(path, fmt::format("its format version {}.{} is unknown", major, static_cast<int>(start[7])));
  std::byte length_bytes[4] = {};
  const std::size_t length_size = major == 1 ? 2 : 4;
  if (file.read(std::span(length_bytes).first(length_size)) < length_size)
    throw malformed(path, "it is truncated in its header");
  std::uint32_t length = 0;
  std::memcpy(&length, length_bytes, length_size);
  if (length > (1u << 20)) throw malformed(path, fmt::format("its header claims {} bytes", length));
  std::string text(length, '\0');
  if (file.read(std::as_writable_bytes(std::span(text))) < length)
    throw malformed(path, "it is truncated in its header");
  auto header = parse_npy_dictionary(text, path);
  header.data_offset = sizeof start + length_size + length;
  return header;
}

NpyHeader parse_npy_dictionary(std::string_view text, const std::string& path) {
  auto header = Dictionary(text, path).read();
  std::uint64_t bytes = header.type.size;
  for (const auto extent : header.shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes)) throw malformed(path, "its shape overflows 64 bits");
  return header;
}

std::string npy_header(const Type& type, const std::vector<std::uint64_t>& shape) {
  auto extents = shape;
  std::string descr;
  char code = 0;
  switch (type.scalar) {
    case Scalar::boolean: code = 'b'; break;
    case Scalar::int8:
    case Scalar::int16:
    case Scalar::int32:
    case Scalar::int64: code = 'i'; break;
    case Scalar::uint8:
    case Scalar::uint16:
    case Scalar::uint32:
    case Scalar::uint64: code = 'u'; break;
    case Scalar::float16:
    case Scalar::float32:
    case Scalar::float64: code = 'f'; break;
    case Scalar::complex64:
    case Scalar::complex128: code = 'c'; break;
    case Scalar::bfloat16:
    case Scalar::none: break;  // NumPy has no such type: void of that size
  }
  if (code == 0) {
    descr = fmt::format("|V{}", type.size);
  } else {
    const auto size = size_of(type.scalar);
    descr = fmt::format("{}{}{}", size == 1 ? '|' : '<', code, size);
    if (type.lanes > 1) extents.push_back(static_cast<std::uint64_t>(type.lanes));  // float4 is a last axis of 4
  }
  std::string tuple;
  for (const auto extent : extents) tuple += fmt::format("{}, ", extent);
  if (extents.size() > 1)
    tuple.resize(tuple.size() - 2);
  else if (!tuple.empty())
    tuple.pop_back();
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, tuple);
  const std::size_t start = 10;  // magic, version, length
  while ((start + text.size() + 1) % 64 != 0) text.push_back(' ');
  text.push_back('\n');
  std::string header("\x93NUMPY\x01\x00", 8);
  header.push_back(static_cast<char>(text.size() & 0xff));
  header.push_back(static_cast<char>(text.size() >> 8));
  return header + text;
}

}  // namespace xcuda::files
