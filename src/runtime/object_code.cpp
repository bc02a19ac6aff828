#include "runtime/object_code.hpp"

#include <elf.h>

#include <charconv>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "runtime/fat_binary.hpp"

namespace xcuda::runtime {
namespace {

constexpr std::string_view kArchive = "!<arch>\n";
constexpr std::string_view kRelocatable = "__nv_relfatbin";  // the section of what -rdc=true compiles

Error cut() { return Error(ErrorKind::value, "this object or library ends before its contents do"); }

std::string_view part(std::string_view of, std::uint64_t at, std::uint64_t bytes) {
  if (at > of.size() || bytes > of.size() - at) throw cut();
  return of.substr(at, bytes);
}
template <class T> T read_at(std::string_view from, std::uint64_t at) {
  T value;
  std::memcpy(&value, part(from, at, sizeof value).data(), sizeof value);
  return value;
}

void add_object(std::string_view file, EmbeddedPtx& to) {
  const auto header = read_at<Elf64_Ehdr>(file, 0);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr)) return;
  const auto section = [&](std::uint64_t number) {
    return read_at<Elf64_Shdr>(file, header.e_shoff + number * sizeof(Elf64_Shdr));
  };
  if (header.e_shnum == 0) return;
  const auto names = section(header.e_shstrndx);
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const auto at = section(i);
    if (at.sh_type == SHT_NOBITS || at.sh_name >= names.sh_size) continue;
    const auto name = part(file, names.sh_offset + at.sh_name, names.sh_size - at.sh_name);
    if (name.substr(0, name.find('\0')) == kRelocatable) add_embedded_ptx(part(file, at.sh_offset, at.sh_size), to);
  }
}

bool is_object(std::string_view file) { return file.starts_with(ELFMAG); }

// A member: a header of 60 bytes, whose size is in decimal digits at 48, and the contents, up to an even place.
void add_members(std::string_view file, EmbeddedPtx& to) {
  constexpr std::uint64_t kHeader = 60, kSize = 48, kDigits = 10;
  for (std::uint64_t at = kArchive.size(); at + kHeader <= file.size();) {
    const auto digits = part(file, at + kSize, kDigits);
    std::uint64_t size = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), size).ec != std::errc()) throw cut();
    const auto member = part(file, at + kHeader, size);
    if (is_object(member)) add_object(member, to);
    at += kHeader + size + size % 2;
  }
}

}  // namespace

std::vector<std::string> ptx_of_object(std::string_view file) {
  EmbeddedPtx found;
  if (file.starts_with(kArchive))
    add_members(file, found);
  else if (is_object(file))
    add_object(file, found);
  else
    throw Error(ErrorKind::value, "this is neither an object nor a library");
  if (found.texts.empty()) throw no_embedded_ptx(found);
  return std::move(found.texts);
}

}  // namespace xcuda::runtime
