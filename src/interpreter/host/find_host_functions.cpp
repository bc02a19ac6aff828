#include "interpreter/host/find_host_functions.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "cell/constructors.hpp"
#include "cell/container_types.hpp"
#include "cell/lexer.hpp"
#include "cell/library_names.hpp"
#include "cell/methods.hpp"
#include "cell/records/standard_exceptions.hpp"
#include "interpreter/records/find_records.hpp"
#include "language/functions.hpp"

namespace xcuda::interpreter {
namespace {

// The C library as device code has it.
bool is_of_devices_too(std::string_view name) {
  static constexpr std::string_view kNames[] = {"malloc", "free", "memcpy", "memmove", "memset", "memcmp", "strcpy"};
  const auto known = language::find_function(name);
  return among(name, kNames) || (known && known->row->operation == language::Operation::character);
}

class HostCode {
 public:
  HostCode(session::Session& session, const session::CellRun& run) : session_(session), run_(run) {}

  bool holds(const cell::DevicePiece& piece) const {
    if (names_type_of_host(piece)) return true;
    const bool uses = std::any_of(piece.host_uses.begin(), piece.host_uses.end(), [](const cell::HostUse& use) {
      return use.name == "<<<" || use.name.starts_with("cuda") || cell::is_host_library_name(use.name);
    });
    if (uses || takes_values_of_host(piece) || gives_text(piece) || gives_lambda(piece)) return true;
    if (gives_object_with_end(piece) && !is_of_kernels(piece.name)) return true;
    if (follows_pointers(piece) && !is_of_kernels(piece.name)) return true;
    const auto tokens =
        cell::tokens_of(std::string_view(run_.source.text).substr(piece.body.begin, piece.body.end - piece.body.begin));
    const bool keeps_memory = cell::is_method(piece) || may_give_memory(piece, tokens);
    if (uses_methods_of_host(piece, tokens) || (!tokens.empty() && tokens.front().is("try"))) return true;
    for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
      if (keeps_memory && (allocates(tokens[i]) || releases(tokens[i]))) return true;
      // In a branch of #if that the parser passed over.
      const bool of_library = tokens[i].text.starts_with("cuda") || tokens[i].text.starts_with("pthread_");
      if (tokens[i].is("<<<") || (of_library && tokens[i + 1].is("("))) return true;
      const auto& scope = run_.cell->library;
      if (uses_exceptions(tokens, i)) return true;
      if (scope.is_stream(tokens[i].text, {}) || is_value_of_host(tokens, i)) return true;
      const bool member = tokens[i - 1].is(".") || tokens[i - 1].is("->");
      const bool called = tokens[i + 1].is("(") || tokens[i + 1].is("<");
      const bool cycles = tokens[i].is("clock") && is_of_kernels(piece.name);  // those of a multiprocessor
      if (tokens[i].is_identifier() && called && !member && !cycles && is_of_host(tokens[i].text)) return true;
    }
    return false;
  }

  // Whether statements run another function of its name: a call chooses among them all.
  bool is_beside_host(const cell::DevicePiece& piece) const {
    const auto common = [](const std::string& name) {
      const auto open = std::min(name.find('<'), name.size());
      const auto method = name.find("::", open);
      return name.substr(0, open) + (method == std::string::npos ? "" : name.substr(method));
    };
    if (piece.name.find("operator") != std::string::npos) return false;
    const auto name = common(piece.name);
    const bool beside =
        std::any_of(run_.cell->device.begin(), run_.cell->device.end(), [&](const cell::DevicePiece& one) {
          return one.of_host && one.span != piece.span && common(one.name) == name;
        });
    return beside && !is_of_kernels(piece.name);
  }

  // Of structs whose functions may be statements.
  std::vector<cell::DevicePiece> candidates(const cell::DevicePiece& type) const {
    auto own = type.kind == cell::DeviceKind::type && type.nesting == 0 && !type.of_host
                   ? cell::class_text(run_.source.text, type.span)
                   : std::nullopt;
    if (!own || !own->simple) return {};
    for (auto& method : own->methods)
      if (auto output = cell::output_function(run_.source.text, method); !output.empty())
        method.name = std::move(output);
    std::erase_if(own->methods, [&](const cell::DevicePiece& method) {
      return method.annotated || method.value == "static" ||
             std::any_of(run_.cell->device.begin(), run_.cell->device.end(),
                         [&](const cell::DevicePiece& one) { return one.span == method.span; });
    });
    return std::move(own->methods);
  }

 private:
  // A name that is short for a container: using Graph = std::vector<std::vector<int>>;
  bool names_type_of_host(const cell::DevicePiece& piece) const {
    for (const auto& token : tokens_within(piece.span.begin, piece.body.end))
      if (token.is_identifier() && !token.is("std"))
        if (const auto full = run_.cell->library.join({token}, {}); full != token.text && cell::is_of_host(full))
          return true;
    return false;
  }

  // T x(3); x.upload(h); of a struct whose constructor or function is statements; within that struct also upload(h).
  bool uses_methods_of_host(const cell::DevicePiece& piece, const std::vector<cell::Token>& body) const {
    std::set<std::string_view> types, methods, own;
    const auto add = [&](std::string_view name) {
      const auto at = name.rfind("::");
      if (at == std::string_view::npos) return;
      const auto type = name.substr(0, std::min(at, name.find('<'))), method = name.substr(at + 2);
      if (method == type || method.starts_with('~')) types.insert(type);
      methods.insert(method);
      if (piece.name.starts_with(std::string(type) + "::") || piece.name.starts_with(std::string(type) + "<"))
        own.insert(method);
    };
    for (const auto& one : run_.cell->device)
      if (one.of_host && cell::is_method(one)) add(one.name);
    for (const auto& definition : session_.code().definitions())
      if (definition.piece.of_host && cell::is_method(definition.piece)) add(definition.piece.name);
    if (methods.empty()) return false;
    for (std::size_t i = 1; i + 1 < body.size(); ++i) {
      const bool member = body[i - 1].is(".") || body[i - 1].is("->");
      const bool called = body[i + 1].is("(");
      if (called && (member ? methods : own).contains(body[i].text)) return true;
      if (!member && types.contains(body[i].text) && !body[i + 1].is("*") && !body[i + 1].is("&")) return true;
    }
    return false;
  }

  // Device code has none.
  bool uses_exceptions(const std::vector<cell::Token>& tokens, std::size_t i) const {
    if (tokens[i].is("throw") || tokens[i].is("try")) return true;
    if (!cell::is_standard_exception(tokens[i].text) || tokens[i - 1].is(".") || tokens[i - 1].is("->")) return false;
    return tokens[i - 1].is("::") ? i > 1 && tokens[i - 2].is("std")
                                  : run_.cell->library.is_callable(tokens[i].text, {});
  }

  static bool allocates(const cell::Token& token) {
    return token.is("new") || token.is("malloc") || token.is("calloc") || token.is("aligned_alloc");
  }
  static bool releases(const cell::Token& token) { return token.is("delete") || token.is("free"); }

  // What a T**, a reference, a result, or a struct that a pointer leads to takes home is the session's memory, and what
  // a function frees without having allocated it, too. Memory that comes and goes in one function is its own.
  bool may_give_memory(const cell::DevicePiece& piece, const std::vector<cell::Token>& body) const {
    const auto parameters = tokens_within(piece.parameters.begin, piece.parameters.end);
    for (std::size_t i = 1; i < parameters.size(); ++i)
      if (parameters[i].is("&") || (parameters[i - 1].is("*") && parameters[i].is("*"))) return true;
    if (is_of_kernels(piece.name)) return false;
    const auto result = head_of(piece);
    if (!result.empty() && std::any_of(result.begin(), result.end(), [](const auto& one) { return one.is("*"); }))
      return true;
    const bool made = std::any_of(body.begin(), body.end(), allocates);
    return made != std::any_of(body.begin(), body.end(), releases) || (made && sets_member_of(parameters, body));
  }

  // list->data = more; of a parameter.
  static bool sets_member_of(const std::vector<cell::Token>& parameters, const std::vector<cell::Token>& body) {
    for (std::size_t i = 1; i + 2 < body.size(); ++i)
      if (body[i].is("->") && body[i + 2].is("=") &&
          std::any_of(parameters.begin(), parameters.end(), [&](const auto& one) { return one.is(body[i - 1].text); }))
        return true;
    return false;
  }

  std::vector<cell::Token> head_of(const cell::DevicePiece& piece) const {
    return tokens_within(piece.span.begin, piece.name_span.begin);
  }

  // Trace make(int i) { Trace t(i); return t; }: statements give t itself, as g++ does, and native code a copy.
  bool gives_object_with_end(const cell::DevicePiece& piece) const {
    const auto result = head_of(piece);
    const auto ends = [&](std::string_view definition) {
      const auto special = cell::special_members(definition);
      return special.destructor || special.copies;
    };
    if (result.empty() ||
        std::any_of(result.begin(), result.end(), [](const auto& one) { return one.is("*") || one.is("&"); }))
      return false;
    for (const auto& token : result) {
      if (!token.is_identifier()) continue;
      for (const auto& one : run_.cell->device)
        if (one.kind == cell::DeviceKind::type && one.name == token.text)
          return ends(std::string_view(run_.source.text).substr(one.span.begin, one.span.end - one.span.begin));
      for (const auto& one : session_.code().definitions())
        if (one.piece.kind == cell::DeviceKind::type && one.piece.name == token.text) return ends(one.text);
    }
    return false;
  }

  // const char* name_of(Color c): text that is in the program is not the session's memory.
  bool gives_text(const cell::DevicePiece& piece) const {
    const auto result = head_of(piece);
    for (std::size_t i = 1; i < result.size(); ++i)
      if (result[i].is("*") && (result[i - 1].is("char") || (i > 1 && result[i - 2].is("char"))))
        return !is_of_kernels(piece.name);
    return false;
  }

  // auto adder(int k) { return [k](int v) { return v + k; }; }: its type has no name that a variable could have.
  bool gives_lambda(const cell::DevicePiece& piece) const {
    const auto result = head_of(piece);
    if (std::none_of(result.begin(), result.end(), [](const auto& one) { return one.is("auto"); })) return false;
    const auto body = tokens_within(piece.body.begin, piece.body.end);
    for (std::size_t i = 0; i + 1 < body.size(); ++i)
      if (body[i].is("return") && body[i + 1].is("[")) return !is_of_kernels(piece.name);
    return false;
  }

  // std::string name(const std::vector<float>& x), int blocks_of(const cudaDeviceProp& device)
  bool takes_values_of_host(const cell::DevicePiece& piece) const {
    const auto head = cell::tokens_of(
        std::string_view(run_.source.text).substr(piece.span.begin, piece.body.begin - piece.span.begin));
    static constexpr std::string_view kOfRuntime[] = {"cudaDeviceProp", "cudaError_t", "cudaEvent_t", "cudaStream_t"};
    for (std::size_t i = 0; i < head.size(); ++i) {
      if (among(head[i].text, kOfRuntime)) return true;
      if (head[i].is("function") && i > 1 && head[i - 1].is("::") && head[i - 2].is("std")) return true;
      const bool container =
          cell::is_container_name(head[i].text) && !cell::is_library_name("std::" + std::string(head[i].text));
      if (!head[i].is("string") && !container && !holds_texts(head, i)) continue;
      if (i > 1 && head[i - 1].is("::") ? head[i - 2].is("std") : is_value_of_host(head, i)) return true;
    }
    return false;
  }

  // std::pair<std::string, int>, and not std::pair<int, int>
  static bool holds_texts(const std::vector<cell::Token>& tokens, std::size_t i) {
    if (!cell::is_container_name(tokens[i].text) || i + 1 >= tokens.size() || !tokens[i + 1].is("<")) return false;
    int depth = 0;
    for (++i; i < tokens.size(); ++i) {
      if (tokens[i].is("string") || tokens[i].is("vector")) return true;
      if (tokens[i].is("<")) ++depth;
      if (tokens[i].is(">") && --depth == 0) return false;
    }
    return false;
  }

  // float (*table[])(float), float (**table)(float); op.f(3) of a struct whose f points to a function. Statements know
  // what such a pointer leads to, native code does not.
  bool follows_pointers(const cell::DevicePiece& piece) const {
    const auto parameters = tokens_within(piece.parameters.begin, piece.parameters.end);
    for (std::size_t i = 0; i + 3 < parameters.size(); ++i)
      if (parameters[i].is("(") && parameters[i + 1].is("*") &&
          (parameters[i + 2].is("*") || parameters[i + 3].is("[")))
        return true;
    const auto& members = pointers_in_structs();
    const auto body = tokens_within(piece.body.begin, piece.body.end);
    for (std::size_t i = 1; i + 1 < body.size(); ++i)
      if ((body[i - 1].is(".") || body[i - 1].is("->")) && (body[i + 1].is("(") || body[i + 1].is("[")) &&
          members.contains(body[i].text))
        return true;
    return false;
  }

  bool is_of_kernels(std::string_view name) const {
    return std::any_of(run_.cell->device.begin(), run_.cell->device.end(), [&](const cell::DevicePiece& piece) {
      if (piece.kind != cell::DeviceKind::function || (!piece.kernel && !piece.annotated)) return false;
      const auto body = tokens_within(piece.body.begin, piece.body.end);
      return std::any_of(body.begin(), body.end(), [&](const cell::Token& token) { return token.is(name); });
    });
  }

  std::vector<cell::Token> tokens_within(std::uint32_t begin, std::uint32_t end) const {
    return cell::tokens_of(std::string_view(run_.source.text).substr(begin, end - begin));
  }

  // Names of members that point to functions: float (*f)(float); Kernel kernel;
  const std::set<std::string, std::less<>>& pointers_in_structs() const {
    if (members_) return *members_;
    members_.emplace();
    std::set<std::string, std::less<>> aliases;
    const auto each = [&](cell::DeviceKind kind, const auto& take) {
      for (const auto& one : session_.code().definitions())
        if (one.piece.kind == kind) take(one.piece.name, cell::tokens_of(one.text));
      for (const auto& piece : run_.cell->device)
        if (piece.kind == kind) take(piece.name, tokens_within(piece.span.begin, piece.span.end));
    };
    const auto points = [](const std::vector<cell::Token>& tokens, std::size_t i) {  // "(*f)(", "(*f["
      return i + 3 < tokens.size() && tokens[i].is("(") && tokens[i + 1].is("*") && tokens[i + 2].is_identifier() &&
             (tokens[i + 3].is("[") || (tokens[i + 3].is(")") && i + 4 < tokens.size() && tokens[i + 4].is("(")));
    };
    each(cell::DeviceKind::alias, [&](const std::string& name, const std::vector<cell::Token>& tokens) {
      for (std::size_t i = 0; i + 3 < tokens.size(); ++i)
        if (points(tokens, i) || (tokens[i].is("(") && tokens[i + 1].is("*") && tokens[i + 2].is(")")))
          aliases.insert(name);
    });
    each(cell::DeviceKind::type, [&](const std::string&, const std::vector<cell::Token>& tokens) {
      for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
        if (points(tokens, i)) members_->emplace(tokens[i + 2].text);
        if (aliases.contains(tokens[i].text) && tokens[i + 1].is_identifier() && !tokens[i + 2].is("("))
          members_->emplace(tokens[i + 1].text);
      }
    });
    return *members_;
  }

  // By its short name, after `using namespace std;`.
  bool is_value_of_host(const std::vector<cell::Token>& tokens, std::size_t i) const {
    const auto word = tokens[i].text;
    if (i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->") || tokens[i - 1].is("::"))) return false;
    const auto& scope = run_.cell->library;
    if (word == "string" || word == "vector") return scope.is_callable(word, {});
    if (!cell::is_container_name(word) || !scope.is_callable("string", {})) return false;
    if (word.ends_with("stringstream")) return true;
    const bool of_devices_too = cell::is_library_name("std::" + std::string(word));
    return i + 1 < tokens.size() && tokens[i + 1].is("<") && (!of_devices_too || holds_texts(tokens, i));
  }

  bool is_of_host(std::string_view called) const {
    bool own = false;
    for (const auto& piece : run_.cell->device)
      if (piece.name == called && piece.kind == cell::DeviceKind::function) {
        if (piece.of_host) return true;
        own = true;
      }
    if (own) return false;
    if (!session_.code().functions().find(called).empty()) return true;
    if (!session_.code().functions().modules().find(called).empty()) return true;
    const auto known = language::find_function(called);
    return known && language::is_of_runtime(known->row->operation) && !is_of_devices_too(called) &&
           !session_.code().program().is_function(called);
  }

  session::Session& session_;
  const session::CellRun& run_;
  mutable std::optional<std::set<std::string, std::less<>>> members_;
};

}  // namespace

namespace {

// void Timer::start() { ... } after its struct, in the same cell: statements run it as if it were written in the
// struct, and to device code the struct does not declare it.
bool take_from_outside(const HostCode& host, session::CellRun& run, const cell::DevicePiece& type,
                       cell::Grammar grammar) {
  const auto own = type.kind == cell::DeviceKind::type && type.nesting == 0 && !type.of_host
                       ? cell::class_text(run.source.text, type.span)
                       : std::nullopt;
  if (!own || !own->simple || !own->template_parameters.empty()) return false;
  std::vector<cell::DevicePiece> hidden;
  for (const auto& declared : own->declarations) {
    if (declared.annotated) continue;
    for (auto& piece : run.cell->device) {
      if (piece.kind != cell::DeviceKind::function || piece.nesting > 0 || piece.of_host || piece.annotated ||
          piece.name != declared.name || piece.body.end == 0)
        continue;
      auto method = piece;
      method.nesting = 1;
      method.key = method.name;
      if (!host.holds(method) && !host.is_beside_host(method)) continue;
      const auto function = method.name.substr(own->name.size() + 2);
      if (function == own->name || function == "~" + own->name) method.type = "void";
      piece = std::move(method);
      session::make_host_function(run, piece, grammar);
      cell::DevicePiece prototype;
      prototype.kind = cell::DeviceKind::prototype;
      prototype.name = prototype.key = declared.name;
      prototype.span = declared.span;
      prototype.of_host = true;
      hidden.push_back(std::move(prototype));
    }
  }
  cell::add_methods(run.cell->device, type, hidden);
  return !hidden.empty();
}

}  // namespace

void find_host_functions(session::Session& session, session::CellRun& run, cell::Grammar grammar) {
  find_records(session, run, grammar);
  const HostCode host(session, run);
  for (bool more = true; more;) {
    more = false;
    const auto pieces = run.cell->device;
    for (const auto& type : pieces) {
      more = take_from_outside(host, run, type, grammar) || more;
      auto methods = host.candidates(type);
      std::erase_if(methods, [&](const cell::DevicePiece& method) {
        auto nested = method;
        nested.nesting = 1;
        return !method.name.starts_with("xcuda_output_") && !host.holds(nested) && !host.is_beside_host(nested);
      });
      if (methods.empty()) continue;
      more = true;
      cell::add_methods(run.cell->device, type, methods);
      for (auto& piece : run.cell->device)
        if ((cell::is_method(piece) || piece.name.starts_with("xcuda_output_")) && !piece.of_host)
          if (const auto& function = session::make_host_function(run, piece, grammar);
              function.refused && function.refused->kind == ErrorKind::syntax)
            throw *function.refused;
    }
    for (auto& piece : run.cell->device) {
      if (auto output = cell::output_function(run.source.text, piece); !output.empty() && !piece.of_host) {
        piece.name = std::move(output);
        session::make_host_function(run, piece, grammar);
        more = true;
        continue;
      }
      if (piece.of_host || !cell::may_be_of_host(piece, run.source.text)) continue;
      if (!host.holds(piece) && !host.is_beside_host(piece)) continue;
      const auto& function = session::make_host_function(run, piece, grammar);
      if (function.refused && function.refused->kind == ErrorKind::syntax) throw *function.refused;
      more = true;
    }
  }
}

void drop_known_prototypes(session::Session& session, session::CellRun& run) {
  auto& pieces = run.cell->device;
  const auto own = [&](const std::string& name) {
    return std::any_of(pieces.begin(), pieces.end(), [&](const cell::DevicePiece& piece) {
      return piece.kind == cell::DeviceKind::function && piece.name == name;
    });
  };
  const auto known = [&](const cell::DevicePiece& piece) {
    return piece.kind == cell::DeviceKind::prototype && piece.extern_c && !own(piece.name) &&
           (session.code().program().is_function(piece.name) || !session.code().functions().find(piece.name).empty());
  };
  for (std::size_t i = 0; i < pieces.size();) {
    auto end = i + 1;
    while (end < pieces.size() && pieces[end].nesting > pieces[i].nesting) ++end;
    const auto first = pieces.begin() + static_cast<std::ptrdiff_t>(i),
               last = pieces.begin() + static_cast<std::ptrdiff_t>(end);
    const bool block = first->container && first->extern_c && end > i + 1 && std::all_of(first + 1, last, known);
    if (first->nesting == 0 && (block || known(*first)))
      pieces.erase(first, last);
    else
      ++i;
  }
}

bool holds_host_code(session::Session& session, const session::CellRun& run) {
  const HostCode host(session, run);
  const auto& pieces = run.cell->device;
  return std::any_of(pieces.begin(), pieces.end(), [&](const cell::DevicePiece& piece) {
    if (cell::may_be_of_host(piece, run.source.text) && host.holds(piece)) return true;
    auto type = piece;  // a struct, perhaps within the guard of a header
    type.nesting = 0;
    auto methods = host.candidates(type);
    return std::any_of(methods.begin(), methods.end(), [&](cell::DevicePiece& method) {
      method.nesting = 1;
      return host.holds(method);
    });
  });
}

}  // namespace xcuda::interpreter
