#include "kernel/conversation.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <map>

#include "base/sanitizers.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "kernel/adapter.hpp"
#include "kernel/bounds.hpp"
#include "kernel/content.hpp"
#include "kernel/date_text.hpp"
#include "kernel/wire.hpp"

namespace xcuda::kernel {
namespace {

using namespace std::chrono_literals;

// A cell that fails waits this long for requests that were sent before it could be known, until none comes.
constexpr long kQuietMs = 10;
// On leaving: between two interrupts of a cell that still runs, and until the process is ended by force. A client
// waits five seconds before it kills.
constexpr auto kInterruptAgain = 250ms;
constexpr unsigned kLeaveSeconds = 4;
// A snapshot of the session is taken after each cell, so that a subshell that is made while the next one runs has one;
// without subshells only where it takes less than this, and not so soon after the last one while a request waits.
constexpr auto kCheapSnapshot = kAddressSanitizer || kThreadSanitizer ? 100ms : 1ms;
constexpr auto kFreshSnapshot = 2ms;

// The content of a reply. The `error` message has no place for the data: clients save it, and the notebook format has
// no such field.
Json error_content(const display::RenderedError& error) {
  Json content{{"status", "error"}, {"ename", error.ename}, {"evalue", error.evalue}, {"traceback", error.traceback}};
  if (!error.bundle.data.empty()) content["data"] = error.bundle.data;
  return content;
}

// Processor time, because it must not depend on what else the machine does.
std::chrono::nanoseconds thread_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

// Whether the client shows all outputs of a notebook on one page. Colab has a frame for each cell; VS Code, which names
// cells by addresses of its own, keeps only some of the outputs on its page.
bool has_one_page(const CellRequest& request) {
  return std::getenv("COLAB_RELEASE_TAG") == nullptr && !request.cell_id.starts_with("vscode-");
}

const std::string& type_of(const xeus::xmessage& message) {
  return message.header()["msg_type"].get_ref<const std::string&>();
}

// JupyterLab sends comm messages over subshells of their own; they are the main shell's here.
bool is_for_subshell(const xeus::xmessage& message) {
  const auto id = message.header().find("subshell_id");
  return id != message.header().end() && id->is_string() && type_of(message).rfind("comm_", 0) != 0;
}

std::string reply_type(const std::string& request_type) {
  constexpr std::string_view kEnding = "_request";
  const auto at = request_type.size() - std::min(request_type.size(), kEnding.size());
  return request_type.substr(at) == kEnding ? request_type.substr(0, at) + "_reply" : "";
}

}  // namespace

// The engine works for a request: an interrupt reaches it, and leave() waits for it.
class Conversation::Running {
 public:
  explicit Running(Conversation& conversation) : conversation_(conversation) { conversation_.running_ = true; }
  ~Running() {
    {
      const std::lock_guard lock(conversation_.end_mutex_);
      conversation_.running_ = false;
    }
    conversation_.ended_.notify_all();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  Conversation& conversation_;
};

Conversation::Conversation(Server& server, Engine& engine, History history, KernelInfo info)
    : server_(server),
      engine_(engine),
      questions_(std::move(history)),
      info_(std::move(info)),
      kernel_id_(new_id()),
      session_id_(new_id()),
      user_(std::getenv("USER") ? std::getenv("USER") : "xcuda"),
      publisher_([this](const std::string& type, const Json& parent, Json content) {
        publish(type, parent, std::move(content));
      }),
      snapshot_(engine.snapshot()) {
  server_.register_shell_listener([this](xeus::xmessage message) { on_shell(std::move(message)); });
  server_.register_control_listener([this](xeus::xmessage message) { on_control(std::move(message)); });
  server_.register_stdin_listener([](xeus::xmessage) {});
  server_.on_beside({[](const xeus::xmessage& message) { return is_for_subshell(message); },
                     [this](xeus::xmessage message) { answer(message, Channel::subshell); }});
  server_.on_subscription([this](const std::string& topic) {
    return xeus::xpub_message(topic, header("iopub_welcome"), Json::object(), Json::object(), {{"subscription", topic}},
                              {});
  });
}

void Conversation::run() {
  std::clog.setstate(std::ios::failbit);  // xeus greets there, in the middle of what nbconvert prints
  server_.start(xeus::xpub_message("kernel." + kernel_id_ + ".status", header("status"), Json::object(), Json::object(),
                                   {{"execution_state", "starting"}}, {}));
}

void Conversation::interrupt() {
  if (running_) engine_.interrupt();
}

void Conversation::leave() {
  leaving_ = true;
  alarm(kLeaveSeconds);
  server_.stop();
  std::unique_lock lock(end_mutex_);
  while (running_) {
    engine_.interrupt();
    ended_.wait_for(lock, kInterruptAgain, [this] { return !running_; });
  }
}

void Conversation::on_control(xeus::xmessage message) {
  answer(message, Channel::control);
  if (shutdown_accepted_) leave();
}

void Conversation::on_shell(xeus::xmessage message) {
  if (is_for_subshell(message)) {
    keep_snapshot();
    return answer(message, Channel::subshell);
  }
  answer(message, Channel::shell);
  const auto overtaken = std::exchange(overtaken_, {});
  const bool aborting = std::exchange(abort_overtaken_, false);
  for (const auto& request : overtaken) {
    if (is_for_subshell(request))
      answer(request, Channel::subshell);
    else if (aborting && type_of(request) == "execute_request")
      abort(request);
    else
      answer(request, Channel::shell);
  }
  if (shutdown_accepted_) return leave();
  // Only another cell may wait for the snapshot.
  const bool fresh = std::chrono::steady_clock::now() - snapshot_time_ < kFreshSnapshot;
  const bool cheap = snapshot_cost_ < kCheapSnapshot && !(fresh && server_.has_request());
  if (type_of(message) == "execute_request" && (cheap || subshells_.any())) keep_snapshot();
}

void Conversation::keep_snapshot() {
  const auto begin = thread_time();
  auto snapshot = engine_.snapshot();
  snapshot_cost_ = thread_time() - begin;
  snapshot_time_ = std::chrono::steady_clock::now();
  const std::lock_guard lock(snapshot_mutex_);
  snapshot_ = std::move(snapshot);
}

void Conversation::answer(const xeus::xmessage& message, Channel channel) {
  publish_status("busy", message.header());
  if (type_of(message).rfind("comm_", 0) == 0 && reply_type(type_of(message)).empty()) {
    caught([&] { close_comm(message); });  // without a reply there is nobody to tell
  } else {
    Reply reply;
    const auto error = guarded([&]() -> std::optional<display::RenderedError> {
      reply = reply_to(message, channel);
      return std::nullopt;
    });
    if (error) reply.content = error_content(bounded_error(*error));
    respond(message, channel, std::move(reply));
  }
  publish_status("idle", message.header());
}

Conversation::Reply Conversation::reply_to(const xeus::xmessage& message, Channel channel) {
  const auto& type = type_of(message);
  const auto& content = message.content();
  if (!content.is_object())
    throw Error(ErrorKind::value,
                fmt::format("the content of this {} is not a JSON object of at most {} levels", type, kMaxJsonDepth));

  if (channel == Channel::subshell) subshells_.check(message.header()["subshell_id"].get<std::string>());
  if (type == "kernel_info_request") return {kernel_info()};
  if (type == "comm_info_request") return {{{"status", "ok"}, {"comms", Json::object()}}};
  if (type == "interrupt_request") {
    interrupt();
    return {{{"status", "ok"}}};
  }
  if (type == "shutdown_request") {
    Json reply{{"status", "ok"}, {"restart", flag_field(content, "restart").value_or(false)}};
    publish("shutdown_reply", message.header(), reply);
    shutdown_accepted_ = true;
    return {std::move(reply)};
  }
  if (type == "debug_request") return {debug(content)};

  if (type.find("_subshell_") != std::string::npos && channel != Channel::control)
    throw Error(ErrorKind::unsupported, fmt::format("send {} on the control channel", type));
  if (auto reply = manage_subshells(type, content)) return {std::move(*reply)};
  if (type != "execute_request" && !Questions::knows(type))
    throw Error(ErrorKind::unsupported, fmt::format("this kernel does not know the message type {}", type));
  if (channel == Channel::control)
    throw Error(ErrorKind::unsupported, fmt::format("send {} on the shell channel, not on control", type));
  if (channel == Channel::subshell) return reply_in_subshell(message);
  if (type == "execute_request") return execute(message);
  const Running running(*this);
  return {questions_.answer(type, content, engine_)};
}

void Conversation::respond(const xeus::xmessage& request, Channel channel, Reply reply) {
  const auto type = reply_type(type_of(request));
  if (type.empty()) return;  // not a request: the protocol has no name for an answer
  xeus::xmessage message(request.identities(), header(type), request.header(), std::move(reply.metadata),
                         std::move(reply.content), {});
  if (channel == Channel::control)
    server_.send_control(std::move(message));
  else
    server_.send_shell(std::move(message));
}

void Conversation::abort(const xeus::xmessage& request) {
  publish_status("busy", request.header());
  // Without an execution count, which clients would show as the cell's.
  respond(request, Channel::shell, {{{"status", "aborted"}}, {{"status", "aborted"}}});
  publish_status("idle", request.header());
}

Conversation::Reply Conversation::execute(const xeus::xmessage& message) {
  const auto& content = message.content();
  CellRequest request;
  request.code = text_field(content, "code");
  request.silent = flag_field(content, "silent").value_or(false);
  request.store_history = flag_field(content, "store_history").value_or(true) && !request.silent;
  const bool stop_on_error = flag_field(content, "stop_on_error").value_or(true);
  const auto expressions = content.value("user_expressions", Json::object());
  if (!expressions.is_object()) throw wrong_content("user_expressions", "object");
  if (message.metadata().is_object())
    if (const auto id = message.metadata().find("cellId"); id != message.metadata().end() && id->is_string())
      request.cell_id = id->get<std::string>().substr(0, kMaxIdLength);

  if (request.store_history) ++execution_count_;
  request.execution_count = execution_count_;
  Reply reply{{{"status", "ok"}, {"execution_count", execution_count_.load()}, {"user_expressions", Json::object()}},
              {{"started", date_text()}}};

  if (!request.silent)
    publish("execute_input", message.header(), {{"code", request.code}, {"execution_count", execution_count_.load()}});
  if (request.store_history && !trim(request.code).empty()) questions_.remember(execution_count_, request.code);

  CellStart cell{message.header(), execution_count_, request.silent, {}};
  if (flag_field(content, "allow_stdin").value_or(true))
    cell.ask = [&](const Output::Question& question) { return ask(message, question); };
  if (has_one_page(request)) cell.on_page = request.cell_id.empty() ? request.code : request.cell_id;
  publisher_.begin(std::move(cell));
  std::optional<display::RenderedError> error;
  {
    const Running running(*this);
    const Server::Busy busy(server_);
    error = guarded([&]() -> std::optional<display::RenderedError> {
      if (leaving_)
        return display::RenderedError{
            "KeyboardInterrupt", "the kernel is shutting down", {"KeyboardInterrupt: the kernel is shutting down"}};
      return engine_.run_cell(request, publisher_);
    });
    if (error)
      publisher_.error(*error = bounded_error(std::move(*error)));
    else
      reply.content["user_expressions"] = evaluate(expressions);
  }

  reply.content["payload"] = publisher_.end();
  if (error) {
    reply.content.update(error_content(*error));
    if (stop_on_error && !request.silent) {
      abort_overtaken_ = true;
      server_.abort_queue([this](xeus::xmessage later) { overtaken_.push_back(std::move(later)); }, kQuietMs);
    }
  }
  reply.metadata["status"] = reply.content["status"];
  return reply;
}

// create, delete and list, of JEP 91; nothing for other types.
std::optional<Json> Conversation::manage_subshells(const std::string& type, const Json& content) {
  Json reply{{"status", "ok"}};
  if (type == "create_subshell_request") {
    reply["subshell_id"] = subshells_.create();
    server_.listen_beside();
  } else if (type == "delete_subshell_request") {
    subshells_.remove(text_field(content, "subshell_id"));
  } else if (type == "list_subshell_request") {
    reply["subshell_id"] = subshells_.list();
  } else {
    return std::nullopt;
  }
  return reply;
}

// On the shell's thread, or beside it while a cell runs.
Conversation::Reply Conversation::reply_in_subshell(const xeus::xmessage& message) {
  if (type_of(message) == "execute_request") return execute_in_subshell(message);
  const std::lock_guard lock(snapshot_mutex_);
  return {questions_.answer(type_of(message), message.content(), *snapshot_)};
}

Conversation::Reply Conversation::execute_in_subshell(const xeus::xmessage& message) {
  const auto code = text_field(message.content(), "code");
  const bool silent = flag_field(message.content(), "silent").value_or(false);
  Reply reply{{{"status", "ok"}, {"execution_count", execution_count_.load()}, {"user_expressions", Json::object()}},
              {{"started", date_text()}}};
  if (!silent)
    publish("execute_input", message.header(), {{"code", code}, {"execution_count", execution_count_.load()}});
  Publisher publisher(
      [this](const std::string& type, const Json& parent, Json content) { publish(type, parent, std::move(content)); });
  publisher.begin({message.header(), execution_count_, silent, {}});
  auto error = guarded([&]() -> std::optional<display::RenderedError> {
    const std::lock_guard lock(snapshot_mutex_);
    return snapshot_->run_cell(code, publisher);
  });
  if (error) publisher.error(*error = bounded_error(std::move(*error)));
  reply.content["payload"] = publisher.end();
  if (error) reply.content.update(error_content(*error));
  reply.metadata["status"] = reply.content["status"];
  return reply;
}

std::string Conversation::ask(const xeus::xmessage& request, const Output::Question& question) {
  xeus::xmessage message(request.identities(), header("input_request"), request.header(), Json::object(),
                         {{"prompt", question.prompt}, {"password", question.password}}, {});
  const auto reply = server_.ask(std::move(message), question.cancelled);
  if (!reply) throw Error(ErrorKind::interrupted, "interrupted");
  return text_field(reply->content(), "value");
}

Json Conversation::evaluate(const Json& expressions) {
  Json values = Json::object();
  std::size_t count = 0, bytes = 0;
  for (const auto& item : expressions.items()) {
    const Json& expression = item.value();
    display::Bundle result;
    const auto error = guarded([&]() -> std::optional<display::RenderedError> {
      if (++count > kMaxExpressions)
        throw Error(ErrorKind::value,
                    fmt::format("not evaluated: a request has at most {} user expressions", kMaxExpressions));
      if (bytes > kMaxValues)
        throw Error(ErrorKind::value, fmt::format("not evaluated: the values of a request's user expressions exceed {}",
                                                  format_bytes(kMaxValues)));
      if (!expression.is_string()) throw wrong_content("user_expressions", "text");
      return engine_.evaluate(expression.get_ref<const std::string&>(), publisher_, result);
    });
    auto value = error ? error_content(bounded_error(*error))
                       : Json{{"status", "ok"},
                              {"data", bounded_bundle(std::move(result.data), kMaxValue)},
                              {"metadata", Json::object()}};
    bytes += json_size(value);
    values[item.key()] = std::move(value);
  }
  return values;
}

Json Conversation::kernel_info() const {
  const Json language{{"name", "cuda"},
                      {"version", "C++17"},
                      {"mimetype", "text/x-c++src"},
                      // The extension in share/jupyter/labextensions has the mode of this name. Without it clients take
                      // the MIME type: with that of C++ JupyterLab does not indent after '{'.
                      {"codemirror_mode", {{"name", "cuda"}, {"mime", "text/x-objectivec++"}}},
                      {"pygments_lexer", "cuda"},
                      {"nbconvert_exporter", "script"},
                      {"file_extension", ".cu"}};
  const Json links = Json::array(
      {{{"text", "CUDA C++ Programming Guide"}, {"url", "https://docs.nvidia.com/cuda/cuda-c-programming-guide/"}},
       {{"text", "NVRTC"}, {"url", "https://docs.nvidia.com/cuda/nvrtc/"}}});
  return {{"status", "ok"},
          {"protocol_version", kProtocolVersion},
          {"implementation", "xcuda"},
          {"implementation_version", info_.version},
          {"language_info", language},
          {"supported_features", Json::array({"kernel subshells"})},
          {"banner", info_.banner},
          {"debugger", false},
          {"help_links", links}};
}

// The Debug Adapter Protocol's own way to say no, for clients that ask whatever kernel_info said.
Json Conversation::debug(const Json& content) const {
  return {{"type", "response"},
          {"success", false},
          {"message", "xcuda has no debugger"},
          {"request_seq", content.value("seq", Json(0))},
          {"command", content.value("command", Json(""))}};
}

void Conversation::close_comm(const xeus::xmessage& message) {
  // No target is registered here: an opened comm is closed at once, and there is none that a message could be for.
  if (type_of(message) != "comm_open" || !message.content().is_object()) return;
  const auto id = text_field(message.content(), "comm_id");
  if (id.size() <= kMaxIdLength) publish("comm_close", message.header(), {{"comm_id", id}, {"data", Json::object()}});
}

void Conversation::publish(const std::string& type, const Json& parent, Json content) {
  server_.publish(xeus::xpub_message("kernel." + kernel_id_ + "." + type, header(type), parent, Json::object(),
                                     std::move(content), {}),
                  xeus::channel::SHELL);
}

void Conversation::publish_status(const char* state, const Json& parent) {
  publish("status", parent, {{"execution_state", state}});
}

// One for each message: names one by one, which are not copied as those of a list are.
Json Conversation::header(const std::string& type) {
  Json header;
  // As jupyter_client numbers its messages; xeus::make_header reads random numbers for each, which takes 7 us.
  header["msg_id"] = session_id_ + "_" + std::to_string(message_count_.fetch_add(1));
  header["msg_type"] = type;
  header["session"] = session_id_;
  header["username"] = user_;
  header["version"] = kProtocolVersion;
  header["date"] = date_text();
  return header;
}

}  // namespace xcuda::kernel
