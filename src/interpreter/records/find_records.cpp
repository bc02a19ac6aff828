#include "interpreter/records/find_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "cell/lexer.hpp"
#include "cell/method.hpp"
#include "cell/methods.hpp"
#include "session/host_functions.hpp"

namespace xcuda::interpreter {
namespace {

class RecordsOfCell {
 public:
  RecordsOfCell(session::Session& session, session::CellRun& run, cell::Grammar grammar)
      : session_(session), run_(run), grammar_(grammar) {}

  void find() {
    const auto before = pieces();
    for (const auto& piece : before)
      if (is_record(piece)) functions_of(piece);
    for (auto& piece : pieces()) take(piece);
    for (auto& piece : pieces())
      if (piece.of_class.end > 0 || piece.of_host) make_function(piece);
    for (const auto& piece : before)
      if (is_record(piece)) make_record(piece);
  }

 private:
  std::vector<cell::DevicePiece>& pieces() { return run_.cell->device; }

  static bool is_record(const cell::DevicePiece& piece) {
    return piece.kind == cell::DeviceKind::type && piece.of_host && piece.nesting == 0;
  }

  Error error(ErrorKind kind, std::string message, cell::Span span) const {
    return Error(kind, std::move(message)).at(run_.source.place(span));
  }

  std::string_view text(std::uint32_t begin, std::uint32_t end) const {
    return std::string_view(run_.source.text).substr(begin, end > begin ? end - begin : 0);
  }

  // The name of the first record in it; empty if it names no record.
  std::string record_in(std::uint32_t begin, std::uint32_t end) const {
    const auto tokens = cell::tokens_of(text(begin, end));
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const bool member = i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->"));
      if (tokens[i].is_identifier() && !member && run_.cell->library.is_record(tokens[i].text))
        return std::string(tokens[i].text);
    }
    return {};
  }

  void functions_of(const cell::DevicePiece& type) {
    auto own = cell::class_text(run_.source.text, type.span);
    if (!own) return;
    std::erase_if(own->methods, [&](const cell::DevicePiece& method) {
      const auto head = cell::tokens_of(text(method.span.begin, method.name_span.begin));
      return std::any_of(head.begin(), head.end(), [](const cell::Token& token) { return token.is("template"); });
    });
    for (auto& method : own->methods) method.of_class = type.span;
    for (auto& one : own->friends) own->methods.push_back(std::move(one));
    for (auto& method : own->methods)
      if (auto output = cell::output_function(run_.source.text, method); !output.empty()) {
        method.name = std::move(output);
        method.of_class = {};
      }
    for (auto& method : own->methods) method.of_host = true;
    cell::add_methods(pieces(), type, own->methods);
  }

  // Functions and operators outside of their structs.
  void take(cell::DevicePiece& piece) {
    const bool function = piece.kind == cell::DeviceKind::function;
    if ((!function && piece.kind != cell::DeviceKind::prototype) || piece.nesting > 0 || piece.of_host) return;
    const auto end = piece.body.end > 0 ? piece.body.begin : piece.span.end;
    const auto named = record_in(piece.span.begin, end);
    const auto used = named.empty() && piece.body.end > 0 ? record_in(piece.body.begin, piece.body.end) : named;
    if (used.empty()) return;
    const auto head = cell::tokens_of(text(piece.span.begin, piece.name_span.begin));
    const bool of_device =
        piece.kernel || std::any_of(head.begin(), head.end(), [](const auto& one) { return one.is("__device__"); });
    const bool of_both = std::any_of(head.begin(), head.end(), [](const auto& one) { return one.is("__host__"); });
    if (of_device && !of_both)
      throw error(ErrorKind::type, fmt::format("{} names {}, which only the host has", piece.name, used),
                  piece.name_span)
          .advise(fmt::format("Members of {} are texts or containers. Give the kernel the arrays in it: p.values of a "
                              "std::vector<float> values.",
                              used));
    const auto scope = piece.name.rfind("::");
    const auto of = piece.name.substr(0, std::min({scope, piece.name.find('<'), piece.name.size()}));
    if (scope != std::string::npos && run_.cell->library.is_record(of)) {
      const auto type = std::find_if(pieces().begin(), pieces().end(),
                                     [&](const cell::DevicePiece& one) { return is_record(one) && one.name == of; });
      if (type == pieces().end())
        throw error(ErrorKind::unsupported, fmt::format("{} is defined in another cell than {}", piece.name, of),
                    piece.name_span)
            .advise(fmt::format("Define it in the cell of {}.", of));
      piece.of_host = true;
      if (!function) return;
      piece.of_class = type->span;
      piece.name = of + piece.name.substr(scope);
      if (piece.name == fmt::format("{0}::{0}", of)) piece.type = "void";
      return;
    }
    const bool op = piece.name.find("operator") != std::string::npos;
    if (named.empty() || (function && !op)) return;  // others are found by what they use
    piece.of_host = true;
    if (auto output = cell::output_function(run_.source.text, piece); !output.empty()) piece.name = std::move(output);
  }

  void make_function(cell::DevicePiece& piece) {
    if (piece.kind != cell::DeviceKind::function) return;
    const auto& function = session::make_host_function(run_, piece, grammar_);
    if (function.refused && function.refused->kind == ErrorKind::syntax) throw *function.refused;
  }

  cell::RecordPtr known_record(const std::string& name) const {
    for (const auto& one : run_.cell->records)
      if (one->name == name) return one;
    return session_.code().functions().record(name);
  }

  // It has the members of its base in front of its own.
  void derive(cell::Record& record, const cell::DevicePiece& type) const {
    const auto base = known_record(record.bases.front());
    if (base == nullptr)
      throw error(ErrorKind::name, fmt::format("no cell defines {}, the base of {}", record.bases.front(), record.name),
                  type.name_span)
          .advise("Run the cell with its definition again.");
    record.bases.insert(record.bases.end(), base->bases.begin(), base->bases.end());
    for (const auto& part : record.parts)
      if (base->find(part.name) != nullptr)
        throw error(ErrorKind::unsupported,
                    fmt::format("{} and {} both have a member {}", record.name, base->name, part.name), part.span)
            .advise("Give one of them another name.");
    std::vector<cell::Record::Part> parts;
    for (const auto& part : base->parts) {
      auto& one = parts.emplace_back();
      one.name = part.name;
      one.type = part.type;
      one.is_const = part.is_const;
      one.hidden = part.hidden;
      one.span = part.span;
      for (const auto& extent : part.extents)
        one.extents.push_back(extent == nullptr ? nullptr : cell::copy_of(*extent));
    }
    std::move(record.parts.begin(), record.parts.end(), std::back_inserter(parts));
    record.parts = std::move(parts);
    record.layout = base->layout + (base->layout.empty() || record.layout.empty() ? "" : "; ") + record.layout;
    for (const auto& function : base->functions)
      if (function != base->name) record.functions.push_back(function);
    record.hidden.insert(record.hidden.end(), base->hidden.begin(), base->hidden.end());
  }

  void make_record(const cell::DevicePiece& type) {
    std::vector<std::string> types;
    for (const auto& piece : pieces())
      if (piece.kind == cell::DeviceKind::type || piece.kind == cell::DeviceKind::alias) types.push_back(piece.name);
    const auto made =
        cell::parse_record({run_.source.text, run_.source.name, &type, grammar_, types, {}, {}, run_.cell->library});
    if (made->refused) throw *made->refused;
    if (!made->bases.empty()) derive(*made, type);
    const auto& record = *run_.cell->records.emplace_back(made);
    auto implicit = session::implicit_constructor(type);
    session::make_host_function(run_, implicit, grammar_);
    for (const auto& function : run_.cell->functions) {
      if (!function->is_constructor || !function->name.starts_with(record.name + "::")) continue;
      for (const auto& one : function->members)
        if (one.member != record.name && record.find(one.member) == nullptr &&
            (record.bases.empty() || one.member != record.bases.front()))
          throw error(ErrorKind::name, fmt::format("{} has no member {}", record.name, one.member), one.span);
    }
  }

  session::Session& session_;
  session::CellRun& run_;
  cell::Grammar grammar_;
};

}  // namespace

void find_records(session::Session& session, session::CellRun& run, cell::Grammar grammar) {
  RecordsOfCell(session, run, grammar).find();
}

}  // namespace xcuda::interpreter
