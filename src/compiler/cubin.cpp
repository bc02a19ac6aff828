#include "compiler/cubin.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "ptx/machine_code.hpp"

namespace xcuda::compiler {
namespace {

constexpr std::uint16_t kCudaMachine = 190;  // EM_CUDA
constexpr unsigned char kEntry = 0x10;       // STO_CUDA_ENTRY in a symbol's st_other
constexpr std::uint32_t kFatBinary = 0xba55ed50;
// Attributes of .nv.info.<kernel>: a format, a kind, and two bytes that are the value or its size.
constexpr unsigned char kWithPayload = 4, kParameter = 0x17, kParameterBytes = 0x19;

class Reader {
 public:
  Reader(std::span<const std::byte> file, std::string_view name) : file_(file), name_(name) {}

  template <class T> T at(std::uint64_t offset) const {
    T value;
    const auto bytes = piece(offset, sizeof value);
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::span<const std::byte> piece(std::uint64_t offset, std::uint64_t size) const {
    if (offset > file_.size() || size > file_.size() - offset)
      throw Error(ErrorKind::value,
                  fmt::format("{} ends too early: it has {} bytes, but its headers describe more", name_, file_.size()))
          .advise("Copy or create it again.");
    return file_.subspan(offset, size);
  }
  std::string text(const Elf64_Shdr& table, std::uint64_t offset) const {
    if (offset >= table.sh_size) return "";
    const auto bytes = piece(table.sh_offset + offset, table.sh_size - offset);
    const auto end = std::find(bytes.begin(), bytes.end(), std::byte{0});
    return {reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(end - bytes.begin())};
  }

 private:
  std::span<const std::byte> file_;
  std::string_view name_;
};

Error other_kind(std::string_view name, std::string_view what, std::string_view advice) {
  return Error(ErrorKind::value, fmt::format("{} is not a CUBIN: it is {}", name, what)).advise(std::string(advice));
}

void expect_cubin(std::span<const std::byte> file, std::string_view name) {
  const auto begins_with = [&](std::string_view text) {
    return file.size() >= text.size() && std::memcmp(file.data(), text.data(), text.size()) == 0;
  };
  std::uint32_t magic = 0;
  if (file.size() >= sizeof magic) std::memcpy(&magic, file.data(), sizeof magic);
  if (file.empty()) throw other_kind(name, "empty", "Create one: nvcc -cubin -arch=sm_90 file.cu");
  if (magic == kFatBinary)
    throw other_kind(name, "a fat binary, which holds code for several GPUs",
                     "Extract the CUBINs with cuobjdump -xelf all, or create a single one with nvcc -cubin.");
  if (begins_with("//") || begins_with(".version"))
    throw other_kind(name, "PTX text", "Rename it to .ptx and load it with %load_module.");
  if (!begins_with("\x7f"
                   "ELF"))
    throw other_kind(name, "not an ELF file", "Create a CUBIN: nvcc -cubin -arch=sm_90 file.cu");
}

}  // namespace

ptx::Module read_cubin(std::span<const std::byte> file, std::string_view name) {
  expect_cubin(file, name);
  const Reader reader(file, name);
  const auto header = reader.at<Elf64_Ehdr>(0);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != kCudaMachine)
    throw other_kind(name, "an ELF file for another machine", "Create a CUBIN: nvcc -cubin -arch=sm_90 file.cu");
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum)
    throw Error(ErrorKind::value, fmt::format("the table of sections of {} is broken", name))
        .advise("Create it again.");

  ptx::Module result;
  // ELF ABI 8 (CUDA 13) has the architecture in the second byte of the flags.
  result.target =
      fmt::format("sm_{}", header.e_ident[EI_ABIVERSION] >= 8 ? header.e_flags >> 8 & 0xff : header.e_flags & 0xff);
  std::vector<Elf64_Shdr> sections;
  for (std::uint64_t i = 0; i < header.e_shnum; ++i)
    sections.push_back(reader.at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr)));
  // All of the file is there, also what is not looked at.
  reader.piece(header.e_phoff, std::uint64_t{header.e_phnum} * header.e_phentsize);
  for (const auto& section : sections)
    if (section.sh_type != SHT_NOBITS) reader.piece(section.sh_offset, section.sh_size);
  const auto name_of = [&](const Elf64_Shdr& section) {
    return reader.text(sections[header.e_shstrndx], section.sh_name);
  };

  for (const auto& table : sections) {
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= sections.size()) continue;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = reader.at<Elf64_Sym>(table.sh_offset + at);
      const auto type = ELF64_ST_TYPE(symbol.st_info);
      auto text = reader.text(sections[table.sh_link], symbol.st_name);
      if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= sections.size() || text.empty()) continue;
      if (type == STT_FUNC) {
        if ((symbol.st_other & kEntry) == 0) continue;
        auto& entry = result.functions.emplace_back();
        entry.name = std::move(text);
        entry.entry = entry.defined = true;
        continue;
      }
      if (type != STT_OBJECT || symbol.st_size == 0) continue;
      const auto section = name_of(sections[symbol.st_shndx]);
      const bool constant = section == ".nv.constant3", global = section.starts_with(".nv.global");
      if ((!constant && !global) || text.starts_with('$') || text.starts_with("__unnamed")) continue;
      auto& variable = result.variables.emplace_back();
      variable.name = std::move(text);
      variable.space = constant ? ptx::Space::constant : ptx::Space::global;
      variable.type = ptx::Type::b8;
      variable.size = symbol.st_size;
    }
  }

  for (auto& entry : result.functions) {
    const auto wanted = ".nv.info." + entry.name;
    const auto info =
        std::find_if(sections.begin(), sections.end(), [&](const auto& section) { return name_of(section) == wanted; });
    if (info == sections.end()) continue;
    std::uint32_t total = 0;
    for (std::uint64_t at = 0; at + 4 <= info->sh_size;) {
      const auto format = reader.at<std::uint8_t>(info->sh_offset + at),
                 kind = reader.at<std::uint8_t>(info->sh_offset + at + 1);
      const auto value = reader.at<std::uint16_t>(info->sh_offset + at + 2);
      at += 4;
      if (kind == kParameterBytes) total = value;
      if (format != kWithPayload) continue;
      if (kind == kParameter && value >= 12) {
        const auto place = info->sh_offset + at;
        const std::size_t ordinal = reader.at<std::uint16_t>(place + 4);
        const std::uint32_t offset = reader.at<std::uint16_t>(place + 6),
                            size = reader.at<std::uint32_t>(place + 8) >> 18;
        if (ordinal >= entry.parameters.size()) entry.parameters.resize(std::min<std::size_t>(ordinal, 4095) + 1);
        // At least the natural alignment, so that sizes and alignments give the offsets.
        const std::uint32_t alignment = offset == 0 ? 16 : std::min(offset & (~offset + 1), 16u);
        auto& parameter = entry.parameters[std::min<std::size_t>(ordinal, 4095)];
        parameter.offset = offset;
        parameter.size = size;
        parameter.alignment = alignment;
      }
      at += value;
    }
    if (total > 0 && entry.parameters.empty())
      throw Error(ErrorKind::unsupported, fmt::format("{} does not say which parameters {} has", name, entry.name))
          .advise("Use a PTX file, which does: nvcc -ptx");
  }
  return result;
}

std::string declarations_of(const ptx::Module& cubin) {
  auto text = fmt::format("{}\n.version 8.0\n.target {}\n.address_size 64\n", ptx::kMachineCodeAlone, cubin.target);
  for (const auto& variable : cubin.variables)
    text +=
        fmt::format(".visible .{} .align 1 .b8 {}[{}];\n", ptx::text_of(variable.space), variable.name, variable.size);
  for (const auto& entry : cubin.functions) {
    std::string parameters;
    for (const auto& parameter : entry.parameters)
      parameters += fmt::format("{}.param .align {} .b8 p{}[{}]", parameters.empty() ? "" : ", ", parameter.alignment,
                                &parameter - entry.parameters.data(), parameter.size);
    text += fmt::format(".visible .entry {}({}) {{ ret; }}\n", entry.name, parameters);
  }
  return text;
}

}  // namespace xcuda::compiler
