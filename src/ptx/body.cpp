// The body of a function: scopes, declarations, labels, instructions.
#include <fmt/format.h>

#include "ptx/instruction_parser.hpp"
#include "ptx/scopes.hpp"

namespace xcuda::ptx {
namespace {

constexpr std::size_t kRegisterLimit = 1 << 20;

class BodyParser {
 public:
  BodyParser(Reader& reader, Function& function) : reader_(reader), function_(function) {
    const auto add = [&](const std::vector<Parameter>& parameters, SymbolKind kind) {
      for (Index i = 0; i < parameters.size(); ++i) {
        const Parameter& parameter = parameters[i];
        const Named in_register{Named::Kind::reg, SymbolKind::none, parameter.reg};
        scopes_.declare_copy(parameter.name, parameter.in_register ? in_register : Named{Named::Kind::symbol, kind, i});
      }
    };
    add(function.parameters, SymbolKind::parameter);
    add(function.results, SymbolKind::result);
  }

  void parse() {
    while (!scopes_.all_closed()) read_statement();
    for (const Instruction& instruction : function_.instructions) {
      if (instruction.location == kNoIndex) continue;
      function_.location = instruction.location;
      break;
    }
  }

 private:
  void read_statement() {
    const Token& token = reader_.peek();
    switch (token.kind) {
      case Token::Kind::end: reader_.unexpected("`}`");
      case Token::Kind::directive: read_directive(); return;
      case Token::Kind::word: read_labelled(); return;
      case Token::Kind::mark: break;
      default: reader_.unexpected("an instruction");
    }
    if (reader_.accept(';')) return;
    if (reader_.accept('{')) {
      scopes_.open();
    } else if (reader_.accept('}')) {
      scopes_.close();
    } else if (reader_.accept('@')) {
      const bool negated = reader_.accept('!');
      const Token name = reader_.next();
      Instruction instruction;
      instruction.guard = scopes_.register_named(name);
      instruction.guard_negated = negated;
      if (!reader_.peek().is_word()) reader_.unexpected("an instruction after a guard");
      instructions_.read(instruction, reader_.next());
    } else {
      reader_.unexpected("an instruction");
    }
  }

  void read_directive() {
    const Token token = reader_.next();
    const std::string_view word = token.text;
    if (word == "loc") {
      reader_.read_location();
    } else if (word == "reg") {
      read_registers();
    } else if (word == "param") {
      do {
        Parameter parameter = reader_.read_parameter();
        scopes_.declare_copy(parameter.name, {Named::Kind::symbol, SymbolKind::argument,
                                              static_cast<Index>(function_.arguments.size())});
        function_.arguments.push_back(std::move(parameter));
      } while (reader_.accept(','));
      reader_.expect(';', "a declaration");
    } else if (word == "local" || word == "shared") {
      read_variable(word == "local" ? Space::local : Space::shared);
    } else if (word == "pragma") {
      reader_.skip_to_semicolon();
    } else if (reader_.unknown == Unknown::keep) {
      reader_.skip_to_semicolon();
    } else {
      reader_.fail(fmt::format("unknown directive `.{}`", word), token.line);
    }
  }

  void read_variable(Space space) {
    const std::size_t first_pending = reader_.pending_relocations.size();
    Variable variable = reader_.read_variable(space, Linkage::internal);
    if (!variable.initial.empty() || reader_.pending_relocations.size() != first_pending)
      reader_.fail(fmt::format("`{}` is initialised, but .{} variables cannot be", variable.name, text_of(space)),
                   variable.line);
    reader_.expect(';', "a declaration");
    scopes_.declare_copy(variable.name,
                         {Named::Kind::symbol, SymbolKind::local, static_cast<Index>(function_.variables.size())});
    function_.variables.push_back(std::move(variable));
  }

  // .reg .b32 %r<12>; and .reg .pred p, q;
  void read_registers() {
    if (reader_.peek().is_directive("v2") || reader_.peek().is_directive("v4"))
      reader_.fail("vector registers cannot be here");
    const Type type = reader_.expect_type("a register");
    do {
      const std::string_view name = reader_.expect_word("the name of a register");
      const auto first = static_cast<Register>(function_.registers.size());
      Index count = 0, added = 1;
      if (reader_.accept('<')) {
        count = added = static_cast<Index>(reader_.expect_integer("a number of registers", kRegisterLimit));
        if (count == 0) reader_.fail(fmt::format("`{}<0>` declares nothing", name));
        reader_.expect('>', "a number of registers");
        scopes_.declare_range({name, first, count});
      } else {
        scopes_.declare(name, {Named::Kind::reg, SymbolKind::none, first});
      }
      if (first + added > kRegisterLimit) reader_.fail(fmt::format("there are more than {} registers", kRegisterLimit));
      function_.registers.resize(first + added, type);
      function_.register_ranges.push_back({std::string(name), first, count, type});
    } while (reader_.accept(','));
    reader_.expect(';', "a declaration");
  }

  void read_labelled() {
    const Token word = reader_.next();
    if (!reader_.accept(':')) {
      instructions_.read({}, word);
    } else if (reader_.accept_directive("callprototype")) {
      Prototype prototype;
      if (reader_.peek().is('(')) prototype.results = read_prototype_list();
      reader_.expect_word("a name");
      if (reader_.peek().is('(')) prototype.parameters = read_prototype_list();
      while (reader_.peek().kind == Token::Kind::directive) prototype.no_return |= reader_.next().text == "noreturn";
      reader_.expect(';', "a prototype");
      scopes_.declare(word.text,
                      {Named::Kind::prototype, SymbolKind::none, static_cast<Index>(function_.prototypes.size())});
      function_.prototypes.push_back(std::move(prototype));
    } else if (reader_.accept_directive("branchtargets")) {
      const auto list = static_cast<Index>(function_.target_lists.size());
      scopes_.declare(word.text, {Named::Kind::label_list, SymbolKind::none, list});
      function_.target_lists.emplace_back();
      do {
        const Token label = reader_.next();
        if (!label.is_word()) reader_.fail("expected a label", label.line);
        auto& targets = function_.target_lists.back();
        scopes_.await({label.text, label.line, reader_.location, kNoIndex, list, static_cast<Index>(targets.size())});
        targets.push_back(kNoIndex);
      } while (reader_.accept(','));
      reader_.expect(';', "labels");
    } else if (reader_.accept_directive("calltargets")) {
      std::vector<Index> functions;
      do {
        functions.push_back(reader_.function_named(reader_.next()));
      } while (reader_.accept(','));
      reader_.expect(';', "functions");
      instructions_.add_call_list(word, std::move(functions));
    } else {
      scopes_.declare_label(word);
    }
  }

  std::vector<Parameter> read_prototype_list() {
    std::vector<Parameter> list;
    reader_.expect('(', "a prototype");
    if (reader_.accept(')')) return list;
    do {
      const bool in_register = reader_.accept_directive("reg");
      if (!in_register && !reader_.accept_directive("param")) reader_.unexpected("`.param`");
      list.push_back(reader_.read_parameter());
      list.back().in_register = in_register;
    } while (reader_.accept(','));
    reader_.expect(')', "a prototype");
    return list;
  }

  Reader& reader_;
  Function& function_;
  Scopes scopes_{reader_, function_};
  InstructionParser instructions_{reader_, function_, scopes_};
};

}  // namespace

void read_body(Reader& reader, Function& function) { BodyParser(reader, function).parse(); }

}  // namespace xcuda::ptx
