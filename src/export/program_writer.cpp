#include "export/program_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include "arrays/array_source.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "base/type.hpp"
#include "cell/library_names.hpp"
#include "cell/parse.hpp"
#include "cell/whole_program.hpp"
#include "compiler/device_linker.hpp"
#include "language/constants.hpp"

namespace xcuda::exporter {
namespace {

// The library's parts in the order in which a program holds them, and what each uses.
struct Part {
  std::string_view name;
  std::vector<std::string_view> files;  // of share/xcuda
  std::vector<std::string_view> needs;
};
const std::vector<Part>& parts() {
  static const std::vector<Part> all = {
      {"array", {"program/array.cuh"}, {}},
      {"wide", {"include/xcuda/elementwise.cuh"}, {}},
      {"elements", {"program/elements.cuh"}, {"array"}},
      {"reduce", {"program/reduce.cuh"}, {"elements"}},
      {"sequence", {"program/sequence.cuh"}, {"elements"}},
      {"random", {"include/xcuda/random.cuh", "program/random.cuh"}, {"sequence"}},
      {"order", {"program/order.cuh"}, {"reduce", "sequence"}},
      {"views", {"program/views.cuh"}, {"elements"}},
      {"shapes", {"program/shapes.cuh"}, {"views", "sequence"}},
      {"series", {"include/xcuda/places.cuh", "program/series.cuh"}, {"wide", "shapes", "order"}},
      {"samples", {"program/samples.cuh"}, {"series"}},
      {"file", {"program/file.cuh"}, {"array"}},
      {"symbol", {"program/symbol.cuh"}, {"array"}},
      {"launch", {"program/launch.cuh"}, {"array"}},
      {"show", {"program/show.cuh"}, {"elements"}},
  };
  return all;
}

// Without what makes it a header.
std::string library_text(std::string_view file) {
  const auto path = shared_file(fmt::format("xcuda/{}", file));
  std::ifstream stream(path);
  if (!stream)
    throw Error(ErrorKind::io, fmt::format("cannot read {}", path.string()))
        .advise("It is part of xeus-cuda: install it again.");
  std::string text, one;
  while (std::getline(stream, one)) {
    if (one == "#pragma once" || one.starts_with("#include \"")) continue;
    // The host has to know the types of what these give, and sees no body of a function that is of the device alone.
    if (const auto at = one.find("__device__ __forceinline__");
        at != std::string::npos && one.find("__host__") == std::string::npos)
      one.insert(at, "__host__ ");
    text += one + "\n";
  }
  return text;
}

}  // namespace

Error ProgramWriter::cannot(std::string what, cell::Span span, std::string advice) const {
  return Error(ErrorKind::unsupported, fmt::format("%export has no C++ for {}", what))
      .at(source_.place(span))
      .advise(std::move(advice));
}

std::string ProgramWriter::place_text(cell::Span span) const {
  return fmt::format("{}, line {}", source_.name, line_column(source_.text, span.begin).line);
}

void ProgramWriter::line(const std::string& text) {
  main_ += std::string(static_cast<std::size_t>(2 * indent_), ' ') + text + "\n";
}

void ProgramWriter::comment(cell::Span span, std::string_view why) {
  auto shortened = snippet(source_, span);
  line(fmt::format("// {}  ({})", shortened, why));
}

std::string ProgramWriter::spliced(cell::Span span, Pieces pieces) const {
  std::erase_if(pieces, [](const auto& piece) { return piece.first.begin == piece.first.end; });
  std::sort(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
  std::string result;
  auto at = span.begin;
  for (const auto& [part, replacement] : pieces) {
    result += source_.text.substr(at, part.begin - at);
    result += replacement;
    at = part.end;
  }
  result += source_.text.substr(at, span.end - at);
  // A statement over several lines keeps them, below each other.
  const auto indent = "\n" + std::string(static_cast<std::size_t>(2 * indent_ + 4), ' ');
  std::string laid_out;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (result[i] != '\n') {
      laid_out += result[i];
      continue;
    }
    while (i + 1 < result.size() && (result[i + 1] == ' ' || result[i + 1] == '\t')) ++i;
    laid_out += indent;
  }
  return laid_out;
}

const ProgramWriter::Symbol* ProgramWriter::find(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->find(name); found != scope->end()) return &found->second;
  return nullptr;
}

// A name that neither main() nor the device code has: the cell that declares it is not among those that are
// exported.
void ProgramWriter::expect_known(const std::string& name, cell::Span span) const {
  const bool known = constants_.contains(name) || name == "nullptr" || name == "NULL" ||
                     language::known_constant(name) || session_.code().program().host_constant(name).has_value();
  if (!known)
    throw cannot(
        fmt::format("{}: no earlier cell that ran declares it", name), span,
        "Cells that failed are left out. Fix that cell and run it again; or restart, run all cells, then export.");
}

const cell::DevicePiece* ProgramWriter::variable(const std::string& name) const {
  const auto& all = session_.code().definitions();
  const auto found = std::find_if(all.rbegin(), all.rend(),
                                  [&](const Definition& d) { return d.piece.device_variable && d.piece.name == name; });
  return found == all.rend() ? nullptr : &found->piece;
}

// A name that main() uses already, or that the device code has for something else, gets a number after it.
std::string ProgramWriter::declare(const std::string& name, Symbol symbol) {
  const auto& all = session_.code().definitions();
  const bool of_device = std::any_of(all.begin(), all.end(), [&](const Definition& d) { return d.piece.name == name; });
  symbol.spelling = name;
  const bool outer = scopes_.size() == 1;
  for (int i = 2; of_device ? symbol.spelling == name || spellings_.contains(symbol.spelling)
                            : outer && spellings_.contains(symbol.spelling);
       ++i)
    symbol.spelling = fmt::format("{}_{}", name, i);
  if (outer) spellings_.insert(symbol.spelling);
  auto spelling = symbol.spelling;
  scopes_.back()[name] = std::move(symbol);
  return spelling;
}

void ProgramWriter::write_magic(const cell::Magic& magic, cell::Span span, MagicOf of) {
  const bool whole_cell = of == MagicOf::cell;
  const auto option = [&](std::string_view name) -> std::string {
    for (std::size_t i = 0; i + 1 < magic.words.size(); ++i)
      if (magic.words[i].text == name) return magic.words[i + 1].text;
    return "";
  };
  const auto has = [&](std::string_view name) {
    return std::any_of(magic.words.begin(), magic.words.end(),
                       [&](const cell::Word& word) { return word.text == name; });
  };
  if ((whole_cell && magic.name == "ptx") || magic.name == "load_module")
    throw cannot("a module of machine code", magic.name_span,
                 "Define its kernels in CUDA C++, or %reset and run the cells without it.");
  if (whole_cell && (magic.name == "cuda" || magic.name == "cu") && option("--name").empty() &&
      !cell::main_of(magic.body))
    throw cannot("a host module", magic.name_span,
                 "Write its functions without %%cuda, or %reset and run the cells without it.");
  if (magic.takes == cell::MagicText::statements || magic.takes == cell::MagicText::declarations) {
    const auto& statements = whole_cell ? run_.cell->statements : magic.statements;
    timed_ = magic.takes == cell::MagicText::statements;
    style_ = {option("--shared"), option("--stream"), option("--cluster"), has("--cooperative")};
    if (has("--repeat") && timed_) line("// Repeated in the notebook, with the arrays put back: once here.");
    const bool plain = std::all_of(statements.begin(), statements.end(),
                                   [](const auto& one) { return std::holds_alternative<cell::Launch>(one->node); });
    if (timed_ && !plain) {  // launches in loops are timed together
      timed_ = false;
      need("launch");
      line("xcuda::Timer " + declare("timer", {}) + ";");
      const auto timer = find("timer")->spelling;
      for (const auto& one : statements) statement(*one);
      line(fmt::format("std::fprintf(stderr, \"{}: %.3f ms\\n\", {}.milliseconds());", source_.name, timer));
      scopes_.back().erase("timer");
    } else {
      for (const auto& one : statements) statement(*one);
    }
    timed_ = false;
    style_ = {};
    return;
  }
  if (magic.name == "copy" && magic.words.size() == 2) {
    const auto* from = find(magic.words[0].text);
    if (from != nullptr && from->kind == Kind::array) {
      if (const auto* to = find(magic.words[1].text); to != nullptr && to->kind == Kind::array)
        return need("elements"), line(fmt::format("{} = {};", to->spelling, from->spelling));
      auto symbol = *from;
      const auto spelling = from->spelling;
      return line(fmt::format("auto {} = {};", declare(magic.words[1].text, std::move(symbol)), spelling));
    }
  }
  if (magic.name == "free") {
    for (const auto& word : magic.words)
      if (const auto* symbol = find(word.text); symbol != nullptr && symbol->kind == Kind::array) {
        line(fmt::format("{}.free();", symbol->spelling));
        scopes_.back().erase(word.text);
      }
    return;
  }
  if (magic.takes == cell::MagicText::device_code) {
    for (const auto& one : run_.cell->statements) statement(*one);
    return;
  }
  comment(span, "of the notebook");
}

void ProgramWriter::write_cell(const ExportedCell& cell) {
  source_ = {cell.name, cell.text};
  auto tree = cell::parse_cell(cell.text, cell.name, session_.commands().grammar());
  const auto before = std::exchange(main_, "");
  launches_ = 0;
  auto* outer = std::exchange(run_.cell, &tree);
  if (tree.magic)
    write_magic(*tree.magic, {0, tree.magic->name_span.end}, MagicOf::cell);
  else
    for (const auto& one : tree.statements) statement(*one);
  run_.cell = outer;
  // Its errors, and what its kernels print, belong to it.
  if (launches_ > 0) line(fmt::format("xcuda::check(cudaDeviceSynchronize(), \"{}\");", cell.name));
  const auto written = std::exchange(main_, before);
  if (!written.empty()) main_ += fmt::format("{}  // {}\n{}", main_.empty() ? "" : "\n", cell.name, written);
}

std::string ProgramWriter::assembled(const compiler::WrittenProgram& device, std::string_view file_name) const {
  std::set<std::string_view> wanted(parts_.begin(), parts_.end());
  for (bool more = true; more;) {
    more = false;
    for (const auto& part : parts())
      if (wanted.contains(part.name))
        for (const auto need : part.needs) more = wanted.insert(need).second || more;
  }
  std::string library;
  for (const auto& part : parts())
    if (wanted.contains(part.name))
      for (const auto file : part.files) library += library_text(file) + "\n";
  std::vector<std::string> includes = device.includes;
  const auto mentions = [&](std::string_view word) {
    return device.text.find(word) != std::string::npos || main_.find(word) != std::string::npos ||
           functors_.find(word) != std::string::npos;
  };
  const auto include = [&](std::string_view header) {
    const auto text = fmt::format("#include <{}>", header);
    if (std::find(includes.begin(), includes.end(), text) == includes.end()) includes.push_back(text);
  };
  if (mentions("half")) include("cuda_fp16.h");
  if (mentions("bfloat16")) include("cuda_bf16.h");
  if (mentions("complex")) include("cuda/std/complex");
  for (const auto* header : {"cmath", "cstdint", "cstdio", "cstdlib"}) include(header);
  for (const auto header : cell::library_headers(main_)) include(header);
  if (mentions("throw ") || mentions("catch (")) {
    for (const auto* header : {"exception", "new", "stdexcept", "string"}) include(header);
  }
  if (mentions("timeval")) include("sys/time.h");
  if (mentions("timespec") || mentions("clock(") || mentions("time(")) include("time.h");
  std::string options;
  for (const auto& one : device.options) options += " " + one;
  if (compiler::launches_kernels(device.text)) options += " -rdc=true";  // links the device runtime
  std::string text = fmt::format("{}\n\n", fmt::join(includes, "\n"));
  // In front of the cells, so that no macro of theirs changes it.
  if (!library.empty())
    text +=
        "// ===== What the statements use: parts of xeus-cuda's library "
        "=======================================================\n\n";
  if (wanted.contains("wide") && mentions("complex")) text += "#define XCUDA_COMPLEX 1\n";
  text += library;
  constexpr std::ptrdiff_t kHead = 4;
  const auto line_of_next = [&] { return std::count(text.begin(), text.end(), '\n') + kHead + 1; };
  const auto device_line = line_of_next();
  text +=
      "// ===== Device code of the cells "
      "=========================================================================================\n\n" +
      device.text + "\n";
  if (!functors_.empty())
    text +=
        "// ===== Expressions over whole arrays "
        "====================================================================================\n\n" +
        functors_ + "\n";
  const auto main_line = line_of_next();
  text += "int main() {\n" + main_ + "}\n";
  return fmt::format(
             "// The cells of a notebook as a program: device code from line {} on, main() from line {}.\n"
             "//     nvcc -std=c++20 -arch=native{} -o {} {}\n"
             "// Times go to stderr.\n\n",
             device_line, main_line, options, file_name.substr(0, file_name.rfind('.')), file_name) +
         text;
}

void ProgramWriter::count_declarations(const std::vector<cell::StatementPtr>& statements) {
  for (const auto& statement : statements) {
    if (const auto* declaration = std::get_if<cell::Declaration>(&statement->node))
      for (const auto& declarator : declaration->declarators) ++declared_[declarator.name];
    if (const auto* magic = std::get_if<cell::Magic>(&statement->node)) count_declarations(magic->statements);
  }
}

std::string ProgramWriter::write(const std::vector<ExportedCell>& cells, std::string_view file_name) {
  const auto device = session_.code().program().written();
  constants_ = device.constants;
  const auto grammar = session_.commands().grammar();
  auto replaced = cells;
  for (auto& cell : replaced) {
    cell.text = cell::with_replacements(cell.text, cell.name, grammar, session_.code().program().library_scope());
    count_declarations(cell::parse_cell(cell.text, cell.name, grammar).statements);
  }
  for (const auto& cell : replaced) write_cell(cell);
  return assembled(device, file_name);
}

}  // namespace xcuda::exporter
