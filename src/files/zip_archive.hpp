// Zip archives as NumPy writes them (.npz): their members, stored or deflated. PKWARE's APPNOTE.TXT 6.3 describes the
// format.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/input_file.hpp"
#include "files/byte_source.hpp"

namespace xcuda::files {

struct ZipMember {
  std::string name;                                // without .npy
  std::uint64_t packed = 0, size = 0, header = 0;  // bytes; where its own header is
  std::uint32_t checksum = 0;
  std::uint16_t method = 0, flags = 0;
};

class ZipArchive {
 public:
  explicit ZipArchive(const InputFile& file);  // Errors: value for what is not an archive; memory

  const std::vector<ZipMember>& members() const { return members_; }
  // The member of this name, or the only one. Error(name) lists those there are; Error(value): damaged, or packed in a
  // way that NumPy does not use. A checksum that is wrong shows when the last byte is read.
  static std::unique_ptr<ByteSource> member(const InputFile& file, const std::string& name);

 private:
  [[noreturn]] void fail(const std::string& why) const;
  std::uint64_t number(std::uint64_t at, int bytes) const;  // little endian; fails outside the file
  void read_directory();
  void add_member(std::uint64_t at);
  const ZipMember& find(const std::string& name) const;
  std::span<const std::byte> contents(const ZipMember& member) const;

  std::string name_;
  FileMapping mapping_;
  std::span<const std::byte> bytes_;
  std::vector<ZipMember> members_;
};

}  // namespace xcuda::files
