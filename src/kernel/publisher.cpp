#include "kernel/publisher.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.hpp"
#include "kernel/bounds.hpp"

namespace xcuda::kernel {
namespace {

// The result and the notices come last and are what one looks for: they may pass the limit by this much.
constexpr std::uint64_t kReserve = 64 << 10;
constexpr std::uint64_t kLeastDisplay = 4 << 10;  // bytes: a display that gets fewer is dropped
constexpr std::size_t kTextFrame = 30;            // {"name":"stdout","text":""}

const char* name_of(OutputStream stream) { return stream == OutputStream::out ? "stdout" : "stderr"; }

Json display_content(Json data, const Json& metadata, std::string_view display_id) {
  Json transient = Json::object();
  if (!display_id.empty()) transient["display_id"] = display_id;
  return {{"data", std::move(data)}, {"metadata", metadata}, {"transient", transient}};
}

}  // namespace

Publisher::Publisher(Send send, PublisherLimits limits)
    : send_(std::move(send)), limits_(limits), thread_([this] { run(); }) {}

Publisher::~Publisher() {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Publisher::begin(CellStart cell) {
  const std::lock_guard lock(mutex_);
  cell_ = std::move(cell);
  if (!cell_->silent) styles_.begin(cell_->on_page);
  used_ = 0;
  dropped_ = {};
  page_ = next_input_ = nullptr;
  updates_.clear();
}

Json Publisher::end() {
  const std::lock_guard lock(mutex_);
  flush_text();
  for (auto& piece : text_.finish()) publish_text(piece);
  flush_updates(Clock::time_point::max());
  if (listening() && dropped_.any()) {
    const auto displays = dropped_.displays > 0 ? fmt::format(", including {} displays", dropped_.displays) : "";
    notice(fmt::format("[{} of output dropped{}]\n", format_bytes(dropped_.bytes), displays));
  }
  Json payload = Json::array();
  for (auto* one : {&page_, &next_input_})
    if (!one->is_null()) payload.push_back(std::move(*one));
  cell_.reset();
  updates_.clear();
  return payload;
}

void Publisher::error(const display::RenderedError& error) {
  const std::lock_guard lock(mutex_);
  if (!listening()) return;
  flush_text();
  send_("error", cell_->parent, {{"ename", error.ename}, {"evalue", error.evalue}, {"traceback", error.traceback}});
}

void Publisher::stream(OutputStream which, std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (!listening() || text.empty()) return;
  if (used_ + text_.size() >= limits_.cell_bytes) {
    flush_text();
    drop(text.size(), 0);
    return;
  }
  text_.append(which, text);
  if (text_.size() >= limits_.text_bytes) {
    flush_text();
  } else if (!text_due_) {
    text_due_ = Clock::now() + limits_.text_interval;
    changed_.notify_one();
  }
}

void Publisher::display(const display::Bundle& bundle, std::string_view display_id) {
  const std::lock_guard lock(mutex_);
  if (!listening()) return;
  flush_text();
  if (!display_id.empty()) updates_[std::string(display_id)] = {std::nullopt, Clock::now() + limits_.update_interval};
  auto data = display_id.empty() ? styles_.dressed(bundle.data) : bundle.data;
  publish("display_data", display_content(std::move(data), bundle.metadata, display_id));
}

void Publisher::update_display(const display::Bundle& bundle, std::string_view display_id) {
  const std::lock_guard lock(mutex_);
  if (!listening()) return;
  auto& update = updates_[std::string(display_id)];
  update.content = display_content(bundle.data, bundle.metadata, display_id);
  const auto now = Clock::now();
  if (update.next <= now) {
    flush_updates(now);
  } else {
    changed_.notify_one();
  }
}

void Publisher::result(const display::Bundle& bundle) {
  const std::lock_guard lock(mutex_);
  if (!listening()) return;
  flush_text();
  publish("execute_result", {{"data", styles_.dressed(bundle.data)},
                             {"metadata", bundle.metadata},
                             {"execution_count", cell_->execution_count}});
}

void Publisher::page(const display::Bundle& bundle) {
  const std::lock_guard lock(mutex_);
  page_ = {{"source", "page"}, {"data", bounded_bundle(bundle.data, kMaxPage)}, {"start", 0}};
}

void Publisher::clear(Clear when) {
  const std::lock_guard lock(mutex_);
  if (!listening()) return;
  flush_text();
  styles_.clear();
  publish("clear_output", {{"wait", when == Clear::with_next}});
}

std::string Output::ask(const Question&) {
  throw Error(ErrorKind::unsupported, "this client cannot be asked for input")
      .advise("A notebook that runs unattended (nbconvert, papermill) must set the value in a cell.");
}

std::string Publisher::ask(const Question& question) {
  std::function<std::string(const Question&)> way;
  {
    const std::lock_guard lock(mutex_);
    flush_text();  // what was printed stands above the prompt
    if (cell_) way = cell_->ask;
  }
  return way ? way(question) : Output::ask(question);
}

void Publisher::next_input(const std::string& text) {
  const std::lock_guard lock(mutex_);
  next_input_ = {{"source", "set_next_input"}, {"text", text}, {"replace", true}};
}

void Publisher::set_limit(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  limits_.cell_bytes = bytes;
}

void Publisher::publish(const std::string& type, Json content) {
  const auto size = json_size(content);
  const auto limit = limits_.cell_bytes + (type == "execute_result" ? kReserve : 0);
  if (used_ + size <= limit) return send_counted(type, std::move(content));
  // What is left may do for the text of it.
  const auto data = content.find("data");
  const auto frame = data == content.end() ? size : size - json_size(*data);
  if (used_ + frame + kLeastDisplay > limit) return drop(size, data == content.end() ? 0 : 1);
  *data = bounded_bundle(std::move(*data), limit - used_ - frame);
  const auto kept = json_size(content);
  send_counted(type, std::move(content));
  drop(size - std::min(size, kept), 0);
}

void Publisher::send_counted(const std::string& type, Json content) {
  used_ += json_size(content);
  send_(type, cell_->parent, std::move(content));
}

void Publisher::publish_text(const StreamText& piece) {
  const auto left = limits_.cell_bytes - std::min(limits_.cell_bytes, used_);
  const auto kept = left > kTextFrame ? json_prefix(piece.text, left - kTextFrame) : 0;
  if (kept > 0) {
    const std::string_view text(piece.text);
    Json content{{"name", name_of(piece.stream)}, {"text", text.substr(0, kept)}};
    used_ += json_size(content);
    send_("stream", cell_->parent, std::move(content));
  }
  if (kept < piece.text.size()) drop(piece.text.size() - kept, 0);
}

void Publisher::flush_text() {
  text_due_.reset();
  for (auto& piece : text_.take())
    if (listening()) publish_text(piece);
}

void Publisher::flush_updates(Clock::time_point now) {
  if (!listening()) return;
  bool text_is_out = false;
  for (auto& [id, update] : updates_) {
    if (!update.content || update.next > now) continue;
    if (!std::exchange(text_is_out, true)) flush_text();
    publish("update_display_data", *std::exchange(update.content, std::nullopt));
    update.next = Clock::now() + limits_.update_interval;
  }
}

void Publisher::drop(std::uint64_t bytes, std::uint64_t displays) {
  const bool first = !dropped_.any();
  dropped_.bytes += bytes;
  dropped_.displays += displays;
  if (first)
    notice(fmt::format(
        "[this cell's output reached the limit of {}; the rest is dropped. To change the limit: %config output SIZE]\n",
        format_bytes(limits_.cell_bytes)));
}

void Publisher::notice(const std::string& text) {
  send_("stream", cell_->parent, {{"name", "stderr"}, {"text", text}});
}

std::optional<Publisher::Clock::time_point> Publisher::next_wake() const {
  auto wake = text_due_;
  for (const auto& [id, update] : updates_)
    if (update.content && (!wake || update.next < *wake)) wake = update.next;
  return wake;
}

void Publisher::run() {
  std::unique_lock lock(mutex_);
  while (!leaving_) {
    const auto wake = next_wake();
    if (wake) {
      changed_.wait_until(lock, *wake);
    } else {
      changed_.wait(lock);
    }
    const auto now = Clock::now();
    if (text_due_ && *text_due_ <= now) flush_text();
    flush_updates(now);
  }
}

}  // namespace xcuda::kernel
