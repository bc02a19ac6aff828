#include "device/cpu/jit/disassembly.hpp"

#include <fmt/format.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Target/TargetMachine.h>

#include <cstring>
#include <map>
#include <memory>
#include <optional>

#include "base/text.hpp"
#include "device/cpu/emit/line_table.hpp"

namespace xcuda::device::cpu {
namespace {

using llvm::object::ObjectFile;
using llvm::object::SectionRef;

template <class T> T value_of(llvm::Expected<T> value) {
  if (!value)
    throw Error(ErrorKind::internal, "the kernel's object code cannot be read").said(llvm::toString(value.takeError()));
  return std::move(*value);
}

struct Decoded {
  std::uint64_t offset = 0, size = 0;
  llvm::MCInst instruction;
};

class Disassembler {
 public:
  Disassembler(const llvm::TargetMachine& machine, const ObjectFile& object) : machine_(machine), object_(object) {
    const llvm::Target& target = machine.getTarget();
    constexpr unsigned intel_syntax = 1;  // the result first, as in SASS
    context_ = std::make_unique<llvm::MCContext>(machine.getTargetTriple(), machine.getMCAsmInfo(),
                                                 machine.getMCRegisterInfo(), machine.getMCSubtargetInfo());
    decoder_.reset(target.createMCDisassembler(*machine.getMCSubtargetInfo(), *context_));
    printer_.reset(target.createMCInstPrinter(machine.getTargetTriple(), intel_syntax, *machine.getMCAsmInfo(),
                                              *machine.getMCInstrInfo(), *machine.getMCRegisterInfo()));
    analysis_.reset(target.createMCInstrAnalysis(machine.getMCInstrInfo()));
    if (!decoder_ || !printer_ || !analysis_)
      throw Error(ErrorKind::internal, "LLVM has no disassembler for this machine");
    printer_->setPrintImmHex(true);
    printer_->setPrintBranchImmAsAddress(true);
    lines_ = llvm::DWARFContext::create(object);
  }

  MachineCode read(const std::string& entry) {
    MachineCode code;
    for (const SectionRef& section : object_.sections())
      if (section.isText() && section.getSize() > 0) add(section, entry, code);
    return code;
  }

 private:
  void add(const SectionRef& section, const std::string& entry, MachineCode& code) {
    const auto bytes = llvm::arrayRefFromStringRef(value_of(section.getContents()));
    names_.clear(), remarks_.clear();
    read_symbols(section, entry);
    read_remarks(section);
    const std::vector<Decoded> all = decode(bytes);
    name_targets(all);
    for (const Decoded& each : all) {
      if (const auto name = names_.find(each.offset); name != names_.end())
        code.lines.push_back({.label = name->second});
      CodeLine line{.offset = code.bytes + each.offset, .instruction = text_of(each)};
      for (auto remark = remarks_.lower_bound(each.offset);
           remark != remarks_.end() && remark->first < each.offset + each.size; ++remark)
        line.remark += (line.remark.empty() ? "" : ", ") + remark->second;
      place(section, each.offset, line);
      code.lines.push_back(std::move(line));
    }
    code.bytes += bytes.size();
  }

  void read_symbols(const SectionRef& section, const std::string& entry) {
    for (const auto& symbol : object_.symbols()) {
      if (value_of(symbol.getType()) != llvm::object::SymbolRef::ST_Function) continue;
      if (value_of(symbol.getSection()) != llvm::object::section_iterator(section)) continue;
      const std::string name = value_of(symbol.getName()).str();
      names_[value_of(symbol.getAddress())] = name == "kernel" ? entry : name;
    }
  }

  // What is at an address that the linker fills in: a constant's value, or a function's name.
  void read_remarks(const SectionRef& section) {
    for (const SectionRef& relocations : object_.sections()) {
      const auto relocated = value_of(relocations.getRelocatedSection());
      if (relocated == object_.section_end() || *relocated != section) continue;
      for (const auto& relocation : relocations.relocations()) {
        const auto symbol = relocation.getSymbol();
        if (symbol == object_.symbol_end()) continue;
        std::string text = value_of(symbol->getName()).str();
        const auto home = value_of(symbol->getSection());
        if (home != object_.section_end()) text = constant_at(*home, relocation);
        if (!text.empty()) remarks_[relocation.getOffset()] = text;
      }
    }
  }

  std::string constant_at(const SectionRef& section, const llvm::object::RelocationRef& relocation) {
    const auto contents = value_of(section.getContents());
    llvm::StringRef name = value_of(section.getName());
    if (!name.consume_front(".rodata.cst")) return {};
    std::size_t size = 0;
    if (name.getAsInteger(10, size) || (size != 4 && size != 8)) return {};
    // Relative to the end of the 4 bytes that hold the distance.
    const auto symbol = static_cast<std::int64_t>(value_of(relocation.getSymbol()->getValue()));
    const std::int64_t at = symbol + value_of(llvm::object::ELFRelocationRef(relocation).getAddend()) + 4;
    if (at < 0 || static_cast<std::uint64_t>(at) + size > contents.size()) return {};
    std::uint64_t bits = 0;
    std::memcpy(&bits, contents.data() + at, size);
    double wide = 0;
    float narrow = 0;
    std::memcpy(&wide, &bits, sizeof wide);
    std::memcpy(&narrow, &bits, sizeof narrow);
    return size == 4 ? fmt::format("{:#x} = {}f", bits, narrow) : fmt::format("{:#x} = {}", bits, wide);
  }

  std::vector<Decoded> decode(llvm::ArrayRef<std::uint8_t> bytes) {
    std::vector<Decoded> all;
    for (std::uint64_t at = 0; at < bytes.size();) {
      Decoded each{at, 1, {}};
      if (decoder_->getInstruction(each.instruction, each.size, bytes.slice(at), at, llvm::nulls()) !=
          llvm::MCDisassembler::Success)
        throw Error(ErrorKind::internal, fmt::format("the kernel's object code is invalid at byte {:#x}", at));
      at += each.size;
      all.push_back(std::move(each));
    }
    return all;
  }

  std::optional<std::uint64_t> target_of(const Decoded& each) const {
    std::uint64_t target = 0;
    if (!analysis_->isBranch(each.instruction) && !analysis_->isCall(each.instruction)) return std::nullopt;
    if (!analysis_->evaluateBranch(each.instruction, each.offset, each.size, target)) return std::nullopt;
    // A call whose target the linker fills in.
    const auto filled = remarks_.lower_bound(each.offset);
    if (filled != remarks_.end() && filled->first < each.offset + each.size) return std::nullopt;
    return target;
  }

  void name_targets(const std::vector<Decoded>& all) {
    std::map<std::uint64_t, std::string> targets;
    for (const Decoded& each : all)
      if (const auto target = target_of(each); target && !names_.contains(*target)) targets[*target];
    int number = 0;
    for (auto& [at, name] : targets) names_[at] = fmt::format("L{}", ++number);
  }

  std::string text_of(const Decoded& each) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    printer_->printInst(&each.instruction, each.offset, "", *machine_.getMCSubtargetInfo(), stream);
    std::string clean(trim(stream.str()));
    for (char& c : clean)
      if (c == '\t') c = ' ';
    if (const auto target = target_of(each)) {
      const auto name = names_.find(*target);
      if (const auto space = clean.find(' '); name != names_.end() && space != clean.npos)
        clean = clean.substr(0, space + 1) + name->second;
    }
    return clean;
  }

  void place(const SectionRef& section, std::uint64_t offset, CodeLine& line) {
    for (const auto& unit : lines_->compile_units()) {
      const llvm::DWARFDebugLine::LineTable* table = lines_->getLineTableForUnit(unit.get());
      if (table == nullptr) continue;
      const std::uint32_t row = table->lookupAddress({offset, section.getIndex()});
      if (row == table->UnknownRowIndex || table->Rows[row].Line == 0) continue;
      std::string file;
      table->getFileNameByIndex(table->Rows[row].File, "", llvm::DILineInfoSpecifier::FileLineInfoKind::RawValue, file);
      line.source = file;
      line.line = static_cast<int>(table->Rows[row].Line);
      line.lanes = part_text(static_cast<CodePart>(table->Rows[row].Column));
    }
  }

  const llvm::TargetMachine& machine_;
  const ObjectFile& object_;
  std::unique_ptr<llvm::MCContext> context_;
  std::unique_ptr<llvm::MCDisassembler> decoder_;
  std::unique_ptr<llvm::MCInstPrinter> printer_;
  std::unique_ptr<llvm::MCInstrAnalysis> analysis_;
  std::unique_ptr<llvm::DWARFContext> lines_;
  std::map<std::uint64_t, std::string> names_, remarks_;  // by offset in the section
};

std::unique_ptr<ObjectFile> opened(std::span<const std::byte> object) {
  const llvm::StringRef bytes(reinterpret_cast<const char*>(object.data()), object.size());
  return value_of(ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "kernel")));
}

}  // namespace

MachineCode disassembled(const DisassemblyRequest& request) {
  return Disassembler(request.machine, *opened(request.object)).read(request.entry);
}

std::uint64_t code_bytes(std::span<const std::byte> object) {
  std::uint64_t bytes = 0;
  const auto file = opened(object);
  for (const SectionRef& section : file->sections())
    if (section.isText()) bytes += section.getSize();
  return bytes;
}

}  // namespace xcuda::device::cpu
