#include "command/magic_arguments.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>

#include "base/text.hpp"
#include "base/type.hpp"

namespace xcuda::command {
namespace {

template <class Number> std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

// A number and its unit.
std::optional<std::pair<double, std::string>> split_unit(std::string_view text) {
  text = trim(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  return std::pair{value, std::string(trim(text.substr(static_cast<std::size_t>(end - text.data()))))};
}

bool is_operator(char c) { return std::string_view("+-*/%<>=!&|^?:").find(c) != std::string_view::npos; }

// What an expression still needs.
enum class Needs : std::uint8_t { nothing, operand, bracket };
Needs needs_of(std::string_view text) {
  int depth = 0;
  for (const char c : text) depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
  return depth > 0 ? Needs::bracket : is_operator(text.back()) ? Needs::operand : Needs::nothing;
}

// Whether a word can only follow an operand: "*", "+ 1", "/2". "-2" may be an option.
bool continues(std::string_view text) {
  if (text == "-") return true;
  return is_operator(text.front()) && text.front() != '-' && text.front() != '!';
}

std::string_view wanted(OptionType type) {
  switch (type) {
    case OptionType::integer: return "an integer";
    case OptionType::number: return "a number";
    case OptionType::duration: return "a time such as 5, 5s or 500ms";
    case OptionType::bytes: return "a size such as 4096, 16k or 2MiB";
    default: return "text";
  }
}

}  // namespace

std::optional<std::int64_t> parse_bytes(std::string_view text) {
  const auto split = split_unit(text);
  if (!split) return std::nullopt;
  struct Unit {
    std::string_view name;
    double bytes;
  };
  static constexpr Unit kUnits[] = {{"", 1},        {"b", 1},         {"k", 1 << 10},   {"kib", 1 << 10},
                                    {"kb", 1e3},    {"m", 1 << 20},   {"mib", 1 << 20}, {"mb", 1e6},
                                    {"g", 1 << 30}, {"gib", 1 << 30}, {"gb", 1e9}};
  std::string unit = split->second;
  for (auto& c : unit) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const auto& known : kUnits) {
    const double bytes = split->first * known.bytes;
    if (unit == known.name && std::abs(bytes) < 9e18) return static_cast<std::int64_t>(bytes);
  }
  return std::nullopt;
}

std::optional<double> parse_duration(std::string_view text) {
  const auto split = split_unit(text);
  if (!split) return std::nullopt;
  struct Unit {
    std::string_view name;
    double seconds;
  };
  static constexpr Unit kUnits[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"min", 60}, {"h", 3600}};
  for (const auto& known : kUnits)
    if (split->second == known.name) return split->first * known.seconds;
  return std::nullopt;
}

const Arguments::Given* Arguments::find(std::string_view option) const {
  for (auto given = given_.rbegin(); given != given_.rend(); ++given)  // the last one counts
    if (given->option == option) return &*given;
  return nullptr;
}
std::optional<std::int64_t> Arguments::integer(std::string_view option) const {
  const auto* given = find(option);
  return given == nullptr ? std::nullopt : std::optional(given->integer);
}
std::optional<double> Arguments::number(std::string_view option) const {
  const auto* given = find(option);
  return given == nullptr ? std::nullopt : std::optional(given->number);
}
std::optional<std::string> Arguments::text(std::string_view option) const {
  const auto* given = find(option);
  return given == nullptr ? std::nullopt : std::optional(given->word.text);
}
std::optional<cell::Word> Arguments::word(std::string_view option) const {
  const auto* given = find(option);
  return given == nullptr ? std::nullopt : std::optional(given->word);
}

std::vector<cell::Word> Arguments::words(std::string_view option) const {
  std::vector<cell::Word> words;
  for (const auto& given : given_)
    if (given.option == option) words.push_back(given.word);
  return words;
}

// Reads the words of one magic from left to right.
class ArgumentReader {
 public:
  ArgumentReader(const Command& command, const cell::Magic& magic, const ArgumentText& where)
      : command_(command), magic_(magic), where_(where) {}

  Arguments read() {
    const bool takes_statements =
        (magic_.takes == cell::MagicText::statements || magic_.takes == cell::MagicText::declarations) &&
        !magic_.whole_cell;
    if (command_.operand == Operand::raw || command_.operand == Operand::variable) {
      result_.operands = magic_.words;
      return std::move(result_);
    }
    for (next_ = 0; next_ < magic_.words.size(); ++next_) {
      const auto& word = magic_.words[next_];
      // What a setting is set to may begin with a minus, and what is wrong with it is for the setting to say.
      const bool is_value = command_.operand == Operand::setting && next_ > 0;
      const bool is_option = looks_like_option(word) && !is_value;
      if (is_option && word.text == "--" && command_.operand == Operand::program) {
        result_.operands.assign(magic_.words.begin() + static_cast<std::ptrdiff_t>(next_) + 1, magic_.words.end());
        break;
      }
      if (is_option && word.text == "--") continue;
      if (is_option && read_option(word)) continue;
      if (command_.compiler_options || command_.operand == Operand::program) {
        result_.compiler.push_back(word);
        continue;
      }
      if (takes_statements && is_option) unknown(word);
      if (takes_statements) {
        result_.statements = {word.span.begin, magic_.words.back().span.end};
        return std::move(result_);
      }
      if (joins(word)) continue;
      if (is_option) unknown(word);
      result_.operands.push_back(word);
      if (takes_arrays()) result_.operands.back().text = written(word.span);  // load("x.npy") keeps its quotes
    }
    if (command_.operand == Operand::statements && magic_.whole_cell && !result_.operands.empty())
      throw Error(ErrorKind::value, fmt::format("{} takes no statements on its line", title()))
          .advise("Write them below it.")
          .at(place(result_.operands.front().span));
    return std::move(result_);
  }

 private:
  bool takes_arrays() const { return command_.operand == Operand::array || command_.operand == Operand::arrays; }
  std::string written(cell::Span span) const {
    return std::string(where_.text.substr(span.begin, span.end - span.begin));
  }
  Needs needs() const {
    return takes_arrays() && !result_.operands.empty() ? needs_of(result_.operands.back().text) : Needs::nothing;
  }
  bool looks_like_option(const cell::Word& word) const {
    if (word.quoted || word.text.size() < 2 || word.text[0] != '-' || needs() == Needs::bracket) return false;
    return word.text[1] == '-' || needs() == Needs::nothing;  // "u * -1" goes on
  }

  // Whether the word is more of the last operand, an expression with blanks: "u[0:96, ::2]", "a * 2".
  bool joins(const cell::Word& word) {
    if (!takes_arrays() || result_.operands.empty()) return false;
    if (needs() == Needs::nothing && (word.quoted || !continues(word.text))) return false;
    auto& operand = result_.operands.back();
    operand.span.end = word.span.end;
    operand.text = written(operand.span);
    return true;
  }

  Place place(cell::Span span) const {
    const auto [line, column] = line_column(where_.text, span.begin);
    return {std::string(where_.source), line, column, static_cast<int>(span.end - span.begin),
            std::string(line_text(where_.text, line))};
  }

  std::string title() const { return (magic_.whole_cell ? "%%" : "%") + std::string(command_.name); }

  static bool is_joined(const Option& option, const cell::Word& word) {
    return option.type == OptionType::integer && option.name.size() == 2 && word.text.starts_with(option.name) &&
           word.text.size() > 2 && std::isdigit(static_cast<unsigned char>(word.text[2])) != 0;
  }

  // Whether the word is one of the command's own options; its value is taken with it.
  bool read_option(const cell::Word& word) {
    const auto equals = word.text.find('=');
    const auto name = std::string_view(word.text).substr(0, equals);
    for (const auto& [refused, advice] : command_.refused_options)
      if (refused == name)
        throw Error(ErrorKind::unsupported, fmt::format("{} has no option {}", title(), name))
            .advise(std::string(advice))
            .at(place(word.span));
    for (const auto& option : command_.options) {
      if (is_joined(option, word)) {  // -n3
        Arguments::Given given{option.name, word};
        given.word.text = word.text.substr(2);
        given.word.span.begin += 2;
        read_value(option, word, given);
        result_.given_.push_back(std::move(given));
        return true;
      }
      if (option.name != name) continue;
      Arguments::Given given{option.name, word};
      if (option.type == OptionType::flag) {
        if (equals != std::string::npos)
          throw Error(ErrorKind::value, fmt::format("{} takes no value", name)).at(place(word.span));
      } else {
        if (equals != std::string::npos) {
          given.word.text = word.text.substr(equals + 1);
          given.word.span.begin += static_cast<std::uint32_t>(equals + 1);
        } else if (next_ + 1 < magic_.words.size()) {
          given.word = magic_.words[++next_];
        } else {
          given.word.text.clear();
        }
        read_value(option, word, given);
      }
      result_.given_.push_back(std::move(given));
      return true;
    }
    return false;
  }

  void read_value(const Option& option, const cell::Word& word, Arguments::Given& given) {
    const auto& text = given.word.text;
    if (text.empty())
      throw Error(ErrorKind::value, fmt::format("{} of {} needs a value", option.name, title()))
          .advise(fmt::format("Write {} {}: {}.", option.name, option.value, option.help))
          .at(place(word.span));
    const auto wrong = [&](std::string_view expected) {
      return Error(ErrorKind::value, fmt::format("{} of {} takes {}, not \"{}\"", option.name, title(), expected, text))
          .advise(fmt::format("Write {} {}: {}.", option.name, option.value, option.help))
          .at(place(given.word.span));
    };
    switch (option.type) {
      case OptionType::integer:
      case OptionType::bytes: {
        const auto value = option.type == OptionType::bytes ? parse_bytes(text) : parse_number<std::int64_t>(text);
        if (!value) throw wrong(wanted(option.type));
        if (*value < option.minimum) throw wrong(fmt::format("at least {}", option.minimum));
        given.integer = *value;
        break;
      }
      case OptionType::number:
      case OptionType::duration: {
        const auto value = option.type == OptionType::duration ? parse_duration(text) : parse_number<double>(text);
        if (!value) throw wrong(wanted(option.type));
        if (!std::isfinite(*value)) throw wrong("a finite number");
        if (option.minimum != kAnyNumber && *value < static_cast<double>(option.minimum))
          throw wrong(fmt::format("at least {}", option.minimum));
        given.number = *value;
        break;
      }
      case OptionType::choice:
        for (const auto choice : option.choices)
          if (choice == text) return;
        throw wrong(fmt::format("one of {}", fmt::join(option.choices, ", ")));
      default: break;
    }
  }

  [[noreturn]] void unknown(const cell::Word& word) const {
    std::vector<std::string> names;
    for (const auto& option : command_.options) names.emplace_back(option.name);
    const auto name = word.text.substr(0, word.text.find('='));
    const auto near = nearest(name, names);
    auto error = Error(ErrorKind::name, fmt::format("{} has no option {}", title(), name)).at(place(word.span));
    const bool takes_values = takes_arrays() || (command_.operand == Operand::statements && !magic_.whole_cell);
    if (takes_values && near.empty() && !name.starts_with("--"))
      error.advice = fmt::format("Put an expression that begins with a minus into parentheses: ({}).", word.text);
    else if (!near.empty())
      error.advice = fmt::format("Did you mean {}?", near);
    else if (names.empty())
      error.advice = fmt::format("{} takes no options.", title());
    else
      error.advice = fmt::format("Its options are {}.", fmt::join(names, ", "));
    throw error;
  }

  const Command& command_;
  const cell::Magic& magic_;
  const ArgumentText& where_;
  Arguments result_;
  std::size_t next_ = 0;
};

Arguments read_arguments(const Command& command, const cell::Magic& magic, const ArgumentText& where) {
  return ArgumentReader(command, magic, where).read();
}

}  // namespace xcuda::command
