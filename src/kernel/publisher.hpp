// A cell's outputs on their way to iopub: text in few large messages, updates of one display at most ten times a
// second, and no more bytes per cell than the limit.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "kernel/engine.hpp"
#include "kernel/page_styles.hpp"
#include "kernel/stream_buffer.hpp"

namespace xcuda::kernel {

struct PublisherLimits {
  std::chrono::milliseconds text_interval{50};     // text waits at most this long
  std::size_t text_bytes = 64 << 10;               // or until so many bytes wait
  std::chrono::milliseconds update_interval{100};  // between two updates of one display
  std::uint64_t cell_bytes = 16 << 20;             // contents of one cell's messages, as JSON
};

struct CellStart {
  Json parent;  // the header of the request
  int execution_count = 0;
  bool silent = false;
  std::function<std::string(const Output::Question&)> ask;  // empty where the client cannot be asked
  // The cell's id, where the client shows all outputs on one page.
  std::optional<std::string> on_page{};
};

class Publisher final : public Output {
 public:
  // send(type, parent header, content) is called under a lock, from the thread of the cell and from an own one.
  using Send = std::function<void(const std::string& type, const Json& parent, Json content)>;

  explicit Publisher(Send send, PublisherLimits limits = {});
  ~Publisher() override;

  void begin(CellStart cell);
  // Sends everything that waits; returns what the cell left for the reply: "payload", as the protocol has it.
  Json end();
  // Sends the one error of a cell; always, except for a silent cell.
  void error(const display::RenderedError& error);

  void stream(OutputStream which, std::string_view text) override;
  void display(const display::Bundle& bundle, std::string_view display_id) override;
  void update_display(const display::Bundle& bundle, std::string_view display_id) override;
  void result(const display::Bundle& bundle) override;
  void page(const display::Bundle& bundle) override;
  void clear(Clear when) override;
  std::string ask(const Question& question) override;
  void next_input(const std::string& text) override;
  void set_limit(std::uint64_t bytes) override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Update {
    std::optional<Json> content;  // waits to be sent
    Clock::time_point next{};     // not before
  };
  struct Dropped {
    std::uint64_t bytes = 0;
    std::uint64_t displays = 0;
    bool any() const { return bytes > 0; }
  };

  bool listening() const { return cell_ && !cell_->silent; }
  void publish(const std::string& type, Json content);  // counted, or dropped
  void send_counted(const std::string& type, Json content);
  void publish_text(const StreamText& piece);
  void flush_text();
  void flush_updates(Clock::time_point now);
  void drop(std::uint64_t bytes, std::uint64_t displays);
  void notice(const std::string& text);
  std::optional<Clock::time_point> next_wake() const;
  void run();

  const Send send_;
  PublisherLimits limits_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool leaving_ = false;

  std::optional<CellStart> cell_;
  StreamBuffer text_;
  std::optional<Clock::time_point> text_due_;
  std::map<std::string, Update, std::less<>> updates_;
  std::uint64_t used_ = 0;
  Dropped dropped_;
  Json page_, next_input_;
  PageStyles styles_;
  std::thread thread_;
};

}  // namespace xcuda::kernel
