#include "files/array_writer.hpp"

#include <fmt/format.h>

#include <complex>
#include <cstring>
#include <iterator>

#include "base/error.hpp"
#include "base/half.hpp"
#include "base/input_file.hpp"
#include "files/npy.hpp"

namespace xcuda::files {
namespace {

// The shortest digits that give the same number when they are read again.
template <class Number> void append(fmt::memory_buffer& text, Number number) {
  fmt::format_to(std::back_inserter(text), "{}", number);
}
// As numpy.savetxt writes it: (1.5-2j).
template <class Real> void append(fmt::memory_buffer& text, std::complex<Real> number) {
  fmt::format_to(std::back_inserter(text), "({}{:+}j)", number.real(), number.imag());
}

template <class Stored> Stored at(const std::byte* from) {
  Stored value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

void append_number(fmt::memory_buffer& text, Scalar scalar, const std::byte* from) {
  switch (scalar) {
    case Scalar::boolean: return append(text, at<std::uint8_t>(from) != 0 ? 1 : 0);
    case Scalar::int8: return append(text, int{at<std::int8_t>(from)});
    case Scalar::int16: return append(text, at<std::int16_t>(from));
    case Scalar::int32: return append(text, at<std::int32_t>(from));
    case Scalar::int64: return append(text, at<std::int64_t>(from));
    case Scalar::uint8: return append(text, int{at<std::uint8_t>(from)});
    case Scalar::uint16: return append(text, at<std::uint16_t>(from));
    case Scalar::uint32: return append(text, at<std::uint32_t>(from));
    case Scalar::uint64: return append(text, at<std::uint64_t>(from));
    case Scalar::float16: return append(text, half_to_float(at<std::uint16_t>(from)));
    case Scalar::bfloat16: return append(text, bfloat16_to_float(at<std::uint16_t>(from)));
    case Scalar::float32: return append(text, at<float>(from));
    case Scalar::float64: return append(text, at<double>(from));
    case Scalar::complex64: return append(text, at<std::complex<float>>(from));
    case Scalar::complex128: return append(text, at<std::complex<double>>(from));
    case Scalar::none: return;  // refused before
  }
}

}  // namespace

ArrayWriter::Format ArrayWriter::format_of(const std::string& path) {
  if (path.ends_with(".npy")) return Format::npy;
  if (path.ends_with(".csv")) return Format::csv;
  throw Error(ErrorKind::value,
              fmt::format("cannot save an array as {}: the name's ending must be a format", shown_path(path)))
      .advise("Use .npy (NumPy's format, any array) or .csv (text, one or two dimensions).");
}

ArrayWriter::ArrayWriter(const std::string& path, const Type& type, const std::vector<std::uint64_t>& shape)
    : format_(format_of(path)), file_(path) {
  if (format_ == Format::npy) {
    file_.write(npy_header(type, shape));
    return;
  }
  const auto npy = [&] { return fmt::format("Save it as .npy: {}npy.", path.substr(0, path.size() - 3)); };
  if (type.scalar == Scalar::none)
    throw Error(ErrorKind::type, fmt::format("a .csv file holds numbers, but the elements are {}", type.name))
        .advise(npy());
  auto extents = shape;
  if (type.lanes > 1) extents.push_back(static_cast<std::uint64_t>(type.lanes));  // float4 is a last axis of 4
  if (extents.size() > 2)
    throw Error(ErrorKind::value,
                fmt::format("a .csv file holds one or two dimensions, but this array has {}{}", extents.size(),
                            type.lanes > 1 ? fmt::format(" with the members of {}", type.name) : ""))
        .advise(npy());
  number_ = type_of(type.scalar);
  if (extents.size() == 2) columns_ = extents[1];
}

void ArrayWriter::write(std::span<const std::byte> bytes) {
  if (format_ == Format::npy) return file_.write(bytes);
  write_text(bytes);
}

void ArrayWriter::write_text(std::span<const std::byte> bytes) {
  constexpr std::size_t kBuffer = std::size_t{1} << 20;
  fmt::memory_buffer text;
  for (std::size_t i = 0; i + number_.size <= bytes.size(); i += number_.size) {
    append_number(text, number_.scalar, bytes.data() + i);
    const bool last = ++column_ == columns_;
    text.push_back(last ? '\n' : ',');
    if (last) column_ = 0;
    if (text.size() < kBuffer) continue;
    file_.write({text.data(), text.size()});
    text.clear();
  }
  file_.write({text.data(), text.size()});
}

void ArrayWriter::commit() { file_.commit(); }

}  // namespace xcuda::files
