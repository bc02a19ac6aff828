#include "files/array_writer.hpp"

#include <fmt/format.h>

#include <complex>
#include <cstring>
#include <iterator>

#include "base/error.hpp"
#include "base/half.hpp"
#include "base/input_file.hpp"
#include "base/output_file.hpp"
#include "files/array_file.hpp"
#include "files/image_writer.hpp"
#include "files/npy.hpp"
#include "files/zip_writer.hpp"

namespace xcuda::files {

class ArrayWriter::Format {
 public:
  explicit Format(const std::string& path) : file_(path) {}
  virtual ~Format() = default;
  Format(const Format&) = delete;
  Format& operator=(const Format&) = delete;
  virtual void begin(const SavedArray& array) = 0;
  virtual void write(std::span<const std::byte> bytes) { file().write(bytes); }
  virtual void end() {}
  OutputFile& file() { return file_; }

 private:
  OutputFile file_;
};

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

class NpyFormat final : public ArrayWriter::Format {
 public:
  using Format::Format;
  void begin(const SavedArray& array) override { file().write(npy_header(array.type, array.shape)); }
};

class NpzFormat final : public ArrayWriter::Format {
 public:
  using Format::Format;
  void begin(const SavedArray& array) override {
    const auto header = npy_header(array.type, array.shape);
    auto bytes = array.type.size;
    for (const auto extent : array.shape) bytes *= extent;
    zip_.begin(array.name + ".npy", header.size() + bytes);
    zip_.write(std::as_bytes(std::span(header)));
  }
  void write(std::span<const std::byte> bytes) override { zip_.write(bytes); }
  void end() override { zip_.end(); }

 private:
  ZipWriter zip_{file()};
};

// A line for each row.
class TextFormat final : public ArrayWriter::Format {
 public:
  explicit TextFormat(const std::string& path) : Format(path), path_(path) {}
  void begin(const SavedArray& array) override {
    const auto& type = array.type;
    const auto npy = [&] { return fmt::format("Save it as .npy: {}.npy.", path_.substr(0, path_.rfind('.'))); };
    if (type.scalar == Scalar::none)
      throw Error(ErrorKind::type, fmt::format("a text file holds numbers, but the elements are {}", type.name))
          .advise(npy());
    auto extents = array.shape;
    if (type.lanes > 1) extents.push_back(static_cast<std::uint64_t>(type.lanes));  // float4 is a last axis of 4
    if (extents.size() > 2)
      throw Error(ErrorKind::value,
                  fmt::format("a text file holds one or two dimensions, but this array has {}{}", extents.size(),
                              type.lanes > 1 ? fmt::format(" with the members of {}", type.name) : ""))
          .advise(npy());
    number_ = type_of(type.scalar);
    if (extents.size() == 2) columns_ = extents[1];
    if (path_.ends_with(".tsv") || path_.ends_with(".TSV")) delimiter_ = '\t';
    if (path_.ends_with(".txt") || path_.ends_with(".TXT")) delimiter_ = ' ';  // as numpy.savetxt
  }

  void write(std::span<const std::byte> bytes) override {
    constexpr std::size_t kBuffer = std::size_t{1} << 20;
    fmt::memory_buffer text;
    for (std::size_t i = 0; i + number_.size <= bytes.size(); i += number_.size) {
      append_number(text, number_.scalar, bytes.data() + i);
      const bool last = ++column_ == columns_;
      text.push_back(last ? '\n' : delimiter_);
      if (last) column_ = 0;
      if (text.size() < kBuffer) continue;
      file().write({text.data(), text.size()});
      text.clear();
    }
    file().write({text.data(), text.size()});
  }

 private:
  std::string path_;
  Type number_;                // what the vectors of an array are made of
  std::uint64_t columns_ = 1;  // numbers in a line
  std::uint64_t column_ = 0;   // of the next number
  char delimiter_ = ',';
};

class ImageFormat final : public ArrayWriter::Format {
 public:
  explicit ImageFormat(const std::string& path) : Format(path), path_(path) {}
  void begin(const SavedArray& array) override {
    const auto layout = image_layout(path_, array.type, array.shape);
    size_ = layout.row();
    encoder_ = make_image_encoder(file_kind(path_), layout, file());
  }
  // Pieces end where they like, rows do not.
  void write(std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      if (row_.empty() && bytes.size() >= size_) {
        encoder_->put(bytes.first(size_));
        bytes = bytes.subspan(size_);
        continue;
      }
      const auto part = bytes.first(std::min(bytes.size(), size_ - row_.size()));
      row_.insert(row_.end(), part.begin(), part.end());
      bytes = bytes.subspan(part.size());
      if (row_.size() < size_) return;
      encoder_->put(row_);
      row_.clear();
    }
  }
  void end() override { encoder_->end(); }

 private:
  std::string path_;
  std::size_t size_ = 0;  // bytes of a row
  std::vector<std::byte> row_;
  std::unique_ptr<ImageEncoder> encoder_;
};

std::unique_ptr<ArrayWriter::Format> format_of(const std::string& path) {
  switch (file_kind(path)) {
    case FileKind::npy: return std::make_unique<NpyFormat>(path);
    case FileKind::npz: return std::make_unique<NpzFormat>(path);
    case FileKind::table: return std::make_unique<TextFormat>(path);
    case FileKind::png:
    case FileKind::jpeg:
    case FileKind::bitmap:
    case FileKind::portable_map: return std::make_unique<ImageFormat>(path);
    case FileKind::raw: break;
  }
  throw Error(ErrorKind::value,
              fmt::format("cannot save an array as {}: its extension is not a known format", shown_path(path)))
      .advise(fmt::format("Any array can be saved as .npy: {}.", kEndings));
}

}  // namespace

ArrayWriter::ArrayWriter(const std::string& path, const SavedArray& first) : format_(format_of(path)) {
  format_->begin(first);
}

ArrayWriter::~ArrayWriter() = default;

void ArrayWriter::next(const SavedArray& array) { format_->begin(array); }
void ArrayWriter::write(std::span<const std::byte> bytes) { format_->write(bytes); }

void ArrayWriter::commit() {
  format_->end();
  format_->file().commit();
}

}  // namespace xcuda::files
