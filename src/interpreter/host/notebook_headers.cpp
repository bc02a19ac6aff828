#include "interpreter/host/notebook_headers.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "base/input_file.hpp"
#include "cell/parse.hpp"
#include "interpreter/host/find_host_functions.hpp"
#include "interpreter/host/header_branches.hpp"

namespace xcuda::interpreter {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = 1 << 20;  // of a header that is read like a cell

// -I folder, -Ifolder, --include-path=folder
std::vector<fs::path> include_folders(const std::vector<cell::Word>& options) {
  constexpr std::string_view kShort = "-I", kLong = "--include-path=";
  std::vector<fs::path> folders;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string_view word = options[i].text;
    if (word == kShort && i + 1 < options.size())
      folders.emplace_back(options[++i].text);
    else if (word.starts_with(kLong))
      folders.emplace_back(word.substr(kLong.size()));
    else if (word.starts_with(kShort))
      folders.emplace_back(word.substr(kShort.size()));
  }
  return folders;
}

struct Header {
  fs::path path;
  std::string text;
};

// The header that a line includes; nothing where it is not the user's, or cannot be read, which the compiler says.
std::optional<Header> read_header(const cell::DevicePiece& include, const DeviceCode::CellRequest& request) {
  auto folders = include_folders(request.options);
  if (include.value.starts_with('"')) folders.insert(folders.begin(), request.folder);
  for (const auto& folder : folders) {
    const auto path = (folder / include.name).lexically_normal();
    auto text = try_read_file(path.string(), kMostBytes);
    if (auto* read = std::get_if<std::string>(&text)) return Header{path, std::move(*read)};
  }
  return std::nullopt;
}

// A header is known while it is read, as headers may include each other, and stays so if that ends well.
class Reading {
 public:
  Reading(std::map<std::string, std::string>& known, std::string path, const std::string& text)
      : known_(known), path_(std::move(path)) {
    known_[path_] = text;
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading() {
    if (!path_.empty()) known_.erase(path_);
  }
  void ends() { path_.clear(); }

 private:
  std::map<std::string, std::string>& known_;
  std::string path_;
};

// A header that is read like a cell: it holds functions or variables that statements may use, or includes one that
// does.
struct HeaderCell {
  Header header;
  std::string key;
  cell::ParseResult parsed;
  DeviceCode::CellRequest request;
  bool needs_session = false;  // the compiler cannot read it instead
  CellRun run(session::Sink& sink) { return {{key, header.text}, "header " + key, sink, &parsed.cell}; }
};

std::optional<HeaderCell> read_like_a_cell(Session& session, const CellRun& including, Header header,
                                           const DeviceCode::CellRequest& of_cell, std::size_t level = 0) {
  constexpr std::size_t kMostLevels = 16;  // headers may include each other
  auto key = header.path.string();
  auto parsed = cell::try_parse_device_code(header.text, key);
  if (parsed.error || level > kMostLevels) return std::nullopt;
  for (const auto& [name, value] : including.cell->library.macros())
    if (const auto* macro = including.cell->library.function_macro(name); parsed.cell.library.macros().contains(name))
      continue;
    else if (macro != nullptr)
      parsed.cell.library.define(name, *macro);
    else
      parsed.cell.library.define(name, value);
  HeaderCell read{std::move(header), std::move(key), std::move(parsed), of_cell};
  read.request.folder = read.header.path.parent_path().string();
  const auto run = read.run(including.sink);
  const auto includes_another = [&](const cell::DevicePiece& piece) {
    auto inner = piece.directive == "include" ? read_header(piece, read.request) : std::nullopt;
    return inner && read_like_a_cell(session, run, std::move(*inner), read.request, level + 1);
  };
  const auto& pieces = read.parsed.cell.device;
  read.needs_session = holds_host_code(session, run) || std::any_of(pieces.begin(), pieces.end(), includes_another);
  const auto is_for_statements = [&](const cell::DevicePiece& piece) {
    return cell::may_be_of_host(piece, run.source.text) || (piece.device_variable && piece.nesting == 0);
  };
  if (!read.needs_session && std::none_of(pieces.begin(), pieces.end(), is_for_statements)) return std::nullopt;
  return read;
}

// -DNAME, -D NAME=value, and what the cell defines.
cell::Macros macros_of(const CellRun& run, const std::vector<cell::Word>& options) {
  auto macros = run.cell->library.macros();
  for (std::size_t i = 0; i < options.size(); ++i) {
    std::string_view word = options[i].text;
    if (!word.starts_with("-D")) continue;
    word = word.size() == 2 && i + 1 < options.size() ? std::string_view(options[++i].text) : word.substr(2);
    const auto equals = std::min(word.find('='), word.size());
    macros.insert_or_assign(std::string(word.substr(0, equals)),
                            equals < word.size() ? std::string(word.substr(equals + 1)) : "1");
  }
  return macros;
}

// False where the compiler has to read it.
bool define_header(Session& session, CellRun& cell, Header header, const DeviceCode::CellRequest& of_cell) {
  auto& known = session.code().functions().headers();
  const auto key = header.path.string();
  if (const auto before = known.find(key); before != known.end() && before->second == header.text) return true;
  auto read = read_like_a_cell(session, cell, std::move(header), of_cell);
  if (!read) return false;
  const std::string_view text = read->header.text;
  std::erase_if(read->parsed.cell.device, [&](const cell::DevicePiece& piece) {
    return piece.directive == "pragma" &&
           text.substr(piece.span.begin, piece.span.end - piece.span.begin).find("once") != text.npos;
  });
  Reading reading(known, key, read->header.text);
  auto run = read->run(cell.sink);
  try {
    const auto view = define(session, run, std::move(read->request));
    if (!view.output.diagnostics.empty()) cell.sink.display(display::diagnostics_bundle(view.output.diagnostics));
  } catch (const Error&) {  // of a header that needs what the cell has before it
    if (read->needs_session) throw;
    return false;
  }
  reading.ends();
  return true;
}

}  // namespace

void define_host_headers(Session& session, CellRun& run, const DeviceCode::CellRequest& request) {
  open_branches(*run.cell, macros_of(run, request.options), [&](const cell::DevicePiece& piece) {
    auto header = piece.directive == "include" ? read_header(piece, request) : std::nullopt;
    return header && read_like_a_cell(session, run, std::move(*header), request);
  });
  auto& pieces = run.cell->device;
  for (std::size_t i = 0; i < pieces.size();) {
    // What an extern "C" or a namespace holds is a part of it.
    const bool alone = pieces[i].directive == "include" && pieces[i].nesting == 0;
    auto header = alone ? read_header(pieces[i], request) : std::nullopt;
    if (header && define_header(session, run, std::move(*header), request))
      pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  }
}

}  // namespace xcuda::interpreter
