#include "language/python/python_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.hpp"
#include "language/functions.hpp"
#include "language/habits.hpp"
#include "language/python/python_parser.hpp"
#include "language/python/python_words.hpp"
#include "language/python/tokens.hpp"

namespace xcuda::language {
namespace {

bool is_name_alone(std::string_view text) {
  const auto tokens = python_tokens(text);
  return tokens && tokens->size() == 2 && (*tokens)[0].kind == PythonToken::Kind::name;
}

// Where the '=' of an assignment is, also of += and its like; npos without one.
std::size_t assignment_in(const std::vector<PythonToken>& tokens) {
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto& text = tokens[i].text;
    if (tokens[i].kind != PythonToken::Kind::mark) continue;
    if (text == "(" || text == "[" || text == "{") ++depth;
    if (text == ")" || text == "]" || text == "}") --depth;
    const bool comparison = text == "==" || text == "!=" || text == "<=" || text == ">=";
    if (depth == 0 && text.ends_with("=") && !comparison) return i;
  }
  return std::string::npos;
}

// The names of "a, b"; empty where it is anything else.
std::vector<std::string> names_in(const std::vector<PythonToken>& tokens, std::size_t end) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < end; ++i) {
    const bool name = i % 2 == 0;
    if (name != (tokens[i].kind == PythonToken::Kind::name) || (!name && tokens[i].text != ",")) return {};
    if (name) names.emplace_back(tokens[i].text);
  }
  return end % 2 == 1 ? names : std::vector<std::string>{};
}

// np.random.seed(0), torch.manual_seed(0), rng = np.random.default_rng(0): what follows is drawn with it.
struct Seeding {
  std::optional<std::uint64_t> seed;  // none of default_rng()
};

std::optional<Seeding> seed_in(const std::vector<PythonToken>& tokens) {
  static constexpr std::string_view kSeeds[] = {"seed", "manual_seed", "default_rng", "RandomState"};
  const auto count = tokens.size();
  if (count < 4 || tokens[count - 2].text != ")") return std::nullopt;
  const bool empty = tokens[count - 3].text == "(";
  const auto open = count - (empty ? 3 : 4);
  if (open < 2 || tokens[open].text != "(" || (empty && tokens[open - 1].text == "seed")) return std::nullopt;
  const bool alone = std::none_of(
      tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(open),
      [](const PythonToken& one) { return one.kind != PythonToken::Kind::name && one.text != "." && one.text != "="; });
  const auto before = tokens[open - 2].text;
  if (!alone || !among(tokens[open - 1].text, kSeeds) || (before != "." && before != "=")) return std::nullopt;
  if (empty) return Seeding{};
  const auto number = tokens[count - 3].text;
  const bool digits = number.size() < 19 && number.find_first_not_of("0123456789") == std::string_view::npos;
  return digits ? std::optional(Seeding{std::stoull(std::string(number))}) : std::nullopt;
}

// "x = 5" of "x = 5  # as before"; all of it where # is in a text, or begins the line.
std::string_view before_comment(std::string_view text) {
  char quote = 0;
  for (std::size_t at = 1; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0 && c == '\\')
      ++at;
    else if (quote != 0 && c == quote)
      quote = 0;
    else if (quote == 0 && (c == '"' || c == '\''))
      quote = c;
    else if (quote == 0 && c == '#' && text[at - 1] == ' ' && text[0] != '#' && text[0] != '!' && text[0] != '%')
      return trim(text.substr(0, at));
  }
  return text;
}

// Up to the semicolon that ends the first of several statements; the end of the text if there is one.
std::size_t end_of_first(std::string_view text) {
  if (text.starts_with('!') || text.starts_with('%')) return text.size();
  int depth = 0;
  char quote = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0) {
      if (c == '\\') ++at;
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    } else if (c == ';' && depth == 0) {
      const auto rest = trim(text.substr(at + 1));
      return rest.empty() || rest.starts_with("//") || rest.starts_with("/*") ? text.size() : at + 1;
    }
  }
  return text.size();
}

// "cd /tmp", "cat x.cu": IPython runs these without a mark.
std::optional<std::string> shell_line(std::string_view text, const PythonNames& names) {
  const auto end = std::min(text.find(' '), text.size());
  const auto first = text.substr(0, end), rest = trim(text.substr(end));
  const auto* row = find_habit(Habit::Kind::shell, first);
  if (row == nullptr || names.known(std::string(first)) || text.ends_with(";")) return std::nullopt;
  const bool other = !rest.empty() && std::string_view("=(*&<[{").find(rest[0]) != std::string_view::npos;
  return other ? std::nullopt : std::optional(fmt::format(fmt::runtime(row->advice), text));
}

}  // namespace

PythonNames PythonLines::own_names() {
  return {[this](const std::string& name) { return declared_.contains(name) || names_.known(name); },
          names_.rank,
          names_.kind,
          names_.kernel,
          names_.extents,
          [this] { return seed_ ? std::to_string((*seed_)++) : std::string(); }};
}

bool PythonLines::keeps_its_form(const std::string& name, const std::string& value, const PythonNames& names) const {
  // x = arange(10) fills x with what begins at 10.
  const auto function = value.substr(0, value.find('('));
  if (const auto found = find_function(function); found && is_initial_value(found->row->operation)) return false;
  if (!names.kind || !names.extents) return true;
  const auto had = names.kind(name), has = names.kind(value);
  const auto shape = names.extents(name), given = names.extents(value);
  if (!has && !given) return true;  // the run says
  const bool known = !given || std::all_of(given->begin(), given->end(), [](const Extent& one) { return one; });
  return had == has && shape == given && known;
}

bool PythonLines::becomes_real(const std::string& name, const std::string& op, const std::string& value,
                               const PythonNames& names) {
  if (!declared_.contains(name) || !names.kind || names.rank(name) != 0) return false;
  const auto had = names.kind(name), has = names.kind(value);
  if (!had || !is_integer(*had) || !(op == "/=" || (has && is_floating(*has)))) return false;
  return real_.insert(name).second;
}

std::optional<std::string> PythonLines::translated(std::string_view line, Place place) {
  const auto text = trim(line);
  if (text.starts_with("import ") || text.starts_with("from ")) {
    const auto next = text.find(';');
    return next == std::string_view::npos ? "" : translated(text.substr(next + 1), place);
  }
  if (const auto begin = end_of_timing(text); begin > 0) {  // %timeit -n 10 np.dot(x, y)
    const auto here = translated(text.substr(begin));
    return here ? std::optional(fmt::format("{}{}", text.substr(0, begin), *here)) : std::nullopt;
  }
  if (const auto code = before_comment(text); code.size() < text.size() && !code.empty()) {
    if (auto here = translated(code, place)) return here;
    return code.ends_with(';') ? std::string(code) : fmt::format("{};", code);
  }
  if (const auto end = end_of_first(text); end < text.size()) {  // y = np.sin(x); y
    const auto first = text.substr(0, end), rest = trim(text.substr(end));
    const auto one = translated(first, place == Place::last ? Place::cell : place), other = translated(rest, place);
    if (!one && !other) return std::nullopt;
    return fmt::format("{}{} {}", one.value_or(std::string(first)), one && !one->ends_with(';') ? ";" : "",
                       other.value_or(std::string(rest)));
  }
  if (const auto command = text.find("= !"); command != std::string_view::npos && command > 1 &&
                                             text.find_first_of("=<>!(") == command && !text.ends_with(";")) {
    const auto declared = trim(text.substr(0, command));  // auto files = !ls
    return fmt::format("!{} > {}.txt", trim(text.substr(command + 3)), declared.substr(declared.rfind(' ') + 1));
  }
  if (const auto command = text.find("= %"); command != std::string_view::npos && command > 1 &&
                                             text.find_first_of("=<>!(%") == command && command + 3 < text.size() &&
                                             std::isalpha(static_cast<unsigned char>(text[command + 3])) != 0 &&
                                             trim(text.substr(0, command)).find(' ') == std::string_view::npos)
    return std::string(text.substr(command + 2));
  if (auto command = shell_line(text, names_)) return command;
  if (place == Place::block && (text == "break" || text == "continue")) return std::string(text) + ";";
  if (place == Place::block && text == "pass") return "";
  if (text.starts_with("assert ") && !text.ends_with(";")) {  // assert x == y, "message"
    auto tokens = python_tokens(text.substr(7));
    if (!tokens || tokens->size() < 2) return std::nullopt;
    PythonParser parser(*std::move(tokens), names_);
    const auto condition = parser.value();
    if (parser.accept(",")) parser.value();
    if (parser.failed() || !parser.at_end()) return std::nullopt;
    return fmt::format("{}assert({});", parser.before(), condition.text);
  }
  auto tokens = python_tokens(text);
  if (!tokens || tokens->size() < 2) return std::nullopt;
  if (const auto seed = seed_in(*tokens)) {
    seed_ = seed->seed;
    return "";
  }
  const bool ended = text.substr(tokens->back().begin).starts_with(";");
  const auto assigned = assignment_in(*tokens);
  const auto names = own_names();
  if (assigned == std::string::npos) {
    PythonParser parser(std::move(*tokens), names);
    if (place == Place::block) parser.show(PythonParser::Shows::nothing);
    if (place == Place::cell) parser.show(PythonParser::Shows::arrays);
    auto value = parser.expression();
    if (parser.failed() || !parser.at_end()) return std::nullopt;
    if (value.kind == PieceKind::statement)
      return parser.before() + value.text + (value.text.starts_with("%") ? "" : ";");
    if (value.kind == PieceKind::tuple && value.text.empty()) {
      const auto parts = parser.declared_parts(value);
      return parser.failed() ? std::nullopt : std::optional(parser.before() + parts);
    }
    const bool fresh = value.kind == PieceKind::new_array || value.kind == PieceKind::list;
    if (const auto asked = parser.asked_for(value); !asked.empty() && !parser.failed())
      return fmt::format("{}auto [{}] = {};", parser.before(), fmt::join(asked, ", "), value.text);
    value = parser.with_name(std::move(value));
    const bool same = !parser.changed() && !fresh && place == Place::line;
    if (parser.failed() || parser.gives_pieces() || same) return std::nullopt;
    // At the start of a line, ! is a shell's command.
    const bool command = value.text.starts_with("!") && parser.before().empty();
    return parser.before() + (command ? "(" + value.text + ")" : value.text) + (ended ? ";" : "");
  }
  const auto op = std::string((*tokens)[assigned].text);
  const auto left = trim(text.substr(0, (*tokens)[assigned].begin));
  auto targets = names_in(*tokens, assigned);
  const bool auto_one = assigned == 2 && (*tokens)[0].text == "auto" && (*tokens)[1].kind == PythonToken::Kind::name;
  if (auto_one) targets = {std::string((*tokens)[1].text)};
  const auto first = (*tokens)[0].text;
  const bool declares = assigned > 1 && (*tokens)[0].kind == PythonToken::Kind::name &&
                        ((*tokens)[1].kind == PythonToken::Kind::name || first == "auto");
  std::vector<PythonToken> right(tokens->begin() + static_cast<std::ptrdiff_t>(assigned) + 1, tokens->end());
  PythonNames taken = names;  // what the line declares is not free for others
  taken.known = [&](const std::string& name) {
    return std::find(targets.begin(), targets.end(), name) != targets.end() || names.known(name);
  };
  PythonParser parser(std::move(right), taken);
  auto value = parser.expression();
  const auto uses = [&](std::string_view text) {  // a name that is given another value
    const auto words = python_tokens(text);
    return !words || std::any_of(words->begin(), words->end(), [&](const PythonToken& one) {
      return std::find(targets.begin(), targets.end(), one.text) != targets.end();
    });
  };
  if (parser.at(",") && targets.size() == 2 && value.text == targets[1] && parser.peek(1).text == targets[0] &&
      parser.peek(2).kind == PythonToken::Kind::end && op == "=")
    return fmt::format("swap({}, {});", targets[0], targets[1]);
  if (parser.at(",")) {  // x, y = 1, 2
    std::string all;
    for (std::size_t i = 0; i < targets.size() && !parser.failed(); ++i) {
      if ((names.known(targets[i]) && (place == Place::block || uses(value.text))) ||
          value.kind != PieceKind::expression || (i > 0 && !parser.before().empty()))
        return std::nullopt;
      all += fmt::format("{}auto {} = {};", i == 0 ? "" : " ", targets[i], value.text);
      const bool more = parser.accept(",");
      if (more != (i + 1 < targets.size())) return std::nullopt;
      if (more) value = parser.expression();
    }
    if (parser.failed() || !parser.at_end() || op != "=" || targets.empty()) return std::nullopt;
    for (const auto& name : targets) declared_.insert(name);
    return parser.before() + all;
  }
  if (parser.at("=") && targets.size() == 1 && op == "=" && is_name_alone(value.text)) {  // a = b = 0
    const auto rest = trim(text.substr((*tokens)[assigned].begin + 1));
    const auto first_one = translated(rest, place).value_or(fmt::format("{};", rest));
    const bool known = names.known(targets[0]);
    declared_.insert(targets[0]);
    return fmt::format("{} {}{} = {};", first_one, known ? "" : "auto ", targets[0], value.text);
  }
  if (parser.failed() || !parser.at_end()) return std::nullopt;
  if (parser.gives_pieces() && targets.size() == 1 && op == "=" && !names.known(targets[0]))  // a name for each
    return fmt::format("{}auto [{}] = {};", parser.before(), fmt::join(parser.asked_for(value, targets[0]), ", "),
                       value.text);
  if (parser.gives_pieces() && targets.size() < 2) return std::nullopt;
  if (value.kind == PieceKind::tuple && targets.size() == value.parts.size() && op == "=") {
    if (std::any_of(targets.begin(), targets.end(), names.known)) return std::nullopt;
    for (const auto& name : targets) declared_.insert(name);
    return parser.before() + parser.declared_parts(value, targets);
  }
  if (value.kind == PieceKind::tuple && targets.size() > 1) return std::nullopt;
  const bool fresh = targets.size() == 1 && (auto_one || !names.known(targets[0]));
  std::string target(left), before;
  bool changed = parser.changed();
  if (targets.size() > 1) {
    target = fmt::format("auto [{}]", fmt::join(parser.names_of_results(targets), ", "));
    changed = true;
  } else if (targets.empty() && !declares) {
    auto others = names;  // what the value needs has its names
    others.known = [&](const std::string& name) {
      return parser.before().find(" " + name + "[") != std::string::npos || names.known(name);
    };
    PythonParser left_side(*python_tokens(left), others);
    target = left_side.value().text;
    before = left_side.before();
    if (left_side.failed() || !left_side.at_end()) return std::nullopt;
    changed = changed || left_side.changed();
  }
  const bool other_list = [&] {  // x = [1, 2, 3] where x has another shape
    if (value.kind != PieceKind::list || targets.size() != 1 || op != "=" || !names.extents || declares) return false;
    const auto shape = names.extents(targets[0]);
    return place != Place::block && shape && (shape->size() != 1 || shape->front() != value.parts.size());
  }();
  if (value.kind == PieceKind::new_array || (value.kind == PieceKind::list && (fresh || other_list))) {
    if (value.kind == PieceKind::list) value = array_of_list(value, std::nullopt, &names).value_or(PythonPiece{});
    if (targets.size() == 1 && op == "=") {
      declared_.insert(targets[0]);
      return fmt::format("{}{} {}{} = {};", parser.before(), value.type, targets[0], value.extents, value.text);
    }
    if (!declares) value = parser.with_name(std::move(value));
  } else if (value.kind != PieceKind::list) {
    value = parser.with_name(std::move(value));
  }
  if (parser.failed()) return std::nullopt;
  const bool one = targets.size() == 1 && !auto_one && !fresh && !declares;
  if (one && becomes_real(targets[0], op, value.text, names)) return std::nullopt;
  const bool renewed = one && op == "=" && (changed || place != Place::line) && value.kind == PieceKind::expression &&
                       (!parser.before().empty() || !keeps_its_form(targets[0], value.text, names));
  if (renewed && place == Place::block) return std::nullopt;  // it would be another of that name
  if (op == "**=") return fmt::format("{}{}{} = pow({}, {});", before, parser.before(), target, target, value.text);
  if (op == "@=" || op == "//=") return std::nullopt;
  if (((fresh && !auto_one) || renewed) && op == "=") {
    target = (real_.contains(target) ? "double " : "auto ") + target;
    changed = true;
  }
  for (const auto& name : targets) declared_.insert(name);
  if (!changed && place == Place::line) return std::nullopt;
  return fmt::format("{}{}{} {} {};", parser.before(), before, target, op, value.text);
}

}  // namespace xcuda::language
