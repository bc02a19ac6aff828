// The body of a function: scopes, declarations, labels, instructions.
//
// `{ }` opens a scope for registers, parameters and labels (inline asm and calls bring many). A label may stand behind
// the branch to it, so branches wait until their scope closes, and go on waiting in the enclosing one.
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "ptx/reader.hpp"

namespace xcuda::ptx {
namespace {

constexpr std::size_t register_limit = 1 << 20;
constexpr std::size_t scope_limit = 256;
constexpr std::size_t operand_limit = 1024;

struct Named {
  enum class Kind : std::uint8_t { reg, symbol, prototype, label_list, call_list } kind = Kind::reg;
  SymbolKind symbol = SymbolKind::none;
  Index index = none;
};

struct NamedRange {
  std::string_view prefix;
  Register first = 0;
  Index count = 0;
};

// Somewhere a label's index has to go.
struct PendingLabel {
  std::string_view name;
  std::uint32_t line = 0;
  Index location = none;
  Index operand = none;               // of Function::operands
  Index list = none, element = none;  // of Function::target_lists
};

struct Scope {
  std::unordered_map<std::string_view, Named> names;
  std::vector<NamedRange> ranges;
  std::unordered_map<std::string_view, Index> labels;
  std::vector<PendingLabel> pending;
};

class BodyParser {
 public:
  BodyParser(Reader& reader, Function& function) : reader_(reader), function_(function) {
    scopes_.emplace_back();
    const auto add = [&](const std::vector<Parameter>& parameters, SymbolKind kind) {
      for (Index i = 0; i < parameters.size(); ++i) {
        const Parameter& parameter = parameters[i];
        names_.push_back(parameter.name);
        if (parameter.in_register)
          declare(parameter.name, {Named::Kind::reg, SymbolKind::none, parameter.reg});
        else
          declare(parameter.name, {Named::Kind::symbol, kind, i});
      }
    };
    add(function.parameters, SymbolKind::parameter);
    add(function.results, SymbolKind::result);
  }

  void parse() {
    while (!scopes_.empty()) read_statement();
    for (const Instruction& instruction : function_.instructions) {
      if (instruction.location == none) continue;
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
      if (scopes_.size() == scope_limit)
        reader_.fail(fmt::format("scopes are nested deeper than {} levels", scope_limit));
      scopes_.emplace_back();
    } else if (reader_.accept('}')) {
      close_scope();
    } else if (reader_.accept('@')) {
      const bool negated = reader_.accept('!');
      const Token name = reader_.next();
      Instruction instruction;
      instruction.guard = register_named(name);
      instruction.guard_negated = negated;
      if (!reader_.peek().is_word()) reader_.unexpected("an instruction behind a guard");
      read_instruction(instruction, reader_.next());
    } else {
      reader_.unexpected("an instruction");
    }
  }

  // --- Scopes and names --------------------------------------------------------------------------------------------

  void declare(std::string_view name, Named named) {
    if (!scopes_.back().names.emplace(name, named).second) reader_.fail(fmt::format("`{}` is declared twice", name));
  }

  void close_scope() {
    Scope scope = std::move(scopes_.back());
    scopes_.pop_back();
    for (const PendingLabel& pending : scope.pending) {
      const auto found = scope.labels.find(pending.name);
      if (found == scope.labels.end()) {
        if (scopes_.empty()) {
          reader_.location = pending.location;
          reader_.fail(fmt::format("there is no label `{}`", pending.name), pending.line);
        }
        scopes_.back().pending.push_back(pending);
      } else if (pending.operand != none) {
        function_.operands[pending.operand].index = found->second;
      } else {
        function_.target_lists[pending.list][pending.element] = found->second;
      }
    }
  }

  std::optional<Named> find(std::string_view name) const {
    std::size_t digits = name.size();
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
    const std::string_view prefix = name.substr(0, digits);
    const std::size_t length = name.size() - digits;
    const bool numbered = length > 0 && length <= 9 && (length == 1 || name[digits] != '0');
    Index number = 0;
    if (numbered)
      for (std::size_t i = digits; i < name.size(); ++i) number = number * 10 + static_cast<Index>(name[i] - '0');
    for (std::size_t i = scopes_.size(); i-- > 0;) {
      const Scope& scope = scopes_[i];
      if (numbered)
        for (const NamedRange& range : scope.ranges)
          if (range.prefix == prefix && number < range.count)
            return Named{Named::Kind::reg, SymbolKind::none, range.first + number};
      if (scope.names.empty()) continue;
      if (const auto found = scope.names.find(name); found != scope.names.end()) return found->second;
    }
    return std::nullopt;
  }

  Register register_named(const Token& token) const {
    if (token.is_word())
      if (const auto named = find(token.text); named && named->kind == Named::Kind::reg) return named->index;
    reader_.fail(fmt::format("`{}` is no register", token.text), token.line);
  }

  // --- Declarations ------------------------------------------------------------------------------------------------

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
        names_.push_back(parameter.name);
        declare(names_.back(),
                {Named::Kind::symbol, SymbolKind::argument, static_cast<Index>(function_.arguments.size())});
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
      reader_.fail(fmt::format("`{}` is initialised, which .{} variables cannot be", variable.name, text_of(space)),
                   variable.line);
    reader_.expect(';', "a declaration");
    names_.push_back(variable.name);
    declare(names_.back(), {Named::Kind::symbol, SymbolKind::local, static_cast<Index>(function_.variables.size())});
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
        count = added = static_cast<Index>(reader_.expect_integer("a number of registers", register_limit));
        if (count == 0) reader_.fail(fmt::format("`{}<0>` declares nothing", name));
        reader_.expect('>', "a number of registers");
        scopes_.back().ranges.push_back({name, first, count});
      } else {
        declare(name, {Named::Kind::reg, SymbolKind::none, first});
      }
      if (first + added > register_limit) reader_.fail(fmt::format("there are more than {} registers", register_limit));
      function_.registers.resize(first + added, type);
      function_.register_ranges.push_back({std::string(name), first, count, type});
    } while (reader_.accept(','));
    reader_.expect(';', "a declaration");
  }

  // --- Labels ------------------------------------------------------------------------------------------------------

  void read_labelled() {
    const Token word = reader_.next();
    if (!reader_.accept(':')) {
      read_instruction({}, word);
    } else if (reader_.accept_directive("callprototype")) {
      Prototype prototype;
      if (reader_.peek().is('(')) prototype.results = read_prototype_list();
      reader_.expect_word("a name");
      if (reader_.peek().is('(')) prototype.parameters = read_prototype_list();
      while (reader_.peek().kind == Token::Kind::directive) prototype.no_return |= reader_.next().text == "noreturn";
      reader_.expect(';', "a prototype");
      declare(word.text, {Named::Kind::prototype, SymbolKind::none, static_cast<Index>(function_.prototypes.size())});
      function_.prototypes.push_back(std::move(prototype));
    } else if (reader_.accept_directive("branchtargets")) {
      const auto list = static_cast<Index>(function_.target_lists.size());
      declare(word.text, {Named::Kind::label_list, SymbolKind::none, list});
      function_.target_lists.emplace_back();
      do {
        const Token label = reader_.next();
        if (!label.is_word()) reader_.fail("expected a label", label.line);
        auto& targets = function_.target_lists.back();
        scopes_.back().pending.push_back(
            {label.text, label.line, reader_.location, none, list, static_cast<Index>(targets.size())});
        targets.push_back(none);
      } while (reader_.accept(','));
      reader_.expect(';', "labels");
    } else if (reader_.accept_directive("calltargets")) {
      declare(word.text, {Named::Kind::call_list, SymbolKind::none, static_cast<Index>(call_lists_.size())});
      std::vector<Index>& list = call_lists_.emplace_back();
      do {
        list.push_back(function_named(reader_.next()));
      } while (reader_.accept(','));
      reader_.expect(';', "functions");
    } else {
      const auto label = static_cast<Index>(function_.labels.size());
      if (!scopes_.back().labels.emplace(word.text, label).second)
        reader_.fail(fmt::format("label `{}` stands twice", word.text), word.line);
      function_.labels.push_back({std::string(word.text), static_cast<Index>(function_.instructions.size())});
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

  Index function_named(const Token& token) const {
    if (token.is_word()) {
      const auto found = reader_.symbols.find(token.text);
      if (found != reader_.symbols.end() && found->second.kind == SymbolKind::function) return found->second.index;
    }
    reader_.fail(fmt::format("function `{}` is not declared", token.text), token.line);
  }

  // --- Instructions ------------------------------------------------------------------------------------------------

  void read_instruction(Instruction instruction, const Token& word) {
    instruction.line = word.line;
    instruction.location = reader_.location;
    if (!read_opcode(instruction, word)) {
      instruction.opcode = Opcode::unknown;
      instruction.first_operand = static_cast<Index>(function_.operands.size());
      function_.instructions.push_back(instruction);
      reader_.skip_to_semicolon();
      return;
    }
    operands_.clear();
    opcode_ = instruction.opcode;
    pending_first_ = scopes_.back().pending.size();
    if (instruction.is(Trait::calls)) {
      read_call(instruction);
    } else if (!reader_.peek().is(';')) {
      do {
        if (operands_.size() == operand_limit)
          reader_.fail(fmt::format("an instruction has more than {} operands", operand_limit));
        read_operand(instruction);
      } while (reader_.accept(','));
    }
    reader_.expect(';', fmt::format("`{}`", word.text));
    instruction.first_operand = static_cast<Index>(function_.operands.size());
    instruction.operand_count = static_cast<std::uint16_t>(operands_.size());
    instruction.outputs = std::min<std::uint8_t>(outputs_of(instruction), static_cast<std::uint8_t>(operands_.size()));
    for (std::size_t i = pending_first_; i < scopes_.back().pending.size(); ++i)
      scopes_.back().pending[i].operand += instruction.first_operand;
    function_.operands.insert(function_.operands.end(), operands_.begin(), operands_.end());
    function_.instructions.push_back(instruction);
  }

  // False when a word of it is not known, and that is kept.
  bool read_opcode(Instruction& instruction, const Token& word) {
    std::string_view rest = word.text;
    const std::size_t dot = rest.find('.');
    const std::string_view base = rest.substr(0, dot);
    const std::optional<Opcode> opcode = find_opcode(base);
    if (!opcode) {
      if (reader_.unknown == Unknown::keep) return false;
      reader_.fail(fmt::format("unknown instruction `{}`", word.text), word.line);
    }
    instruction.opcode = *opcode;
    rest = dot == rest.npos ? std::string_view{} : rest.substr(dot + 1);
    while (!rest.empty()) {
      const std::size_t end = rest.find('.');
      const std::string_view part = rest.substr(0, end);
      if (!add_modifier(instruction, part, word)) return false;
      rest = end == rest.npos ? std::string_view{} : rest.substr(end + 1);
    }
    while (reader_.peek().kind == Token::Kind::directive)
      if (!add_modifier(instruction, reader_.next().text, word)) return false;
    return true;
  }

  bool add_modifier(Instruction& instruction, std::string_view part, const Token& word) {
    if (const std::optional<Type> type = find_type(part)) {
      if (instruction.type_count == instruction.types.size())
        reader_.fail(fmt::format("instruction `{}` has too many types", word.text), word.line);
      if (instruction.type_count == 0) instruction.types_at = instruction.modifier_count;
      instruction.types[instruction.type_count++] = *type;
      return true;
    }
    const std::optional<Modifier> modifier = find_modifier(part);
    if (!modifier) {
      if (reader_.unknown == Unknown::keep) return false;
      reader_.fail(fmt::format("unknown modifier `.{}` of instruction `{}`", part, word.text), word.line);
    }
    if (instruction.modifier_count == instruction.modifiers.size())
      reader_.fail(fmt::format("instruction `{}` has too many modifiers", word.text), word.line);
    instruction.modifiers[instruction.modifier_count++] = *modifier;
    switch (*modifier) {
      case Modifier::global: set_space(instruction, Space::global); break;
      case Modifier::shared:
      case Modifier::shared_cta: set_space(instruction, Space::shared); break;
      case Modifier::shared_cluster: set_space(instruction, Space::shared_cluster); break;
      case Modifier::const_: set_space(instruction, Space::constant); break;
      case Modifier::local: set_space(instruction, Space::local); break;
      case Modifier::param:
      case Modifier::param_entry:
      case Modifier::param_func: set_space(instruction, Space::param); break;
      case Modifier::v2: instruction.vector = 2; break;
      case Modifier::v4: instruction.vector = 4; break;
      case Modifier::v8: instruction.vector = 8; break;
      default: break;
    }
    return true;
  }

  static void set_space(Instruction& instruction, Space space) {
    if (instruction.space == Space::generic) instruction.space = space;
  }

  // The row says it for most; a few write by their operation.
  static std::uint8_t outputs_of(const Instruction& instruction) {
    const std::uint8_t outputs = row_of(instruction.opcode).outputs;
    bool silent = false, arrives = false;  // of an mbarrier
    for (int i = 0; i < instruction.modifier_count; ++i) switch (instruction.modifiers[i]) {
        case Modifier::store:
        case Modifier::st: return 0;
        case Modifier::red: return outputs == 0 ? 1 : 0;  // of a barrier the result, of memory none
        case Modifier::init:
        case Modifier::inval:
        case Modifier::expect_tx:
        case Modifier::complete_tx: silent = true; break;
        case Modifier::arrive:
        case Modifier::arrive_drop: arrives = true; break;
        default: break;
      }
    return silent && !arrives ? 0 : outputs;
  }

  void read_operand(Instruction& instruction) {
    Operand operand;
    if (reader_.accept('{')) {
      operand.kind = Operand::Kind::vector;
      std::vector<Operand> elements;
      do {
        if (elements.size() == operand_limit)
          reader_.fail(fmt::format("a vector has more than {} elements", operand_limit));
        elements.push_back(read_simple());
      } while (reader_.accept(','));
      reader_.expect('}', "a vector");
      operand.index = static_cast<Index>(function_.operands.size());
      operand.count = static_cast<Index>(elements.size());
      function_.operands.insert(function_.operands.end(), elements.begin(), elements.end());
      if (reader_.accept('|')) operand.second = register_named(reader_.next());
      operands_.push_back(operand);
      return;
    }
    if (reader_.accept('[')) {
      read_address(instruction);
      return;
    }
    if (reader_.peek().is_word()) {
      if (instruction.is(Trait::branches)) {
        const Token label = reader_.next();
        operand.kind = Operand::Kind::label;
        // The place is relative to this instruction's operands until they are stored.
        scopes_.back().pending.push_back(
            {label.text, label.line, reader_.location, static_cast<Index>(operands_.size()), none, none});
        operands_.push_back(operand);
        return;
      }
      const auto named = find(reader_.peek().text);
      if (named && named->kind == Named::Kind::label_list) {
        reader_.next();
        instruction.targets = named->index;
        return;
      }
    }
    operand = read_simple();
    if (reader_.accept('|')) operand.second = register_named(reader_.next());
    operands_.push_back(operand);
  }

  // [base + offset], and the coordinates behind a texture: [handle, sampler, {x, y}]
  void read_address(Instruction& instruction) {
    Operand operand;
    operand.kind = Operand::Kind::address;
    const Token& token = reader_.peek();
    if (token.is_word()) {
      const Operand base = read_name(reader_.next());
      if (base.kind == Operand::Kind::reg) {
        operand.reg = base.reg;
      } else if (base.kind == Operand::Kind::symbol) {
        operand.symbol_kind = base.symbol_kind;
        operand.index = base.index;
      } else {
        reader_.unexpected("a register or a variable as an address");
      }
      if (reader_.accept('+') || reader_.peek().is('-'))
        operand.offset = static_cast<std::int64_t>(reader_.expect_integer("an offset"));
    } else {
      operand.offset = static_cast<std::int64_t>(reader_.expect_integer("an address"));
    }
    operands_.push_back(operand);
    while (reader_.accept(',')) {
      if (operands_.size() == operand_limit) reader_.fail("an instruction has too many operands");
      if (reader_.peek().is('[')) reader_.unexpected("coordinates");
      read_operand(instruction);
    }
    reader_.expect(']', "an address");
  }

  // Numbers, and names with ! before or + n behind them.
  Operand read_simple() {
    Operand operand;
    const Token& token = reader_.peek();
    if (reader_.accept('!')) {
      operand = read_name(reader_.next());
      if (operand.kind != Operand::Kind::reg) reader_.fail("`!` stands before what is no register");
      operand.negated = true;
      return operand;
    }
    if (token.is_word()) {
      operand = read_name(reader_.next());
      if (operand.kind == Operand::Kind::symbol && (reader_.accept('+') || reader_.peek().is('-')))
        operand.offset = static_cast<std::int64_t>(reader_.expect_integer("an offset"));
      return operand;
    }
    bool negative = false, inverted = false;
    while (reader_.peek().is('-') || reader_.peek().is('+') || reader_.peek().is('~')) {
      const char sign = reader_.next().mark;
      negative ^= sign == '-';
      inverted ^= sign == '~';
    }
    if (negative && reader_.peek().is_word() && row_of(opcode_).is(Trait::negates)) {
      operand = read_name(reader_.next());
      if (operand.kind != Operand::Kind::reg) reader_.fail("`-` stands before what is no register");
      operand.negated = true;
      return operand;
    }
    if (!reader_.peek().is_number()) reader_.unexpected("an operand");
    const Token number = reader_.next();
    operand.bits = number.bits;
    switch (number.kind) {
      case Token::Kind::float32:
        operand.kind = Operand::Kind::float32;
        if (negative) operand.bits ^= 0x8000'0000u;
        break;
      case Token::Kind::float64:
        operand.kind = Operand::Kind::float64;
        if (negative) operand.bits ^= std::uint64_t{1} << 63;
        break;
      default:
        operand.kind = Operand::Kind::integer;
        if (inverted) operand.bits = ~operand.bits;
        if (negative) operand.bits = 0 - operand.bits;
    }
    return operand;
  }

  Operand read_name(const Token& token) {
    Operand operand;
    if (!token.is_word()) reader_.fail(fmt::format("`{}` is no operand", token.text), token.line);
    const std::string_view name = token.text;
    if (name == "_") return operand;
    if (const auto named = find(name)) {
      if (named->kind == Named::Kind::reg) {
        operand.kind = Operand::Kind::reg;
        operand.reg = named->index;
        return operand;
      }
      if (named->kind == Named::Kind::symbol) {
        operand.kind = Operand::Kind::symbol;
        operand.symbol_kind = named->symbol;
        operand.index = named->index;
        operand.offset = 0;
        return operand;
      }
      reader_.fail(fmt::format("`{}` is no operand", name), token.line);
    }
    if (name == "WARP_SZ") {
      operand.kind = Operand::Kind::integer;
      operand.bits = 32;
      return operand;
    }
    if (name[0] == '%') {
      std::string_view word = name.substr(1);
      if (const auto special = find_special(word)) {
        operand.kind = Operand::Kind::special;
        operand.special = *special;
        return operand;
      }
      if (word.starts_with("pm") && word.ends_with("_64")) word.remove_suffix(3);  // %pm0_64: the same counter
      const std::size_t digits = word.find_last_not_of("0123456789") + 1;
      const std::optional<Special> special = find_special(word.substr(0, digits));
      if (special && (*special == Special::envreg || *special == Special::pm) && word.size() - digits <= 2) {
        operand.kind = Operand::Kind::special;
        operand.special = *special;
        operand.number = 0;
        for (const char c : word.substr(digits))
          operand.number = operand.number * 10 + static_cast<std::uint64_t>(c - '0');
        return operand;
      }
    }
    if (read_parts(name, operand)) return operand;
    if (const auto found = reader_.symbols.find(name); found != reader_.symbols.end()) {
      operand.kind = Operand::Kind::symbol;
      operand.symbol_kind = found->second.kind;
      operand.index = found->second.index;
      operand.offset = 0;
      return operand;
    }
    if (reader_.unknown == Unknown::keep && name[0] == '%') return operand;  // a special register
    reader_.fail(fmt::format("`{}` is not declared", name), token.line);
  }

  // `%r1.b0`, `%r2.h32`: bytes or halves of a register.
  bool read_parts(std::string_view name, Operand& operand) const {
    const std::size_t dot = name.rfind('.');
    if (dot == name.npos || row_of(opcode_).family != Family::video) return false;
    const std::string_view parts = name.substr(dot + 1);
    const bool halves = parts.starts_with('h');
    const std::size_t most = halves ? 2 : 4;
    if ((!halves && !parts.starts_with('b')) || parts.size() < 2 || parts.size() > 1 + most) return false;
    const auto named = find(name.substr(0, dot));
    if (!named || named->kind != Named::Kind::reg) return false;
    Index packed = halves ? Operand::halves : 0;
    for (std::size_t i = 1; i < parts.size(); ++i) {
      if (parts[i] < '0' || parts[i] > (halves ? '3' : '7')) return false;
      packed |= static_cast<Index>(parts[i] - '0') << (4 * (parts.size() - 1 - i));
    }
    operand.kind = Operand::Kind::reg;
    operand.reg = named->index;
    operand.index = packed;
    operand.count = static_cast<Index>(parts.size() - 1);
    return true;
  }

  // call (results), callee, (arguments), prototype;
  void read_call(Instruction& instruction) {
    Call call;
    if (reader_.peek().is('(')) {
      call.results = read_call_list();
      reader_.expect(',', "the result of a call");
    }
    const Token callee = reader_.next();
    if (const auto named = callee.is_word() ? find(callee.text) : std::nullopt;
        named && named->kind == Named::Kind::reg) {
      call.callee.kind = Operand::Kind::reg;
      call.callee.reg = named->index;
    } else {
      call.callee.kind = Operand::Kind::symbol;
      call.callee.symbol_kind = SymbolKind::function;
      call.callee.index = function_named(callee);
    }
    if (reader_.accept(',')) {
      if (reader_.peek().is('(')) {
        call.arguments = read_call_list();
        if (reader_.accept(',')) read_call_targets(call);
      } else {
        read_call_targets(call);
      }
    }
    instruction.call = static_cast<Index>(function_.calls.size());
    function_.calls.push_back(std::move(call));
  }

  void read_call_targets(Call& call) {
    const Token token = reader_.next();
    const auto named = token.is_word() ? find(token.text) : std::nullopt;
    if (named && named->kind == Named::Kind::prototype)
      call.prototype = named->index;
    else if (named && named->kind == Named::Kind::call_list)
      call.candidates = call_lists_[named->index];
    else
      reader_.fail(fmt::format("`{}` is no prototype", token.text), token.line);
  }

  std::vector<Operand> read_call_list() {
    std::vector<Operand> list;
    reader_.expect('(', "a call");
    if (reader_.accept(')')) return list;
    do {
      if (list.size() == operand_limit) reader_.fail(fmt::format("a call has more than {} arguments", operand_limit));
      list.push_back(read_simple());
    } while (reader_.accept(','));
    reader_.expect(')', "arguments");
    return list;
  }

  Reader& reader_;
  Function& function_;
  std::vector<Scope> scopes_;
  std::deque<std::string> names_;  // what the keys of scopes view, where the text does not hold them
  std::vector<std::vector<Index>> call_lists_;
  std::vector<Operand> operands_;  // of the instruction being read
  Opcode opcode_{};                // its word
  std::size_t pending_first_ = 0;
};

}  // namespace

void read_body(Reader& reader, Function& function) { BodyParser(reader, function).parse(); }

}  // namespace xcuda::ptx
