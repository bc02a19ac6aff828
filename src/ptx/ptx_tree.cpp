#include "ptx/ptx_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace xcuda::ptx {

double Operand::floating() const {
  if (kind == Kind::float32) return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  return std::bit_cast<double>(bits);
}

std::string Function::register_name(Register reg) const {
  const auto after = std::upper_bound(register_ranges.begin(), register_ranges.end(), reg,
                                      [](Register r, const RegisterRange& range) { return r < range.first; });
  if (after == register_ranges.begin()) return "?";
  const RegisterRange& range = *std::prev(after);
  return range.count ? fmt::format("{}{}", range.prefix, reg - range.first) : range.prefix;
}

const Function* Module::find_function(std::string_view name) const {
  const auto found =
      std::find_if(functions.begin(), functions.end(), [&](const Function& f) { return f.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

const Variable* Module::find_variable(std::string_view name) const {
  const auto found =
      std::find_if(variables.begin(), variables.end(), [&](const Variable& v) { return v.name == name; });
  return found == variables.end() ? nullptr : &*found;
}

namespace {

class Printer {
 public:
  Printer(const Module& module, const Function& function) : module_(module), function_(function) {}

  std::string print(const Instruction& instruction) {
    if (instruction.guarded())
      add("@{}{} ", instruction.guard_negated ? "!" : "", function_.register_name(instruction.guard));
    text_ += text_of(instruction);
    std::string_view separator = " ";
    for (const Operand& operand : function_.operands_of(instruction)) {
      add("{}", std::exchange(separator, ", "));
      print(operand);
    }
    if (instruction.call != kNoIndex) print(function_.calls[instruction.call]);
    if (instruction.targets != kNoIndex) {
      add("{}", separator);
      for (std::string_view before = "{"; const Index label : function_.target_lists[instruction.targets])
        add("{}{}", std::exchange(before, ", "), function_.labels[label].name);
      add("}}");
    }
    return std::move(text_);
  }

 private:
  template <class... Arguments> void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }

  std::string_view name_of(Symbol symbol) const {
    switch (symbol.kind) {
      case SymbolKind::variable: return module_.variables[symbol.index].name;
      case SymbolKind::local: return function_.variables[symbol.index].name;
      case SymbolKind::parameter: return function_.parameters[symbol.index].name;
      case SymbolKind::result: return function_.results[symbol.index].name;
      case SymbolKind::argument: return function_.arguments[symbol.index].name;
      case SymbolKind::function: return module_.functions[symbol.index].name;
      case SymbolKind::none: break;
    }
    return "?";
  }

  void print(const Operand& operand) {
    switch (operand.kind) {
      case Operand::Kind::discard: add("_"); break;
      case Operand::Kind::reg:
        add("{}{}", operand.negated ? function_.registers[operand.reg] == Type::pred ? "!" : "-" : "",
            function_.register_name(operand.reg));
        if (operand.count) add(".{}", operand.index & Operand::kHalves ? 'h' : 'b');
        for (Index i = operand.count; i-- > 0;) add("{}", operand.part(i));
        break;
      case Operand::Kind::special:
        add("{}", text_of(operand.special));
        if (is_numbered(operand.special)) add("{}", operand.number);
        break;
      case Operand::Kind::integer: add("{}", operand.integer()); break;
      case Operand::Kind::float32: add("0f{:08X}", operand.bits); break;
      case Operand::Kind::float64: add("0d{:016X}", operand.bits); break;
      case Operand::Kind::symbol:
        add("{}", name_of(operand.symbol()));
        if (operand.offset) add("{:+}", operand.offset);
        break;
      case Operand::Kind::label: add("{}", function_.labels[operand.index].name); break;
      case Operand::Kind::vector:
        add("{{");
        for (std::string_view before; const Operand& element : function_.elements_of(operand)) {
          add("{}", std::exchange(before, ", "));
          print(element);
        }
        add("}}");
        break;
      case Operand::Kind::address:
        add("[");
        if (operand.reg != kNoIndex)
          add("{}", function_.register_name(operand.reg));
        else if (operand.symbol_kind != SymbolKind::none)
          add("{}", name_of(operand.symbol()));
        if (operand.reg == kNoIndex && operand.symbol_kind == SymbolKind::none)
          add("{}", operand.offset);
        else if (operand.offset)
          add("{:+}", operand.offset);
        add("]");
        break;
    }
    if (operand.second != kNoIndex) add("|{}", function_.register_name(operand.second));
  }

  void print_list(const std::vector<Operand>& list) {
    add("(");
    for (std::string_view before; const Operand& operand : list) {
      add("{}", std::exchange(before, ", "));
      print(operand);
    }
    add(")");
  }

  void print(const Call& call) {
    add(" ");
    if (!call.results.empty()) {
      print_list(call.results);
      add(", ");
    }
    print(call.callee);
    add(", ");
    print_list(call.arguments);
  }

  const Module& module_;
  const Function& function_;
  std::string text_;
};

}  // namespace

std::string text_of(const Operation& operation) {
  std::string text(text_of(operation.opcode));
  const auto add_types = [&] {
    for (int i = 0; i < operation.type_count; ++i) text.append(".").append(text_of(operation.types[i]));
  };
  for (int i = 0; i < operation.modifier_count; ++i) {
    if (i == operation.types_at) add_types();
    text.append(".").append(text_of(operation.modifiers[i]));
  }
  if (operation.types_at >= operation.modifier_count) add_types();
  return text;
}

std::string text_of(const Module& module, const Function& function, const Instruction& instruction) {
  return Printer(module, function).print(instruction);
}

}  // namespace xcuda::ptx
