#include "files/array_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/shared_memory.hpp"
#include "files/bitmap.hpp"
#include "files/byte_source.hpp"
#include "files/jpeg_reader.hpp"
#include "files/npy_reader.hpp"
#include "files/png_reader.hpp"
#include "files/portable_map.hpp"
#include "files/text_table.hpp"
#include "files/zip_archive.hpp"

namespace xcuda::files {
namespace {

class RawReader final : public ArrayReader {
 public:
  explicit RawReader(InputFile file) : file_(std::move(file)) { facts_ = {type_of(Scalar::uint8), {file_.size()}}; }
  void read(std::span<std::byte> elements) override {
    if (file_.read(elements) < elements.size())
      throw Error(ErrorKind::io, fmt::format("{} became shorter while it was read", shown_path(file_.path())));
  }

 private:
  InputFile file_;
};

class PngImageReader final : public ArrayReader {
 public:
  PngImageReader(std::span<const std::byte> file, std::string name) : png_(file, std::move(name)) {
    facts_ = {type_of(png_.bits() == 16 ? Scalar::uint16 : Scalar::uint8), {png_.height(), png_.width()}};
    if (png_.channels() > 1) facts_.shape.push_back(png_.channels());
  }
  void read(std::span<std::byte> elements) override { png_.read(elements); }

 private:
  PngReader png_;
};

// One that decodes a whole file in memory, over the file's mapping.
template <class Reader> class Mapped final : public ArrayReader {
 public:
  template <class... Wanted>
  explicit Mapped(const InputFile& file, const Wanted&... wanted)
      : file_(file.descriptor(), file.size()), reader_(file_.bytes(), file.path(), wanted...) {
    facts_ = reader_.facts();
  }
  void read(std::span<std::byte> elements) override { reader_.read(elements); }

 private:
  FileMapping file_;
  Reader reader_;
};

struct Ending {
  std::string_view text;
  FileKind kind;
};
constexpr Ending kKnown[] = {
    {".npy", FileKind::npy},          {".npz", FileKind::npz},          {".csv", FileKind::table},
    {".txt", FileKind::table},        {".tsv", FileKind::table},        {".png", FileKind::png},
    {".jpg", FileKind::jpeg},         {".jpeg", FileKind::jpeg},        {".bmp", FileKind::bitmap},
    {".pbm", FileKind::portable_map}, {".pgm", FileKind::portable_map}, {".ppm", FileKind::portable_map},
    {".pnm", FileKind::portable_map}};

}  // namespace

std::uint64_t ArrayFacts::count() const {
  std::uint64_t result = 1;
  for (const auto extent : shape) result *= extent;
  return result;
}

FileKind file_kind(std::string_view path) {
  const auto dot = path.rfind('.');
  std::string ending(path.substr(dot == std::string_view::npos ? path.size() : dot));
  for (auto& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto* known = std::find_if(std::begin(kKnown), std::end(kKnown), [&](auto& one) { return one.text == ending; });
  return known == std::end(kKnown) ? FileKind::raw : known->kind;
}

std::unique_ptr<ArrayReader> make_array_reader(const ArrayRequest& request, InputFile file) {
  switch (request.kind) {
    case FileKind::npy: return std::make_unique<NpyReader>(std::make_unique<FileSource>(std::move(file)));
    case FileKind::npz: return std::make_unique<NpyReader>(ZipArchive::member(file, request.member));
    case FileKind::table:
      return std::make_unique<Mapped<TextTableReader>>(file, TextTableReader::Wanted{request.scalar, request.extents});
    case FileKind::png: return std::make_unique<Mapped<PngImageReader>>(file);
    case FileKind::jpeg: return std::make_unique<Mapped<JpegReader>>(file);
    case FileKind::bitmap: return std::make_unique<Mapped<BitmapReader>>(file);
    case FileKind::portable_map: return std::make_unique<Mapped<PortableMapReader>>(file);
    case FileKind::raw: break;
  }
  return std::make_unique<RawReader>(std::move(file));
}

}  // namespace xcuda::files
