#include "python/cells.hpp"

#include <fmt/format.h>

#include <charconv>
#include <set>

#include "base/text.hpp"
#include "python/python_client.hpp"
#include "python/session_answers.hpp"
#include "python/session_view.hpp"
#include "session/failures.hpp"

namespace xcuda::python {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kMagic = "%%python";
// What is kept free on the card beside the device's own GiB, once Python has a context there, which grows as it works.
constexpr std::uint64_t kPythonReserve = std::uint64_t{1} << 30;

struct Call {
  std::string verb;
  Json more = Json::object();  // fields of the request
  session::CellRun* run = nullptr;
  WaitLimits limits;
};

// The names go along with each request. What Python still holds when it is done comes back.
Json call(session::Session& session, Call wanted) {
  if (session.parts().python == nullptr) throw Error(ErrorKind::unsupported, "this program runs no cells of Python");
  auto& client = *session.parts().python;
  Client::Request request;
  bool more = false;
  request.make = [&] {
    auto view = view_of(session, client);
    more = view.more;
    view.message.head["verb"] = more ? "names" : wanted.verb;
    if (!more) view.message.head.update(wanted.more);
    return std::move(view.message);
  };
  request.answer = [&](const Message& question) { return answer(session, *wanted.run, client, question); };
  request.on_output = [&](OutputStream which, std::string_view text) {
    if (wanted.run != nullptr) wanted.run->sink.stream(which, text);
  };
  request.limits = wanted.limits;
  Json reply;
  do reply = client.call(request);
  while (more);
  if (session.chosen().started())
    session.chosen().memory().keep_free(reply.value("context", false) ? kPythonReserve : 0);
  const auto held = reply.at("held").get<std::set<device::Address>>();
  session.arrays().take_back_all_but(held);
  return reply;
}

// "In[7]" -> 7, for the tracebacks of Python.
int count_of(const std::string& name) {
  int count = 0;
  if (name.starts_with("In[")) std::from_chars(name.data() + 3, name.data() + name.size(), count);
  return count;
}

[[noreturn]] void fail(const Json& error) {
  display::RenderedError rendered;
  rendered.ename = error.value("ename", "");
  rendered.evalue = error.value("evalue", "");
  rendered.traceback = error.value("traceback", std::vector<std::string>{});
  const auto text = fmt::format("{}: {}", rendered.ename, rendered.evalue);
  rendered.bundle = display::text_bundle(text);
  const auto kind = rendered.ename == "KeyboardInterrupt" ? ErrorKind::interrupted : ErrorKind::value;
  throw session::ForeignFailure(Error(kind, text), std::move(rendered));
}

// Only the user ends what Python does: %config timeout is of launches.
WaitLimits user_ends(session::Session& session) { return {.interrupt = &session.interrupt_flag()}; }

}  // namespace

std::optional<CellPlace> cell_place(std::string_view cell, std::size_t cursor) {
  const auto first = cell.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || !cell.substr(first).starts_with(kMagic)) return std::nullopt;
  const auto after = first + kMagic.size();
  if (after < cell.size() && std::string_view(" \t\r\n").find(cell[after]) == std::string_view::npos)
    return std::nullopt;
  const auto line = cell.find('\n', after);
  if (line == std::string_view::npos || cursor <= line) return std::nullopt;
  return CellPlace{std::string(cell.substr(line + 1)), cursor - line - 1, line + 1};
}

void run_cell(session::Session& session, session::CellRun& run, const PythonCell& cell) {
  session.submission().synchronize();  // what was launched is done before Python sees an array
  const auto reply =
      call(session, {"run",
                     {{"code", valid_utf8(cell.code)}, {"count", count_of(run.source.name)}, {"outputs", cell.outputs}},
                     &run,
                     user_ends(session)});
  if (const auto& error = reply.at("error"); !error.is_null()) fail(error);
}

Matches complete(session::Session& session, const CellPlace& place) {
  Matches found;
  const auto cursor = code_points_of_bytes(place.code, place.cursor);
  const auto reply =
      call(session, {"complete", {{"code", place.code}, {"cursor", cursor}}, nullptr, user_ends(session)});
  found.begin = found.end = place.begin + place.cursor;
  if (!reply.contains("matches")) return found;
  const auto at = [&](const char* name) {
    return place.begin + bytes_of_code_points(place.code, reply.at(name).get<std::size_t>());
  };
  found.begin = at("begin");
  found.end = at("end");
  for (const auto& match : reply.at("matches"))
    found.matches.push_back({match.value("text", ""), match.value("type", ""), match.value("signature", "")});
  return found;
}

std::optional<display::Bundle> inspect(session::Session& session, const CellPlace& place, int detail) {
  const auto cursor = code_points_of_bytes(place.code, place.cursor);
  const auto reply =
      call(session,
           {"inspect", {{"code", place.code}, {"cursor", cursor}, {"detail", detail}}, nullptr, user_ends(session)});
  if (!reply.contains("data") || !reply.at("data").is_object() || reply.at("data").empty()) return std::nullopt;
  return display::Bundle{reply.at("data"), Json::object()};
}

void release(session::Session& session) {
  if (!session.arrays().freed_are_lent()) return;
  if (session.parts().python->runs())
    call(session, {"names", Json::object(), nullptr, user_ends(session)});
  else
    session.arrays().take_back_all_but({});
}

}  // namespace xcuda::python
