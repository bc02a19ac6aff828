#include "cell/dump.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace xcuda::cell {
namespace {

template <class... Visitors> struct Overload : Visitors... { using Visitors::operator()...; };
template <class... Visitors> Overload(Visitors...) -> Overload<Visitors...>;

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + "\"";
}

std::string show(const ExpressionPtr& expression) { return expression ? dump(*expression) : "-"; }

std::string show(const std::vector<Argument>& arguments) {
  std::string text;
  for (const auto& argument : arguments)
    text += (argument.name.empty() ? " " : " " + argument.name + "=") + show(argument.value);
  return text;
}

class Writer {
 public:
  explicit Writer(const Cell& cell) : cell_(cell) {}

  std::string cell() {
    if (cell_.magic) magic(*cell_.magic, "%%");
    for (const auto& piece : cell_.device) device(piece);
    for (const auto& one : cell_.statements) statement(*one);
    return std::move(out_);
  }

 private:
  void line(std::string_view text) {
    out_ += std::string(static_cast<std::size_t>(depth_) * 2, ' ') + std::string(text) + "\n";
  }
  template <class Body> void inside(Body body) {
    ++depth_;
    body();
    --depth_;
  }

  void magic(const Magic& magic, std::string_view mark) {
    std::string words;
    for (const auto& word : magic.words) words += " " + (word.quoted ? in_quotes(word.text) : word.text);
    line(fmt::format("{}{}{}", mark, magic.name, words));
    inside([&] {
      if (magic.whole_cell && magic.takes == MagicText::words) line("body " + in_quotes(magic.body));
      for (const auto& one : magic.statements) statement(*one);
    });
  }

  void device(const DevicePiece& piece) {
    static constexpr std::string_view kKinds[] = {"directive", "function", "prototype", "variable",
                                                  "type",      "alias",    "namespace", "other"};
    const auto at = line_column(cell_.text, piece.span.begin);
    std::string text = fmt::format("{}device {} {}", std::string(static_cast<std::size_t>(piece.nesting) * 2, ' '),
                                   kKinds[static_cast<std::size_t>(piece.kind)], piece.name.empty() ? "-" : piece.name);
    if (piece.container) text += " container";
    if (!piece.directive.empty()) text += " #" + piece.directive;
    if (piece.kernel) text += " kernel";
    if (piece.extern_c) text += " extern-c";
    if (piece.is_template) text += " template";
    if (piece.device_variable) text += piece.constant_variable ? " constant" : " device";
    if (piece.constexpr_variable) text += " constexpr";
    if (piece.function_like_macro) text += " function-like";
    if (!piece.type.empty()) text += " type=" + in_quotes(piece.type);
    for (const auto& extent : piece.extents) text += "[" + extent + "]";
    if (piece.kind == DeviceKind::function || piece.kind == DeviceKind::prototype || piece.function_like_macro) {
      text += " (";
      for (std::size_t i = 0; i < piece.parameter_names.size(); ++i)
        text += (i > 0 ? ", " : "") + (piece.parameter_names[i].empty() ? "-" : piece.parameter_names[i]);
      text += ")";
    }
    if (!piece.value.empty()) text += " value=" + in_quotes(piece.value);
    for (const auto& [name, value] : piece.enumerators) text += " " + name + "=" + (value.empty() ? "+1" : value);
    for (const auto& use : piece.host_uses) text += " host:" + use.name;
    line(fmt::format("{} @{}:{}", text, at.line, at.column));
    if (!piece.key.empty())
      line(fmt::format("{}  key {}", std::string(static_cast<std::size_t>(piece.nesting) * 2, ' '),
                       in_quotes(piece.key)));
  }

  void declaration(const Declaration& node) {
    if (node.unpacked != nullptr) line("unpack " + show(node.unpacked));
    for (const auto& one : node.declarators) {
      std::string text = fmt::format(
          "declare {}{}{}{}{} {}", node.is_static ? "static " : "", node.is_const ? "const " : "", node.type,
          one.pointer ? "*" : "", one.reference ? "&" : "", one.function ? fmt::format("(*{})()", one.name) : one.name);
      for (const auto& extent : one.extents) text += "[" + (extent ? show(extent) : std::string()) + "]";
      switch (one.style) {
        case Declarator::Init::none: break;
        case Declarator::Init::equals: text += " = " + show(one.init); break;
        case Declarator::Init::parentheses:
          text += " (" + (one.init ? " " + show(one.init) : show(one.constructor)) + " )";
          break;
        case Declarator::Init::braces: text += " " + show(one.init); break;
      }
      line(text);
    }
  }

  void body(std::string_view title, const StatementPtr& one) {
    if (!title.empty()) line(title);
    inside([&] { one ? statement(*one) : line("-"); });
  }

  void statement(const Statement& one) {
    std::visit(
        Overload{
            [&](const Declaration& node) { declaration(node); },
            [&](const Launch& node) {
              std::string text = "launch " + node.kernel.text + " <<<";
              for (const auto& value : node.configuration) text += " " + show(value);
              line(text + " >>>" + show(node.arguments) + (node.shown ? " shown" : ""));
            },
            [&](const ExpressionStatement& node) { line((node.shown ? "show " : "do ") + show(node.expression)); },
            [&](const Block& node) {
              line("block");
              inside([&] {
                for (const auto& inner : node.statements) statement(*inner);
              });
            },
            [&](const If& node) {
              line("if " + show(node.condition));
              body("", node.then);
              if (node.otherwise) body("else", node.otherwise);
            },
            [&](const For& node) {
              line("for");
              inside([&] {
                body("init", node.init);
                line("while " + show(node.condition));
                line("step " + show(node.step));
                body("body", node.body);
              });
            },
            [&](const RangeFor& node) {
              line("for each of " + show(node.range));
              inside([&] { declaration(node.variable); });
              body("", node.body);
            },
            [&](const Switch& node) {
              line("switch " + show(node.value));
              inside([&] {
                auto label = node.labels.begin();
                for (std::size_t i = 0; i <= node.statements.size(); ++i) {
                  for (; label != node.labels.end() && label->before == i; ++label)
                    line(label->last    ? "case " + show(label->value) + " ... " + show(label->last)
                         : label->value ? "case " + show(label->value)
                                        : "default");
                  if (i < node.statements.size()) statement(*node.statements[i]);
                }
              });
            },
            [&](const While& node) {
              line("while " + show(node.condition));
              body("", node.body);
            },
            [&](const DoWhile& node) {
              line("repeat while " + show(node.condition));
              body("", node.body);
            },
            [&](const OnDevice& node) {
              line("on device " + show(node.device));
              body("", node.body);
            },
            [&](const Try& node) {
              line("try");
              body("", node.body);
              for (const auto& handler : node.handlers) {
                line(handler.caught.declarators.empty() ? "catch all" : "catch");
                if (!handler.caught.declarators.empty()) inside([&] { declaration(handler.caught); });
                body("", handler.body);
              }
            },
            [&](const Break&) { line("break"); },
            [&](const Continue&) { line("continue"); },
            [&](const Return& node) { line("return " + show(node.value)); },
            [&](const Empty&) { line("empty"); },
            [&](const Magic& node) { magic(node, "%"); },
            [&](const Shell& node) { line("shell " + in_quotes(node.command)); },
            [&](const Help& node) { line(std::string("help ") + node.name + (node.source ? " source" : "")); },
        },
        one.node);
  }

  const Cell& cell_;
  std::string out_;
  int depth_ = 0;
};

}  // namespace

std::string dump(const Expression& expression) {
  return std::visit(
      Overload{
          [](const IntegerLiteral& node) {
            constexpr std::string_view kTypes[2][3] = {{"", ":long", ":long long"},
                                                       {":unsigned int", ":unsigned long", ":unsigned long long"}};
            return fmt::format("{}{}", node.value, kTypes[node.is_unsigned ? 1 : 0][node.longs]);
          },
          [](const FloatingLiteral& node) { return fmt::format("{}{}", node.value, node.single ? "f" : "d"); },
          [](const BoolLiteral& node) { return std::string(node.value ? "true" : "false"); },
          [](const CharLiteral& node) { return fmt::format("char:{}", node.value); },
          [](const StringLiteral& node) { return in_quotes(node.value); },
          [](const Name& node) { return node.text; },
          [](const Unary& node) {
            return fmt::format("({}{} {})", is_after(node.op) ? "post" : "", spelling(node.op), show(node.operand));
          },
          [](const Binary& node) {
            return fmt::format("({} {} {})", spelling(node.op), show(node.left), show(node.right));
          },
          [](const Assignment& node) {
            return fmt::format("({}= {} {})", node.op ? spelling(*node.op) : "", show(node.target), show(node.value));
          },
          [](const Ternary& node) {
            return fmt::format("(? {} {} {})", show(node.condition), show(node.yes), show(node.no));
          },
          [](const Cast& node) {
            constexpr std::string_view kStyles[] = {"c", "functional", "braces", "named", "reinterpret"};
            return fmt::format("({} <{}> {})", kStyles[static_cast<std::size_t>(node.style)], node.type,
                               show(node.operand));
          },
          [](const Call& node) { return fmt::format("(call {}{})", show(node.callee), show(node.arguments)); },
          [](const Index& node) {
            std::string text = "([] " + show(node.base);
            for (const auto& one : node.subscripts)
              text += " " + (one.slice ? fmt::format("{}:{}:{}", show(one.start), show(one.stop), show(one.step))
                                       : show(one.start));
            return text + ")";
          },
          [](const Member& node) {
            return fmt::format("({} {} {})", node.arrow ? "->" : ".", show(node.base), node.member);
          },
          [](const List& node) {
            std::string text = "{";
            for (const auto& one : node.elements) text += (text.size() > 1 ? " " : "") + show(one);
            return text + "}";
          },
          [](const SizeOf& node) {
            const auto of = node.operand ? show(node.operand) : "<" + node.type + ">";
            if (node.what == SizeOf::What::offset) return fmt::format("(offsetof {} {})", of, node.member);
            return fmt::format("({} {})", node.what == SizeOf::What::size ? "sizeof" : "alignof", of);
          },
          [](const Lambda& node) { return "(lambda " + in_quotes(node.text) + ")"; },
          [](const LaunchText& node) { return "(launch " + in_quotes(node.text) + ")"; },
      },
      expression.node);
}

std::string dump(const Cell& cell) { return Writer(cell).cell(); }

}  // namespace xcuda::cell
