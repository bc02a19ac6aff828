#include "nvcc/programs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <system_error>

#include "base/error.hpp"
#include "base/file_stamp.hpp"
#include "base/hash.hpp"
#include "base/input_file.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "nvcc/build_log.hpp"

namespace xcuda::nvcc {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostProgram = std::uint64_t{512} << 20;  // bytes
constexpr std::uint64_t kMostLog = std::uint64_t{64} << 20;       // bytes
constexpr std::string_view kVersion = "1";                        // of the cache's entries

// What changes what nvcc does.
constexpr const char* kVariables[] = {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN",   "CPATH",
                                      "CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH",    "LIBRARY_PATH", "PATH"};

// The files that a rule for make names, those in `own` left out: their text is known.
std::string stamps_of_rule(const fs::path& rule, const fs::path& own) {
  const auto text = try_read_file(rule.string(), kMostLog);
  if (!std::holds_alternative<std::string>(text)) return {};
  std::istringstream words(std::get<std::string>(text));
  std::string stamps, word, path;
  bool after_colon = false;
  while (words >> word) {
    if (word == "\\") continue;
    if (!after_colon) {
      after_colon = word.ends_with(':');
      continue;
    }
    path += word;
    if (path.ends_with('\\')) {  // a blank in the name
      path.back() = ' ';
      continue;
    }
    if (!path.starts_with(own.string() + "/")) stamps += file_stamp(path);
    path.clear();
  }
  return stamps;
}

// Is each of the files as it was?
bool unchanged(const std::string& stamps) {
  const auto lines = split_lines(stamps);
  return std::all_of(lines.begin(), lines.end(), [](std::string_view line) {
    const auto path = line.find(' ', line.find(' ') + 1);
    return path != line.npos && file_stamp(std::string(line.substr(path + 1))) == std::string(line) + "\n";
  });
}

std::string words_of(const std::vector<std::string>& words) {
  std::string line;
  for (const auto& word : words) line += " " + shell::quoted(word);
  return line;
}

void write_source(const fs::path& folder, const SourceFile& file) {
  const auto path = folder / file.name;
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  write_file(path.string(), fmt::format("#line {} \"{}\"\n{}\n", file.first_line, file.name,
                                        file.compiled.empty() ? file.text : file.compiled));
}

}  // namespace

Programs::Programs(compiler::ToolkitSearch search, fs::path cache)
    : search_(std::move(search)), cache_(std::move(cache)) {}

Tools Programs::tools() const { return find_tools(search_, compiler::current_environment()); }

const fs::path& Programs::folder() {
  if (!folder_) folder_.emplace("programs");
  return folder_->path();
}

fs::path Programs::folder_with(const std::vector<SourceFile>& files) {
  Sha256 name;
  for (const auto& file : files) name.add(file.name).add(file.text);
  auto path = folder() / ("files-" + name.hex());
  for (const auto& file : files) write_source(path, file);
  return path;
}

std::string Programs::find_tool(const std::string& name) const {
  return find_cuda_program(name, search_, compiler::current_environment());
}

std::string Programs::key_of(const BuildRequest& request, const Tools& tools) const {
  Sha256 key;
  key.add(kVersion).add(tools.fingerprint);
  for (const auto* name : kVariables) {
    const char* value = std::getenv(name);
    key.add(value == nullptr ? "" : value);
  }
  std::error_code failure;
  key.add(fs::current_path(failure).string()).add(request.options.size());
  for (const auto& option : request.options) key.add(option);
  if (!request.cpu_toolkit.empty()) key.add(file_stamp(request.cpu_toolkit + "/bin/nvcc"));
  for (const auto& file : request.files) key.add(file.name).add(file.first_line).add(file.text).add(file.compiled);
  return key.hex();
}

const Programs::Kept* Programs::find(const std::string& key) {
  auto found = kept_.find(key);
  if (found == kept_.end()) {
    // Three lengths, then that many bytes of each: dependencies, log, program.
    const auto entry = cache_.find(key);
    if (!entry) return nullptr;
    const std::string_view text(reinterpret_cast<const char*>(entry->data()), entry->size());
    std::istringstream head(std::string(text.substr(0, text.find('\n'))));
    std::size_t dependencies = 0, log = 0;
    if (!(head >> dependencies >> log)) return nullptr;
    const auto begin = text.find('\n') + 1;
    if (begin + dependencies + log > text.size()) return nullptr;
    Kept kept{folder() / key, std::string(text.substr(begin, dependencies)),
              std::string(text.substr(begin + dependencies, log))};
    if (!unchanged(kept.dependencies)) return nullptr;
    write_file(kept.program.string(), text.substr(begin + dependencies + log));
    fs::permissions(kept.program, fs::perms::owner_all);
    found = kept_.emplace(key, std::move(kept)).first;
  }
  if (unchanged(found->second.dependencies)) return &found->second;
  kept_.erase(found);
  return nullptr;
}

void Programs::keep(const std::string& key, Kept kept) {
  const auto program = try_read_file(kept.program.string(), kMostProgram);
  if (const auto* bytes = std::get_if<std::string>(&program)) {
    const auto entry =
        fmt::format("{} {}\n{}{}{}", kept.dependencies.size(), kept.log.size(), kept.dependencies, kept.log, *bytes);
    cache_.store(key, std::as_bytes(std::span(entry)));
  }
  kept_.insert_or_assign(key, std::move(kept));
}

Build Programs::build(const BuildRequest& request, Interrupt& interrupt) {
  const auto tools = this->tools();
  if (tools.nvcc.empty())
    throw Error(ErrorKind::unsupported, "cannot compile a program: nvcc was not found on this machine")
        .advise(kNvccAdvice);
  const auto chooses = [](const std::string& option) {
    return option.starts_with("-ccbin") || option.starts_with("--compiler-bindir");
  };
  if (tools.host_compiler.empty() && std::none_of(request.options.begin(), request.options.end(), chooses))
    throw Error(ErrorKind::unsupported, "nvcc needs a host compiler, but found no g++ on this machine")
        .advise(kHostCompilerAdvice);
  const auto key = key_of(request, tools);
  if (const auto* kept = find(key)) return {true, kept->program, parse_build_log(kept->log, request.files), kept->log};
  return compile(request, key, tools, interrupt);
}

Build Programs::compile(const BuildRequest& request, const std::string& key, const Tools& tools, Interrupt& interrupt) {
  const TemporaryFolder work("build");
  for (const auto& file : request.files) write_source(work.path(), file);
  const auto program = folder() / key;
  // Without colours and in ASCII's language: the log is read.
  const auto caller = request.cpu_toolkit.empty() ? shell::quoted(tools.nvcc)
                                                  : fmt::format("XCUDA_NVCC={} {}", shell::quoted(tools.nvcc),
                                                                shell::quoted(request.cpu_toolkit + "/bin/nvcc"));
  const auto nvcc = fmt::format("env LC_ALL=C.UTF-8 GCC_COLORS= {}{} -I {} -Xcompiler -iquote,.", caller,
                                words_of(request.options), shell::quoted(work.path().string()));
  std::vector<std::string> sources;
  for (const auto& file : request.files)
    if (is_compiled(file)) sources.push_back((work.path() / file.name).string());
  std::string line;
  const auto rule = [](const std::string& source) { return source + ".d"; };
  if (sources.size() == 1) {
    line = fmt::format("exec {} -MD -MF {} -o {} {} 2>&1", nvcc, shell::quoted(rule(sources[0])),
                       shell::quoted(program.string()), shell::quoted(sources[0]));
  } else {  // side by side, each with a log of its own
    std::string waits, objects, logs;
    for (const auto& source : sources) {
      const auto object = shell::quoted(source + ".o"), log = shell::quoted(source + ".log");
      line += fmt::format("{} -MD -MF {} -c -o {} {} >{} 2>&1 & p{}=$!\n", nvcc, shell::quoted(rule(source)), object,
                          shell::quoted(source), log, objects.size());
      waits += fmt::format("wait $p{} || failed=1\n", objects.size());
      objects += " " + object;
      logs += " " + log;
    }
    line += fmt::format("{}cat{}\n[ -n \"$failed\" ] && exit 1\nexec {} -o {}{} 2>&1", waits, logs, nvcc,
                        shell::quoted(program.string()), objects);
  }
  std::string log;
  const auto end = shell_.run(
      {line},
      [&](OutputStream, std::string_view text) {
        if (log.size() < kMostLog) log += text;
      },
      interrupt);
  interrupt.check();
  Build build{end.status == 0 && access(program.c_str(), X_OK) == 0, program, parse_build_log(log, request.files), log};
  if (!build.ok) return build;
  std::string dependencies;
  for (const auto& source : sources) dependencies += stamps_of_rule(rule(source), work.path());
  keep(key, {program, std::move(dependencies), log});
  return build;
}

Ended Programs::run(const RunRequest& request, const shell::Shell::Output& on_output, Interrupt& interrupt) {
  // Where there is no GPU, the loader writes down what the program opens: CUDA's runtime opens the driver when it is
  // first called.
  const TemporaryFolder notes("run");
  const auto stdbuf = tools().stdbuf;
  std::vector<std::string> words;
  if (!stdbuf.empty()) words = {stdbuf, "-oL"};
  if (request.gpu == RunRequest::Gpu::missing)
    for (const auto& word :
         {std::string("env"), std::string("LD_DEBUG=files"), "LD_DEBUG_OUTPUT=" + (notes.path() / "opened").string()})
      words.push_back(word);
  words.insert(words.end(), request.under.begin(), request.under.end());
  words.push_back(request.program.string());
  words.insert(words.end(), request.arguments.begin(), request.arguments.end());
  shell::Command command{"exec" + words_of(words), {}};
  command.processes = request.processes;
  if (!request.input.empty()) command.line += " < " + shell::quoted(request.input);
  if (request.limit)
    command.deadline = std::chrono::steady_clock::now() +
                       std::chrono::duration_cast<std::chrono::steady_clock::duration>(*request.limit);
  Ended ended{shell_.run(command, on_output, interrupt)};
  std::error_code failed;
  for (fs::directory_iterator at(notes.path(), failed), stop; !failed && at != stop; at.increment(failed)) {
    const auto text = try_read_file(at->path().string(), kMostLog);
    if (const auto* opened = std::get_if<std::string>(&text))
      ended.missed_gpu = ended.missed_gpu || opened->find("file=libcuda.so") != std::string::npos;
  }
  return ended;
}

}  // namespace xcuda::nvcc
