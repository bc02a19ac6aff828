#include "files/zip_writer.hpp"

#include <zlib.h>

#include <algorithm>

namespace xcuda::files {
namespace {

constexpr std::uint64_t kNarrow = 0xffffffff;  // a size that is in the field of wide ones
constexpr std::uint64_t kChecksumAt = 14;      // in a member's header
constexpr std::uint64_t kDay = 1 << 5 | 1;     // the first of 1980: the same arrays make the same file

// Little endian.
class Record {
 public:
  explicit Record(std::uint64_t signature) { add(signature, 4); }
  Record& add(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) text_.push_back(static_cast<char>(value >> 8 * i));
    return *this;
  }
  Record& add(const std::string& text) {
    text_ += text;
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

constexpr std::uint64_t kPlainVersion = 20,
                        kWideVersion = 45;  // of the format that a reader has to know: 4.5 has 64 bits

}  // namespace

void ZipWriter::put(const std::string& text) {
  file_.write(text);
  at_ += text.size();
}

void ZipWriter::begin(const std::string& name, std::uint64_t bytes) {
  close_member();
  members_.push_back({name, bytes, at_, 0});
  const bool wide = bytes >= kNarrow;
  const auto narrow = std::min(bytes, kNarrow);
  Record header(0x04034b50);
  header.add(wide ? kWideVersion : kPlainVersion, 2).add(0, 2).add(0, 2).add(0, 2).add(kDay, 2);
  header.add(0, 4).add(narrow, 4).add(narrow, 4).add(name.size(), 2).add(wide ? 20 : 0, 2).add(name);
  if (wide) header.add(1, 2).add(16, 2).add(bytes, 8).add(bytes, 8);
  put(header.text());
}

void ZipWriter::write(std::span<const std::byte> bytes) {
  auto& sum = members_.back().checksum;
  sum = static_cast<std::uint32_t>(crc32_z(sum, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  file_.write(bytes);
  at_ += bytes.size();
}

void ZipWriter::close_member() {
  if (members_.empty()) return;
  const auto& last = members_.back();
  file_.write_at(last.header + kChecksumAt, std::as_bytes(std::span(&last.checksum, 1)));
}

void ZipWriter::end() {
  close_member();
  const auto directory = at_;
  for (const auto& member : members_) {
    const bool wide = member.bytes >= kNarrow, far = member.header >= kNarrow;
    const auto narrow = std::min(member.bytes, kNarrow);
    const auto version = wide || far ? kWideVersion : kPlainVersion;
    Record entry(0x02014b50);
    entry.add(version, 2).add(version, 2).add(0, 2).add(0, 2).add(0, 2).add(kDay, 2);
    entry.add(member.checksum, 4).add(narrow, 4).add(narrow, 4).add(member.name.size(), 2);
    const std::uint64_t extra = (wide ? 16 : 0) + (far ? 8 : 0);
    entry.add(extra == 0 ? 0 : extra + 4, 2).add(0, 2).add(0, 2).add(0, 2).add(0, 4);
    entry.add(std::min(member.header, kNarrow), 4).add(member.name);
    if (extra != 0) entry.add(1, 2).add(extra, 2);
    if (wide) entry.add(member.bytes, 8).add(member.bytes, 8);
    if (far) entry.add(member.header, 8);
    put(entry.text());
  }
  const auto size = at_ - directory, count = static_cast<std::uint64_t>(members_.size());
  if (at_ >= kNarrow || count >= 0xffff) {
    const auto end64 = at_;
    Record wide(0x06064b50);
    wide.add(44, 8).add(45, 2).add(45, 2).add(0, 4).add(0, 4).add(count, 8).add(count, 8).add(size, 8);
    put(wide.add(directory, 8).text());
    put(Record(0x07064b50).add(0, 4).add(end64, 8).add(1, 4).text());
  }
  const auto few = std::min<std::uint64_t>(count, 0xffff);
  Record end(0x06054b50);
  end.add(0, 2).add(0, 2).add(few, 2).add(few, 2).add(std::min(size, kNarrow), 4);
  put(end.add(std::min(directory, kNarrow), 4).add(0, 2).text());
}

}  // namespace xcuda::files
