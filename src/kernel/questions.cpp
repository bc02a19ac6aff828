#include "kernel/questions.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/text.hpp"
#include "kernel/bounds.hpp"
#include "kernel/content.hpp"

namespace xcuda::kernel {
namespace {

Json complete(const Json& content, Knowledge& knowledge) {
  const auto code = text_field(content, "code");
  const auto [found, left_out] = bounded_matches(knowledge.complete(code, cursor_field(content, code)));
  const auto begin = code_points_of_bytes(code, found.begin), end = code_points_of_bytes(code, found.end);
  Json matches = Json::array(), types = Json::array();
  for (const auto& match : found.matches) {
    matches.push_back(match.text);
    types.push_back({{"start", begin},
                     {"end", end},
                     {"text", match.text},
                     {"type", match.type},
                     {"signature", match.signature},
                     {"help", match.help}});
  }
  Json metadata{{"_jupyter_types_experimental", std::move(types)}};
  if (left_out > 0) metadata["matches_left_out"] = left_out;
  return {{"status", "ok"},
          {"matches", std::move(matches)},
          {"cursor_start", begin},
          {"cursor_end", end},
          {"metadata", std::move(metadata)}};
}

Json inspect(const Json& content, Knowledge& knowledge) {
  const auto code = text_field(content, "code");
  const auto detail = number_field(content, "detail_level", 0) > 0 ? command::Detail::source : command::Detail::summary;
  const auto found = knowledge.inspect(code, cursor_field(content, code), detail);
  return {{"status", "ok"},
          {"found", found.has_value()},
          {"data", found ? bounded_bundle(found->data, kMaxPage) : Json::object()},
          {"metadata", Json::object()}};
}

Json is_complete(const Json& content, Knowledge& knowledge) {
  const auto answer = knowledge.is_complete(text_field(content, "code"));
  constexpr std::array kNames{"complete", "incomplete", "invalid"};
  Json reply{{"status", kNames[static_cast<std::size_t>(answer.status)]}};
  if (answer.status == cell::Completeness::Status::incomplete) reply["indent"] = answer.indent;
  return reply;
}

using Question = Json (*)(const Json& content, Knowledge& knowledge);
constexpr std::pair<std::string_view, Question> kQuestions[] = {
    {"complete_request", complete}, {"inspect_request", inspect}, {"is_complete_request", is_complete}};
constexpr std::string_view kHistory = "history_request";

Question question(std::string_view type) {
  for (const auto& [name, asked] : kQuestions)
    if (name == type) return asked;
  return nullptr;
}

}  // namespace

bool Questions::knows(std::string_view type) { return type == kHistory || question(type) != nullptr; }

Json Questions::answer(std::string_view type, const Json& content, Knowledge& knowledge) {
  return type == kHistory ? history(content) : question(type)(content, knowledge);
}

void Questions::remember(int execution_count, std::string_view code) {
  const std::lock_guard lock(mutex_);
  history_.store(execution_count, code);
}

Json Questions::history(const Json& content) {
  const auto access = text_field(content, "hist_access_type");
  const bool output = flag_field(content, "output").value_or(false);
  std::vector<HistoryEntry> entries;
  const std::lock_guard lock(mutex_);
  if (access == "tail") {
    entries = history_.tail(number_field(content, "n", 10));
  } else if (access == "range") {
    entries = history_.range(
        {number_field(content, "session", 0), number_field(content, "start", 1), number_field(content, "stop", 0)});
  } else if (access == "search") {
    entries = history_.search({content.contains("pattern") ? text_field(content, "pattern") : "*",
                               number_field(content, "n", -1), flag_field(content, "unique").value_or(false)});
  } else {
    throw Error(ErrorKind::value, fmt::format("hist_access_type is \"{}\"; expected tail, range or search", access));
  }
  Json list = Json::array();
  for (const auto& entry : entries) {
    Json cell = entry.code;
    if (output) cell = Json::array({entry.code, nullptr});  // outputs are not kept
    list.push_back(Json::array({entry.session, entry.line, std::move(cell)}));
  }
  return {{"status", "ok"}, {"history", std::move(list)}};
}

}  // namespace xcuda::kernel
