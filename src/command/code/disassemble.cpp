#include "command/code/disassemble.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/text.hpp"
#include "command/runner.hpp"

namespace xcuda::command {
namespace {

class OutputText final : public session::Sink {
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

std::string disassemble(const std::string& program, std::span<const std::byte> cubin, Interrupt& interrupt) {
  const TemporaryFile file(cubin);
  const bool is_cuobjdump = program.find("cuobjdump") != std::string::npos;
  OutputText output;
  // -g: with the lines of the source, where the module knows them.
  shell::Shell shell;
  run_shell(shell, {fmt::format("{} {} {}", quoted(program), is_cuobjdump ? "-sass" : "-g -c", quoted(file.path()))},
            output, interrupt);
  return std::move(output.out);
}

std::string section_of(const std::string& listing, const std::string& entry) {
  // nvdisasm names a section after its entry, cuobjdump writes a line in front.
  const std::string marks[][2] = {{fmt::format(".section\t.text.{},", entry), "\t.section\t"},
                                  {fmt::format("Function : {}\n", entry), "Function : "}};
  for (const auto& [mark, next] : marks) {
    const auto begin = listing.find(mark);
    if (begin == std::string::npos) continue;
    const auto end = listing.find(next, begin + mark.size());
    return listing.substr(begin, end == std::string::npos ? end : end - begin);
  }
  return listing;
}

}  // namespace xcuda::command
