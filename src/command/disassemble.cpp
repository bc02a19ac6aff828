#include "command/disassemble.hpp"

#include <fmt/format.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/text.hpp"
#include "command/runner.hpp"

namespace xcuda::command {
namespace {

class Collector final : public session::Sink {
 public:
  void stream(OutputStream which, std::string_view text) override { (which == OutputStream::out ? out : err) += text; }
  void display(const display::Bundle&) override {}
  void result(const display::Bundle&) override {}
  void page(const display::Bundle&) override {}
  std::string out, err;
};

class TemporaryFile {
 public:
  explicit TemporaryFile(std::span<const std::byte> bytes) {
    const char* folder = std::getenv("TMPDIR");
    path_ = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/xcuda-XXXXXX";
    const File file(mkostemp(path_.data(), O_CLOEXEC));
    if (!file || ::write(file.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      throw Error(ErrorKind::io, fmt::format("cannot write {}", path_)).said(errno_text(errno));
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace

std::string disassemble(const std::string& program, std::span<const std::byte> cubin, const std::string& entry, Interrupt& interrupt) {
  const TemporaryFile file(cubin);
  const bool is_cuobjdump = program.find("cuobjdump") != std::string::npos;
  Collector output;
  run_shell(fmt::format("{} {} {}", quoted(program), is_cuobjdump ? "-sass -fun " + quoted(entry) : std::string("-c"), quoted(file.path())), output, interrupt);
  if (is_cuobjdump) return output.out;
  // nvdisasm prints every section; the one wanted is named after its entry.
  const auto begin = output.out.find(".section\t.text." + entry);
  if (begin == std::string::npos) return output.out;
  const auto end = output.out.find(".section\t", begin + 1);
  return output.out.substr(begin, end == std::string::npos ? end : end - begin);
}

}  // namespace xcuda::command
