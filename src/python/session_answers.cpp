#include "python/session_answers.hpp"

#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <map>

#include "cell/parse.hpp"
#include "python/session_view.hpp"

namespace xcuda::python {
namespace {

using Json = nlohmann::json;

display::Bundle bundle_of(const Json& head) { return {head.at("data"), head.value("metadata", Json::object())}; }

std::vector<std::byte> bytes_of(const std::string& hex) {
  std::vector<std::byte> bytes(hex.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    unsigned value = 0;
    std::from_chars(hex.data() + 2 * i, hex.data() + 2 * i + 2, value, 16);
    bytes[i] = static_cast<std::byte>(value);
  }
  return bytes;
}

// A name that a declaration could have: no keyword of C++.
void check_name(const std::string& name) {
  const auto parsed = cell::try_parse_cell(fmt::format("float {};", name), "a name");
  if (parsed.error || parsed.cell.statements.size() != 1)
    throw Error(ErrorKind::name, fmt::format("{} cannot be the name of a variable in C++", name));
}

void check_shape(const std::string& name, const std::vector<std::uint64_t>& shape) {
  if (shape.size() <= kMaxExtents) return;
  throw Error(ErrorKind::value, fmt::format("{} has {} extents, but an array of the session has at most {}", name,
                                            shape.size(), kMaxExtents));
}

struct Asked {
  session::Session& session;
  session::CellRun& run;
  Client& client;
  const Json& head;
};

Message define(const Asked& asked) {
  auto& session = asked.session;
  const auto name = asked.head.at("name").get<std::string>();
  check_name(name);
  const auto span = asked.run.current;
  const auto type = session.code().find_type(asked.run.source, asked.head.at("type").get<std::string>(), span);
  auto shape = asked.head.at("shape").get<std::vector<std::uint64_t>>();
  if (shape.empty()) {
    const auto bytes = bytes_of(asked.head.at("bytes").get<std::string>());
    session.arrays().undefine_here(name);
    session::Value value = session::Object{type, bytes};
    if (language::kind_of(type)) value = language::ScalarValue::load(type, bytes);
    session.names().declare(name, {std::move(value), false, asked.run.source.name});
  } else {
    check_shape(name, shape);
    session.arrays().define(session.arrays().allocate(asked.run, {name, type, std::move(shape), false, span}));
    session.submission().synchronize();  // the array's first elements come from Python
  }
  return view_of(session, asked.client).message;
}

// An array over memory that a Python program has of its own, until the array is freed.
Message borrow(const Asked& asked) {
  auto& session = asked.session;
  const auto name = asked.head.at("name").get<std::string>();
  const auto span = asked.run.current;
  const auto type = session.code().find_type(asked.run.source, asked.head.at("type").get<std::string>(), span);
  auto shape = asked.head.at("shape").get<std::vector<std::uint64_t>>();
  check_shape(name, shape);
  device::ForeignMemory foreign{{}, bytes_of(asked.head.at("handle").get<std::string>()), asked.head.at("offset")};
  session.arrays().define(
      session.arrays().allocate(asked.run, {name, type, std::move(shape), false, span, std::move(foreign)}));
  return {.head = Json::object(), .body = {}, .files = {}};
}

Message display(const Asked& asked) {
  const auto bundle = bundle_of(asked.head);
  const auto id = asked.head.value("id", "");
  if (id.empty())
    asked.run.sink.display(bundle);
  else if (asked.head.value("update", false))
    asked.run.sink.update_named(id, bundle);
  else
    asked.run.sink.display_named(id, bundle);
  return {.head = Json::object(), .body = {}, .files = {}};
}

Message result(const Asked& asked) {
  asked.run.sink.result(bundle_of(asked.head));
  return {.head = Json::object(), .body = {}, .files = {}};
}

Message page(const Asked& asked) {
  asked.run.sink.page(bundle_of(asked.head));
  return {.head = Json::object(), .body = {}, .files = {}};
}

Message clear(const Asked& asked) {
  asked.run.sink.clear(asked.head.value("wait", false) ? Clear::with_next : Clear::now);
  return {.head = Json::object(), .body = {}, .files = {}};
}

Message input(const Asked& asked) {
  using Echo = session::Sink::Question::Echo;
  const session::Sink::Question question{asked.head.value("prompt", ""),
                                         asked.head.value("echo", true) ? Echo::shown : Echo::hidden};
  return {.head = {{"text", asked.run.sink.ask(question)}}, .body = {}, .files = {}};
}

}  // namespace

Message answer(session::Session& session, session::CellRun& run, Client& client, const Message& question) {
  static const std::map<std::string, Message (*)(const Asked&), std::less<>> kAnswers{
      {"define", define}, {"borrow", borrow}, {"display", display}, {"result", result},
      {"page", page},     {"clear", clear},   {"input", input}};
  try {
    const auto found = kAnswers.find(question.head.at("event").get<std::string>());
    if (found == kAnswers.end()) throw Error(ErrorKind::internal, "the session does not know this question");
    return found->second({session, run, client, question.head});
  } catch (const Error& error) {
    if (error.kind == ErrorKind::interrupted) return {.head = {{"interrupted", true}}, .body = {}, .files = {}};
    auto text = error.message;
    for (const auto* more : {&error.library, &error.advice})
      if (!more->empty()) text += fmt::format("; {}", *more);
    return {.head = {{"error", text}}, .body = {}, .files = {}};
  } catch (const std::exception& error) {  // of JSON: a message that is not one of ours
    return {.head = {{"error", error.what()}}, .body = {}, .files = {}};
  }
}

}  // namespace xcuda::python
