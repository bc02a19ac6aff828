// A kernel whose cells are scripts, one command per line, so that a test can make the server meet everything that an
// engine may do. Unknown commands are the cell's error.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "kernel/serve_kernel.hpp"

namespace {

using namespace xcuda;
using namespace xcuda::kernel;
using Clock = std::chrono::steady_clock;

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

using display::RenderedError;

display::Bundle plain(const std::string& text) { return {{{"text/plain", text}}}; }

// Says how many cells had run when it was taken.
class FakeSnapshot final : public Snapshot {
 public:
  explicit FakeSnapshot(int cells) : cells_(cells) {}
  editor::Matches complete(std::string_view, std::size_t cursor) override {
    return {{{fmt::format("after_{}_cells", cells_), "array", ""}}, cursor, cursor};
  }
  std::optional<display::Bundle> inspect(std::string_view code, std::size_t, command::Detail) override {
    return plain(fmt::format("{} after {} cells", code, cells_));
  }
  cell::Completeness is_complete(std::string_view) override { return {cell::Completeness::Status::complete, ""}; }
  std::optional<RenderedError> run_cell(std::string_view code, Output& output) override {
    if (code != "%arrays") return RenderedError{"UnsupportedError", "a subshell runs %arrays", {"UnsupportedError"}};
    output.display(plain(fmt::format("arrays after {} cells", cells_)), "");
    return std::nullopt;
  }

 private:
  const int cells_;
};

class FakeEngine final : public Engine {
 public:
  std::optional<RenderedError> run_cell(const CellRequest& request, Output& output) override {
    interrupt_.clear();
    ++cells_;
    std::istringstream lines(request.code);
    for (std::string line; std::getline(lines, line);) {
      const auto space = line.find(' ');
      const auto verb = line.substr(0, space);
      const auto rest = space == std::string::npos ? "" : line.substr(space + 1);
      if (auto error = run(verb, rest, request, output)) return error;
    }
    return std::nullopt;
  }

  // "spin" waits for an interrupt; "say TEXT" prints; "big N" is a value of N bytes, "huge" an error of 10 MB.
  std::optional<RenderedError> evaluate(std::string_view expression, Output& output, display::Bundle& value) override {
    if (expression == "spin")
      if (const auto error = spin(1)) return error;
    interrupt_.check();
    if (expression.starts_with("say ")) output.stream(OutputStream::out, expression.substr(4));
    if (expression.starts_with("big ")) {
      const std::string text(std::stoull(std::string(expression.substr(4))), 'x');
      value.data = {{"text/plain", text}, {"text/html", text}};
      return std::nullopt;
    }
    if (expression == "huge") return huge_error();
    if (expression == "bad") return RenderedError{"NameError", "bad is not known", {"NameError: bad is not known"}};
    if (expression == "throw") throw std::runtime_error("thrown by an expression");
    value = plain(std::string(expression));
    return std::nullopt;
  }

  // "spin" before the cursor waits for an interrupt, "many" has more matches than a reply holds.
  editor::Matches complete(std::string_view code, std::size_t cursor) override {
    interrupt_.clear();
    if (code.substr(0, cursor).ends_with("spin")) throw_interrupted();
    if (code.substr(0, cursor).ends_with("many")) {
      editor::Matches many{{}, cursor - 4, cursor};
      for (int i = 0; i < 5000; ++i)
        many.matches.push_back({fmt::format("many{}", i), "array", std::string(9999, 's')});
      return many;
    }
    const auto begin = code.substr(0, cursor).find_last_of(" \n") + 1;
    const auto word = code.substr(begin, cursor - begin);
    editor::Matches found{{}, begin, cursor};
    for (const std::string known : {"print", "printerr", "display"})
      if (known.starts_with(word)) found.matches.push_back({known, "command", known + " TEXT"});
    return found;
  }

  std::optional<display::Bundle> inspect(std::string_view code, std::size_t, command::Detail detail) override {
    interrupt_.clear();
    if (code == "spin") throw_interrupted();
    if (code == "big") return plain(std::string(10 << 20, 'x'));
    if (code.find("print") == std::string_view::npos) return std::nullopt;
    return plain(detail == command::Detail::source ? "print TEXT\nsource" : "print TEXT");
  }

  cell::Completeness is_complete(std::string_view code) override {
    using Status = cell::Completeness::Status;
    if (code.ends_with("{")) return {Status::incomplete, "  "};
    if (code.ends_with("!")) return {Status::invalid, ""};
    return {Status::complete, ""};
  }

  std::shared_ptr<Snapshot> snapshot() override { return std::make_shared<FakeSnapshot>(cells_); }

  void interrupt() override { interrupt_.raise(); }
  void prepare_exit() override { fmt::print(stderr, "fake engine: prepare_exit\n"); }
  std::string banner() override { return "A scripted engine"; }

 private:
  std::optional<RenderedError> run(const std::string& verb, const std::string& rest, const CellRequest& request,
                                   Output& output) {
    using Stream = OutputStream;
    if (verb.empty() || verb == "//") return std::nullopt;
    if (verb == "print")
      output.stream(Stream::out, rest + "\n");
    else if (verb == "write")
      output.stream(Stream::out, rest);
    else if (verb == "printerr")
      output.stream(Stream::err, rest + "\n");
    else if (verb == "raw")
      output.stream(Stream::out, from_hex(rest));
    else if (verb == "lines")
      for (int i = 0, n = std::stoi(rest); i < n; ++i) output.stream(Stream::out, fmt::format("line {}\n", i));
    else if (verb == "alternate")
      for (int i = 0, n = std::stoi(rest); i < n; ++i)
        output.stream(i % 2 ? Stream::err : Stream::out, fmt::format("{}\n", i));
    else if (verb == "slow")
      slow(std::stoi(rest), output);
    else if (verb == "display")
      output.display(plain(rest), "");
    else if (verb == "show")
      output.display(plain("first"), rest);
    else if (verb == "updates")
      for (int i = 0, n = std::stoi(rest); i < n; ++i) output.update_display(plain(std::to_string(i)), "shown");
    else if (verb == "result")
      output.result(plain(rest));
    else if (verb == "badresult")
      output.result(plain(from_hex(rest)));
    else if (verb == "bigdisplay")
      output.display({{{"text/plain", "small"}, {"text/html", std::string(std::stoull(rest), 'x')}}}, "");
    else if (verb == "bigpage")
      output.page(plain(std::string(std::stoull(rest), 'x')));
    else if (verb == "huge")
      return huge_error();
    else if (verb == "page")
      output.page(plain(rest));
    else if (verb == "limit")
      output.set_limit(std::stoull(rest));
    else if (verb == "count")
      output.stream(Stream::out, fmt::format("{} {} {} [{}]\n", request.execution_count, request.silent,
                                             request.store_history, request.cell_id));
    else if (verb == "throw")
      throw std::runtime_error(rest);
    else if (verb == "throwbad")
      throw std::runtime_error(from_hex(rest));
    else if (verb == "deaf")
      std::this_thread::sleep_for(std::chrono::hours(1));
    else if (verb == "throwint")
      throw 42;
    else if (verb == "throwerror")
      throw Error(ErrorKind::value, rest).advise("do otherwise");
    else if (verb == "fail")
      return RenderedError{"FakeError", rest, {"FakeError: " + rest}};
    else if (verb == "spin" || verb == "stubborn")
      return spin(verb == "spin" ? 1 : 2);
    else if (verb == "sleep")
      std::this_thread::sleep_for(std::chrono::milliseconds(std::stoi(rest)));
    else if (verb == "until")  // a file is there
      while (access(rest.c_str(), F_OK) != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    else if (verb == "interruptions")
      output.stream(Stream::out, fmt::format("{}\n", interrupt_.count()));
    else
      return RenderedError{"NameError", "unknown command " + verb, {"NameError: unknown command " + verb}};
    return std::nullopt;
  }

  void slow(int lines, Output& output) {
    for (int i = 0; i < lines && !interrupt_.raised(); ++i) {
      output.stream(OutputStream::out, fmt::format("{}\n", i));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  // Ends at the given number of interrupts.
  std::optional<RenderedError> spin(int needed) {
    while (interrupt_.count() < needed) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return RenderedError{"KeyboardInterrupt", "interrupted", {"KeyboardInterrupt: interrupted"}};
  }

  void throw_interrupted() {
    spin(1);
    interrupt_.check();
  }

  static RenderedError huge_error() {
    RenderedError error{"FakeError", std::string(10 << 20, 'x'), {"FakeError: the first line"}};
    for (int i = 0; i < 10'000; ++i) error.traceback.push_back(std::string(1000, 'x'));
    error.traceback.push_back("the last line");
    return error;
  }

  Interrupt interrupt_;
  int cells_ = 0;  // that have begun
};

}  // namespace

int main(int argc, char** argv) {
  return xcuda::kernel::serve_kernel(
      argc, argv,
      {"xcuda", "0.0.1", [] { return std::make_unique<FakeEngine>(); }, [] { return 0; }, [] { return 0; }});
}
