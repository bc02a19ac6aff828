#include "files/zip_archive.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/units.hpp"

namespace xcuda::files {
namespace {

constexpr std::uint64_t kEndSize = 22, kLocatorSize = 20, kEntrySize = 46, kHeaderSize = 30;
constexpr std::uint32_t kEnd = 0x06054b50, kLocator = 0x07064b50, kEnd64 = 0x06064b50, kEntry = 0x02014b50,
                        kHeader = 0x04034b50;
constexpr std::uint16_t kStored = 0, kDeflated = 8, kEncrypted = 1;
constexpr std::uint64_t kMostOfAByte = 1032;  // deflate makes at most so many bytes of one

Error damaged(const std::string& name, const std::string& why) {
  return Error(ErrorKind::value, fmt::format("cannot load {}: {}", name, why))
      .advise("Copy it, or write it again with numpy.savez or %save.");
}

// Counts what was read, and compares its checksum at the end.
class MemberSource : public ByteSource {
 public:
  MemberSource(FileMapping mapping, std::span<const std::byte> packed, std::string name, const ZipMember& member)
      : ByteSource(std::move(name), member.size),
        mapping_(std::move(mapping)),
        packed_(packed),
        checksum_(member.checksum) {}

  std::size_t read(std::span<std::byte> bytes) final {
    bytes = bytes.first(std::min<std::uint64_t>(bytes.size(), size() - done_));
    next(bytes);
    check(bytes);
    return bytes.size();
  }
  void finish() final {
    std::array<std::byte, 65536> rest;
    while (done_ < size()) read(rest);
  }

 protected:
  virtual void next(std::span<std::byte> bytes) = 0;
  std::span<const std::byte> packed() const { return packed_; }
  void check(std::span<const std::byte> bytes) {
    done_ += bytes.size();
    sum_ = static_cast<std::uint32_t>(crc32_z(sum_, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
    if (done_ == size() && sum_ != checksum_) throw damaged(name(), "it is damaged: its checksum is wrong");
  }

 private:
  FileMapping mapping_;
  std::span<const std::byte> packed_;
  std::uint64_t done_ = 0;
  std::uint32_t checksum_, sum_ = 0;
};

class StoredMember final : public MemberSource {
 public:
  using MemberSource::MemberSource;
  std::span<const std::byte> whole() override {
    check(packed().subspan(taken_));
    return packed();
  }

 private:
  void next(std::span<std::byte> bytes) override {
    if (!bytes.empty()) std::memcpy(bytes.data(), packed().data() + taken_, bytes.size());
    taken_ += bytes.size();
  }
  std::size_t taken_ = 0;
};

class DeflatedMember final : public MemberSource {
 public:
  DeflatedMember(FileMapping mapping, std::span<const std::byte> packed, std::string name, const ZipMember& member)
      : MemberSource(std::move(mapping), packed, std::move(name), member), left_(packed) {
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK)
      throw Error(ErrorKind::memory, fmt::format("not enough memory to unpack {}", this->name()));
  }
  ~DeflatedMember() override { inflateEnd(&stream_); }

  std::span<const std::byte> whole() override {
    expect_room(name(), size(), "is compressed in Fortran order",
                "Save it with numpy.savez, or in C order: numpy.ascontiguousarray(x).");
    whole_ = start_;
    whole_.resize(size());
    read(std::span(whole_).subspan(start_.size()));
    return whole_;
  }

 private:
  void next(std::span<std::byte> bytes) override {
    const auto all = bytes;
    while (!bytes.empty()) {
      // zlib counts in 32 bits.
      constexpr std::size_t kPiece = std::size_t{1} << 30;
      const auto in = std::min(left_.size(), kPiece), out = std::min(bytes.size(), kPiece);
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(left_.data()));
      stream_.avail_in = static_cast<uInt>(in);
      stream_.next_out = reinterpret_cast<Bytef*>(bytes.data());
      stream_.avail_out = static_cast<uInt>(out);
      const auto state = inflate(&stream_, Z_NO_FLUSH);
      left_ = left_.subspan(in - stream_.avail_in);
      bytes = bytes.subspan(out - stream_.avail_out);
      if (state != Z_OK && !(state == Z_STREAM_END && bytes.empty()))
        throw damaged(name(), state == Z_STREAM_END || state == Z_BUF_ERROR
                                  ? "it ends before its last element"
                                  : fmt::format("its compressed bytes are damaged{}{}", stream_.msg ? ": " : "",
                                                stream_.msg ? stream_.msg : ""));
    }
    // The header, which is read first: whole() needs it again.
    constexpr std::size_t kMostHeader = std::size_t{2} << 20;
    if (start_.size() + all.size() <= kMostHeader) start_.insert(start_.end(), all.begin(), all.end());
  }

  std::span<const std::byte> left_;
  z_stream stream_{};
  std::vector<std::byte> start_, whole_;
};

}  // namespace

ZipArchive::ZipArchive(const InputFile& file)
    : name_(shown_path(file.path())), mapping_(file.descriptor(), file.size()), bytes_(mapping_.bytes()) {
  read_directory();
}

void ZipArchive::fail(const std::string& why) const { throw damaged(name_, why); }

std::uint64_t ZipArchive::number(std::uint64_t at, int bytes) const {
  if (at > bytes_.size() || bytes_.size() - at < static_cast<std::uint64_t>(bytes)) fail("it is truncated");
  std::uint64_t value = 0;
  std::memcpy(&value, bytes_.data() + at, static_cast<std::size_t>(bytes));
  return value;
}

// The directory is at the end of the file, and what says where is after it, with a comment of at most 65535 bytes.
void ZipArchive::read_directory() {
  if (bytes_.size() < kEndSize) fail("it is not a .npz file: it is too short");
  std::optional<std::uint64_t> end;
  const auto last = bytes_.size() - kEndSize;
  for (std::uint64_t back = 0; back <= std::min<std::uint64_t>(last, 65535) && !end; ++back)
    if (number(last - back, 4) == kEnd && number(last - back + 20, 2) == back) end = last - back;
  if (!end) fail(number(0, 4) == kHeader ? "it is truncated" : "it is not a .npz file: a zip archive was expected");
  std::uint64_t count = number(*end + 10, 2), at = number(*end + 16, 4);
  if (*end >= kLocatorSize && number(*end - kLocatorSize, 4) == kLocator) {
    const auto end64 = number(*end - kLocatorSize + 8, 8);
    if (number(end64, 4) != kEnd64) fail("its directory is damaged");
    count = number(end64 + 32, 8);
    at = number(end64 + 48, 8);
  }
  if (count > bytes_.size() / kEntrySize) fail("its directory is damaged");
  for (std::uint64_t i = 0; i < count; ++i) {
    if (number(at, 4) != kEntry) fail("its directory is damaged");
    add_member(at);
    at += kEntrySize + number(at + 28, 2) + number(at + 30, 2) + number(at + 32, 2);
  }
}

void ZipArchive::add_member(std::uint64_t at) {
  ZipMember member;
  member.flags = static_cast<std::uint16_t>(number(at + 8, 2));
  member.method = static_cast<std::uint16_t>(number(at + 10, 2));
  member.checksum = static_cast<std::uint32_t>(number(at + 16, 4));
  member.packed = number(at + 20, 4);
  member.size = number(at + 24, 4);
  member.header = number(at + 42, 4);
  const auto length = number(at + 28, 2), extra = number(at + 30, 2);
  number(at + kEntrySize + length + extra, 0);
  member.name.assign(reinterpret_cast<const char*>(bytes_.data() + at + kEntrySize), length);
  // Sizes of 4 GiB and more are in a field of their own, in this order, those that have no room above.
  for (auto field = at + kEntrySize + length; field + 4 <= at + kEntrySize + length + extra;) {
    const auto kind = number(field, 2), bytes = number(field + 2, 2);
    auto value = field + 4;
    if (kind == 1)
      for (auto* wide : {&member.size, &member.packed, &member.header})
        if (*wide == 0xffffffff && value + 8 <= field + 4 + bytes) {
          *wide = number(value, 8);
          value += 8;
        }
    field += 4 + bytes;
  }
  if (member.name.ends_with("/")) return;  // a folder
  if (member.name.ends_with(".npy")) member.name.resize(member.name.size() - 4);
  members_.push_back(std::move(member));
}

const ZipMember& ZipArchive::find(const std::string& name) const {
  if (members_.empty()) fail("it holds no arrays");
  if (name.empty() && members_.size() == 1) return members_.front();
  for (const auto& member : members_)
    if (!name.empty() && (member.name == name || member.name + ".npy" == name)) return member;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < std::min<std::size_t>(members_.size(), 20); ++i) names.push_back(members_[i].name);
  const auto held = fmt::format("{}{}", fmt::join(names, ", "), names.size() < members_.size() ? ", ..." : "");
  if (!name.empty())
    throw Error(ErrorKind::name, fmt::format("found no array {} in {}", name, name_))
        .advise(fmt::format("It holds {}.", held));
  throw Error(ErrorKind::name, fmt::format("{} holds {} arrays: {}", name_, members_.size(), held))
      .advise(fmt::format("Name one: load({}, \"{}\").", name_, names.front()));
}

std::span<const std::byte> ZipArchive::contents(const ZipMember& member) const {
  if ((member.flags & kEncrypted) != 0) fail(fmt::format("{} is encrypted", member.name));
  if (member.method != kStored && member.method != kDeflated)
    fail(fmt::format("{} is compressed with method {}, but only stored and deflated arrays are read", member.name,
                     member.method));
  if (number(member.header, 4) != kHeader) fail("its directory is damaged");
  const auto start = member.header + kHeaderSize + number(member.header + 26, 2) + number(member.header + 28, 2);
  if (start > bytes_.size() || bytes_.size() - start < member.packed) fail(fmt::format("{} is truncated", member.name));
  if (member.method == kStored ? member.packed != member.size : member.size / kMostOfAByte > member.packed)
    fail(fmt::format("{} declares {}, but its {} cannot hold that", member.name, format_bytes(member.size),
                     format_bytes(member.packed)));
  return bytes_.subspan(start, member.packed);
}

std::unique_ptr<ByteSource> ZipArchive::member(const InputFile& file, const std::string& name) {
  ZipArchive archive(file);
  const auto& found = archive.find(name);
  const auto packed = archive.contents(found);
  auto shown = archive.members_.size() == 1 ? archive.name_ : fmt::format("{} of {}", found.name, archive.name_);
  if (found.method == kStored)
    return std::make_unique<StoredMember>(std::move(archive.mapping_), packed, std::move(shown), found);
  return std::make_unique<DeflatedMember>(std::move(archive.mapping_), packed, std::move(shown), found);
}

}  // namespace xcuda::files
