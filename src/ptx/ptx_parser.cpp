#include "ptx/ptx_parser.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <unordered_set>

#include "ptx/reader.hpp"

namespace xcuda::ptx {
namespace {

enum class Bodies : std::uint8_t { all, one, none };

constexpr std::size_t kTextLimit = std::size_t{1} << 31;  // bytes; lines and offsets are 32 bits

class ModuleParser {
 public:
  ModuleParser(std::string_view text, std::string_view name, Bodies bodies, std::string_view entry = {})
      : reader_(text, name, module_, bodies == Bodies::all ? Unknown::refuse : Unknown::keep),
        bodies_(bodies),
        entry_(entry) {
    if (text.size() > kTextLimit) reader_.fail("the PTX is larger than 2 GiB");
  }

  Module parse() {
    while (reader_.peek().kind != Token::Kind::end) read_top_level();
    if (module_.target.empty()) reader_.fail("the text has no `.target`, so it is not a PTX module");
    finish_relocations();
    finish_files();
    return std::move(module_);
  }

 private:
  void read_top_level() {
    if (reader_.accept(';')) return;
    if (reader_.peek().kind != Token::Kind::directive) {
      if (reader_.unknown == Unknown::refuse) reader_.unexpected("a directive");
      if (reader_.next().is('{')) reader_.skip_block();
      return;
    }
    const std::size_t begin = reader_.lexer.offset();
    Linkage linkage = Linkage::internal;
    while (true) {
      if (reader_.accept_directive("visible"))
        linkage = Linkage::visible;
      else if (reader_.accept_directive("extern"))
        linkage = Linkage::external;
      else if (reader_.accept_directive("weak"))
        linkage = Linkage::weak;
      else if (reader_.accept_directive("common"))
        linkage = Linkage::common;
      else
        break;
    }
    if (reader_.peek().kind != Token::Kind::directive) reader_.unexpected("a directive");
    const std::string_view word = reader_.peek().text;
    if (word == "entry" || word == "func") {
      reader_.next();
      read_function(linkage, word, begin);
      return;
    }
    if (const std::optional<Space> space = space_of(word)) {
      reader_.next();
      read_variables(*space, linkage);
      return;
    }
    if (linkage != Linkage::internal) reader_.unexpected("a function or a variable");
    read_directive(word);
  }

  static std::optional<Space> space_of(std::string_view word) {
    if (word == "global" || word == "tex") return Space::global;
    if (word == "const") return Space::constant;
    if (word == "shared") return Space::shared;
    if (word == "local") return Space::local;
    return std::nullopt;
  }

  void read_directive(std::string_view word) {
    const std::uint32_t line = reader_.peek().line;
    reader_.next();
    if (word == "version") {
      // "9.0" is lexed as a number; its text is what counts.
      const Token number = reader_.next();
      const std::size_t dot = number.text.find('.');
      if (!number.is_number() || dot == number.text.npos) reader_.fail("`.version` has no number", line);
      module_.version_major = std::atoi(std::string(number.text.substr(0, dot)).c_str());
      module_.version_minor = std::atoi(std::string(number.text.substr(dot + 1)).c_str());
    } else if (word == "target") {
      module_.target = reader_.expect_word("a target");
      while (reader_.accept(',')) reader_.expect_word("an option of the target");
    } else if (word == "address_size") {
      module_.address_size = static_cast<int>(reader_.expect_integer("an address size", 64));
      if (module_.address_size != 64) reader_.fail("addresses have 32 bits; only 64-bit addresses are supported", line);
    } else if (word == "file") {
      const std::uint64_t number = reader_.expect_integer("the number of a file", 1 << 24);
      if (reader_.peek().kind != Token::Kind::string) reader_.unexpected("the name of a file");
      file_numbers_[static_cast<Index>(number)] = static_cast<Index>(module_.files.size());
      module_.files.emplace_back(reader_.next().text);
      while (reader_.accept(',')) reader_.expect_integer("a time or a size");
    } else if (word == "section") {
      read_section();
    } else if (word == "pragma" || word == "alias") {
      reader_.skip_to_semicolon();
    } else if (word == "loc") {
      reader_.read_location();
    } else if (reader_.unknown == Unknown::refuse) {
      reader_.fail(fmt::format("unknown directive `.{}`", word), line);
    }
  }

  // .section .debug_str { label: .b8 1,2,3 ... }: names of inlined functions; other sections are skipped.
  void read_section() {
    if (reader_.peek().kind != Token::Kind::directive) reader_.unexpected("the name of a section");
    const bool strings = reader_.next().text == "debug_str";
    reader_.expect('{', "the name of a section");
    if (bodies_ == Bodies::none) return reader_.skip_block();
    std::string* text = nullptr;
    while (!reader_.accept('}')) {
      const Token token = reader_.next();
      if (token.kind == Token::Kind::end) reader_.unexpected("`}`");
      if (token.is_word() && reader_.peek().is(':')) {
        const auto found = strings ? reader_.info_strings.find(token.text) : reader_.info_strings.end();
        text = found == reader_.info_strings.end() ? nullptr : &module_.strings[found->second];
      } else if (text && token.kind == Token::Kind::integer) {
        if (token.bits == 0)
          text = nullptr;
        else
          text->push_back(static_cast<char>(token.bits));
      }
    }
  }

  void read_variables(Space space, Linkage linkage) {
    const std::size_t first_pending = reader_.pending_relocations.size();
    Variable variable = reader_.read_variable(space, linkage);
    const std::uint32_t line = variable.line;
    if (reader_.unknown == Unknown::refuse && linkage == Linkage::external && !variable.unsized &&
        space != Space::shared)
      reader_.fail(fmt::format("variable `{}` is declared `extern`, but no other module can define it", variable.name),
                   line);
    reader_.expect(';', "a variable");
    const std::string_view name = name_in_text(variable.name);
    const auto [found, added] =
        reader_.symbols.try_emplace(name, Symbol{SymbolKind::variable, static_cast<Index>(module_.variables.size())});
    if (!added) {
      const bool again = found->second.kind == SymbolKind::variable &&
                         module_.variables[found->second.index].linkage == Linkage::external;
      if (!again) reader_.fail(fmt::format("`{}` is defined twice", variable.name), line);
    }
    const Index index = found->second.index;
    for (std::size_t i = first_pending; i < reader_.pending_relocations.size(); ++i)
      reader_.pending_relocations[i].variable = {SymbolKind::variable, index};
    if (added) {
      module_.variables.push_back(std::move(variable));
    } else {
      if (variable.size == 0) variable.size = module_.variables[index].size;
      module_.variables[index] = std::move(variable);
    }
  }

  // Keys of the symbol table are views; the names of the tree move when its vectors grow.
  std::string_view name_in_text(const std::string& name) { return *names_.insert(name).first; }

  void read_function(Linkage linkage, std::string_view directive, std::size_t begin) {
    Function function;
    function.begin = begin;
    function.linkage = linkage;
    function.entry = directive == "entry";
    function.line = reader_.peek().line;
    while (reader_.accept_directive("attribute")) {
      while (reader_.peek().kind != Token::Kind::end && !reader_.accept(')')) reader_.next();
    }
    if (reader_.peek().is('(')) function.results = read_parameters(function);
    function.name = reader_.expect_word("the name of a function");
    const std::string_view name = name_in_text(function.name);
    reader_.function = name;
    reader_.location = kNoIndex;
    reader_.forget_locations();
    if (reader_.peek().is('(')) function.parameters = read_parameters(function);
    place(function);
    read_attributes(function);

    const auto [found, added] =
        reader_.symbols.try_emplace(name, Symbol{SymbolKind::function, static_cast<Index>(module_.functions.size())});
    if (!added && found->second.kind != SymbolKind::function)
      reader_.fail(fmt::format("`{}` is defined twice", function.name), function.line);
    const Index index = found->second.index;
    if (added) module_.functions.emplace_back().name = function.name;

    if (reader_.accept('{')) {
      if (module_.functions[index].defined)
        reader_.fail(fmt::format("`{}` is defined twice", function.name), function.line);
      function.defined = true;
      // Calls of the function itself see its prototype.
      if (bodies_ == Bodies::all || (bodies_ == Bodies::one && function.name == entry_))
        read_body(reader_, function);
      else
        reader_.skip_block();
      function.end = reader_.lexer.end_of_last();
      module_.functions[index] = std::move(function);
    } else {
      reader_.expect(';', "a prototype");
      function.end = reader_.lexer.end_of_last();
      if (!module_.functions[index].defined) module_.functions[index] = std::move(function);
    }
    reader_.function = {};
    reader_.location = kNoIndex;
  }

  std::vector<Parameter> read_parameters(Function& function) {
    std::vector<Parameter> parameters;
    reader_.expect('(', "a function");
    if (reader_.accept(')')) return parameters;
    do {
      const bool in_register = reader_.accept_directive("reg");
      if (!in_register && !reader_.accept_directive("param")) reader_.unexpected("`.param`");
      Parameter parameter = reader_.read_parameter();
      if (in_register) {
        parameter.in_register = true;
        parameter.reg = static_cast<Register>(function.registers.size());
        function.registers.push_back(parameter.type);
        function.register_ranges.push_back({parameter.name, parameter.reg, 0, parameter.type});
      }
      parameters.push_back(std::move(parameter));
    } while (reader_.accept(','));
    reader_.expect(')', "parameters");
    return parameters;
  }

  void place(Function& function) {
    for (std::vector<Parameter>* list : {&function.parameters, &function.results}) {
      std::uint64_t at = 0;
      for (Parameter& parameter : *list) {
        at = (at + parameter.alignment - 1) / parameter.alignment * parameter.alignment;
        parameter.offset = static_cast<std::uint32_t>(at);
        at += parameter.size;
        if (at > 1 << 20) reader_.fail(fmt::format("the parameters of `{}` are too large", function.name));
      }
      if (list == &function.parameters) function.parameter_bytes = static_cast<std::uint32_t>(at);
    }
  }

  void read_attributes(Function& function) {
    const auto read_threads = [&](std::array<std::uint32_t, 3>& threads) {
      threads = {1, 1, 1};
      std::size_t i = 0;
      do {
        if (i == 3) reader_.unexpected("at most three extents");
        threads[i++] = static_cast<std::uint32_t>(reader_.expect_integer("a number of threads", 1 << 30));
      } while (reader_.accept(','));
    };
    const auto number = [&](std::string_view what) {
      return static_cast<std::uint32_t>(reader_.expect_integer(what, 1 << 30));
    };
    while (reader_.peek().kind == Token::Kind::directive) {
      const std::string_view word = reader_.next().text;
      if (word == "maxntid")
        read_threads(function.max_threads);
      else if (word == "reqntid")
        read_threads(function.required_threads);
      else if (word == "minnctapersm" || word == "maxnctapersm")
        function.min_blocks = number("a number of blocks");
      else if (word == "maxnreg")
        function.max_registers = number("a number of registers");
      else if (word == "noreturn")
        function.no_return = true;
      else if (word == "pragma")
        reader_.skip_to_semicolon();
      else if (word == "explicitcluster")
        continue;
      else if (word == "reqnctapercluster") {
        std::array<std::uint32_t, 3> cluster{};
        read_threads(cluster);
      } else if (word == "maxclusterrank")
        number("a number of blocks");
      else if (word == "blocksareclusters" || word == "blocksmayhavezerothreads")
        continue;
      else if (reader_.unknown == Unknown::refuse)
        reader_.fail(fmt::format("unknown directive `.{}` of a function", word));
      else
        while (reader_.peek().is_number() || reader_.peek().is(',')) reader_.next();
    }
  }

  void finish_relocations() {
    for (const Reader::PendingRelocation& pending : reader_.pending_relocations) {
      const auto found = reader_.symbols.find(pending.name);
      if (found == reader_.symbols.end()) reader_.fail(fmt::format("`{}` is not declared", pending.name), pending.line);
      module_.variables[pending.variable.index].relocations[pending.relocation].symbol = found->second;
    }
  }

  void finish_files() {
    for (Location& location : module_.locations) {
      const auto found = file_numbers_.find(location.file);
      location.file = found == file_numbers_.end() ? kNoIndex : found->second;
    }
  }

  Module module_;
  Reader reader_;
  Bodies bodies_;
  std::string_view entry_;
  std::unordered_set<std::string> names_;
  std::unordered_map<Index, Index> file_numbers_;
};

}  // namespace

Module parse(std::string_view text, std::string_view name) { return ModuleParser(text, name, Bodies::all).parse(); }

Module parse_declarations(std::string_view text, std::string_view name) {
  return ModuleParser(text, name, Bodies::none).parse();
}

Module parse_entry(std::string_view text, std::string_view name, std::string_view entry) {
  return ModuleParser(text, name, Bodies::one, entry).parse();
}

}  // namespace xcuda::ptx
