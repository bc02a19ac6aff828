#include "files/array_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/shared_memory.hpp"
#include "base/units.hpp"
#include "files/npy.hpp"
#include "files/png_reader.hpp"
#include "files/portable_map.hpp"

namespace xcuda::files {
namespace {

void swap_bytes(std::span<std::byte> data, std::size_t unit) {
  if (unit < 2) return;
  for (std::size_t i = 0; i + unit <= data.size(); i += unit)
    std::reverse(data.begin() + static_cast<std::ptrdiff_t>(i), data.begin() + static_cast<std::ptrdiff_t>(i + unit));
}

void fill(InputFile& file, std::span<std::byte> bytes) {
  if (file.read(bytes) < bytes.size())
    throw Error(ErrorKind::io, fmt::format("{} became shorter while it was read", shown_path(file.path())));
}

class RawReader final : public ArrayReader {
 public:
  explicit RawReader(InputFile file) : file_(std::move(file)) { facts_ = {type_of(Scalar::uint8), {file_.size()}}; }
  void read(std::span<std::byte> elements) override { fill(file_, elements); }

 private:
  InputFile file_;
};

class NpyReader final : public ArrayReader {
 public:
  explicit NpyReader(InputFile file) : file_(std::move(file)) {
    const auto header = read_npy_header(file_);
    facts_ = {header.type, header.shape};
    if (const auto there = file_.size() - std::min(file_.size(), header.data_offset); there < facts_.bytes())
      throw Error(ErrorKind::value,
                  fmt::format("cannot load {}: it is truncated: its header promises {}, it has {}",
                              shown_path(file_.path()), format_bytes(facts_.bytes()), format_bytes(there)))
          .advise("Copy or create it again.");
    const bool complex = header.type.scalar == Scalar::complex64 || header.type.scalar == Scalar::complex128;
    if (header.swapped) swapped_unit_ = complex ? header.type.size / 2 : header.type.size;
    if (!header.fortran_order || header.shape.size() < 2) return;
    columns_first_ = FileMapping(file_.descriptor(), header.data_offset + facts_.bytes());
    by_columns_ = columns_first_.bytes().subspan(header.data_offset);
    index_.resize(header.shape.size());
    strides_.assign(header.shape.size(), header.type.size);
    for (std::size_t d = 1; d < strides_.size(); ++d) strides_[d] = strides_[d - 1] * header.shape[d - 1];
  }

  void read(std::span<std::byte> elements) override {
    if (!index_.empty())
      gather(elements);
    else
      fill(file_, elements);
    swap_bytes(elements, swapped_unit_);
  }

 private:
  // Column-major to row-major: a walk through the file with the last index fastest.
  void gather(std::span<std::byte> elements) {
    const auto& shape = facts_.shape;
    const auto size = facts_.type.size;
    for (std::size_t to = 0; to + size <= elements.size(); to += size) {
      std::memcpy(elements.data() + to, by_columns_.data() + from_, size);
      for (std::size_t d = shape.size(); d-- > 0;) {
        from_ += strides_[d];
        if (++index_[d] < shape[d]) break;
        from_ -= strides_[d] * shape[d];
        index_[d] = 0;
      }
    }
  }

  InputFile file_;
  std::size_t swapped_unit_ = 0;  // bytes; 0: as they are
  FileMapping columns_first_;
  std::span<const std::byte> by_columns_;
  std::uint64_t from_ = 0;                      // of the next element, in bytes
  std::vector<std::uint64_t> index_, strides_;  // of that element; bytes. Empty where rows come first
};

class PngImageReader final : public ArrayReader {
 public:
  explicit PngImageReader(const InputFile& file)
      : file_(file.descriptor(), file.size()), png_(file_.bytes(), file.path()) {
    facts_ = {type_of(png_.bits() == 16 ? Scalar::uint16 : Scalar::uint8), {png_.height(), png_.width()}};
    if (png_.channels() > 1) facts_.shape.push_back(png_.channels());
  }
  void read(std::span<std::byte> elements) override { png_.read(elements); }

 private:
  FileMapping file_;
  PngReader png_;
};

// A Netpbm file over its mapping.
class NetpbmReader final : public ArrayReader {
 public:
  explicit NetpbmReader(const InputFile& file)
      : file_(file.descriptor(), file.size()), map_(file_.bytes(), file.path()) {
    facts_ = map_.facts();
  }
  void read(std::span<std::byte> elements) override { map_.read(elements); }

 private:
  FileMapping file_;
  PortableMapReader map_;
};

std::unique_ptr<ArrayReader> make_image_reader(const InputFile& file) {
  if (file.path().ends_with(".png")) return std::make_unique<PngImageReader>(file);
  return std::make_unique<NetpbmReader>(file);
}

}  // namespace

std::uint64_t ArrayFacts::count() const {
  std::uint64_t result = 1;
  for (const auto extent : shape) result *= extent;
  return result;
}

FileKind file_kind(const std::string& path) {
  if (path.ends_with(".npy")) return FileKind::npy;
  if (path.ends_with(".csv"))  // %save writes them, and their text is not raw elements
    throw Error(ErrorKind::unsupported, fmt::format("load() does not read text: {}", shown_path(path)))
        .advise("Convert it in Python: numpy.save(\"x.npy\", numpy.loadtxt(\"x.csv\", delimiter=\",\"))");
  for (const auto* ending : {".png", ".ppm", ".pgm", ".pbm", ".pnm"})
    if (path.ends_with(ending)) return FileKind::png;  // an image: its own name says which
  return FileKind::raw;
}

std::unique_ptr<ArrayReader> make_array_reader(FileKind kind, InputFile file) {
  switch (kind) {
    case FileKind::npy: return std::make_unique<NpyReader>(std::move(file));
    case FileKind::png: return make_image_reader(file);
    case FileKind::raw: break;
  }
  return std::make_unique<RawReader>(std::move(file));
}

}  // namespace xcuda::files
