// %env
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include "base/text.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"
#include "display/table.hpp"

namespace xcuda::command {
namespace {

// What has such a word in its name stays out of a page that others may read, as in IPython.
bool is_secret(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kWords{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"};
  std::string upper(name);
  for (auto& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return std::any_of(kWords.begin(), kWords.end(), [&](auto word) { return upper.find(word) != std::string::npos; });
}

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), [&](char c) {
    return letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
}

std::vector<std::pair<std::string, std::string>> variables() {
  std::vector<std::pair<std::string, std::string>> all;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals != text.npos) all.emplace_back(text.substr(0, equals), valid_utf8(text.substr(equals + 1)));
  }
  std::sort(all.begin(), all.end());
  return all;
}

void list(Invocation& call) {
  display::Table table{.title = "Environment",
                       .columns = {{.title = "name", .kind = display::Column::Kind::code},
                                   {.title = "value", .kind = display::Column::Kind::code}}};
  for (auto& [name, value] : variables())
    table.rows.push_back({name, is_secret(name) ? std::string("<hidden>") : std::move(value)});
  table.notes = {"%env NAME shows a value that is hidden here."};
  call.show(display::table_bundle(table));
}

void show_one(Invocation& call, const std::string& name, const cell::Word& word) {
  if (const char* value = std::getenv(name.c_str())) return call.show(display::text_bundle(valid_utf8(value)));
  std::vector<std::string> names;
  for (const auto& [known, value] : variables()) names.push_back(known);
  auto error = call.error(ErrorKind::name, fmt::format("the environment has no variable {}", name), word);
  const auto near = nearest(name, names);
  error.advice = near.empty() ? fmt::format("%env {}=value sets it.", name) : fmt::format("Did you mean {}?", near);
  throw error;
}

void run_env(Invocation& call) {
  const auto& words = call.arguments.operands;
  if (words.empty()) return list(call);
  // As it is written, with blanks and quotes: NAME=value, NAME = value, NAME value.
  const std::string_view line = call.magic.line;
  const auto end = std::min(line.find_first_of("= \t"), line.size());
  const std::string name(line.substr(0, end));
  if (!is_name(name))
    throw call.error(ErrorKind::value, fmt::format("\"{}\" is not the name of a variable", name), words[0])
        .advise("%env NAME=value sets a variable; a name has letters, digits and _.");
  auto rest = trim(line.substr(end));
  if (rest.empty()) return show_one(call, name, words[0]);
  if (rest.front() == '=') rest = trim(rest.substr(1));
  std::string value(rest);
  if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front())
    value = value.substr(1, value.size() - 2);
  setenv(name.c_str(), value.c_str(), 1);
  call.show(display::text_bundle(fmt::format("{}={}", name, valid_utf8(value))));
}

}  // namespace

Command env_command() {
  return {
      .name = "env",
      .operand = Operand::variable,
      .usage = "%env [NAME[=value]]",
      .summary = "Show or set environment variables",
      .details =
          "What is set is seen by later !commands, %%bash cells and programs, and by processes of the session that are "
          "started later. The list hides values whose names say key, token, secret or password.",
      .example =
          "%env OMP_NUM_THREADS=4\n"
          "!echo $OMP_NUM_THREADS\n",
      .run = run_env,
  };
}

}  // namespace xcuda::command
