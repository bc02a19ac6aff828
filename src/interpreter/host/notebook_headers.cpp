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

// Of a header that is read like a cell: it holds functions for the host, or includes one that does.
bool is_like_a_cell(Session& session, const CellRun& cell, const Header& header, const DeviceCode::CellRequest& of_cell,
                    std::size_t level);

bool includes_host_code(Session& session, const CellRun& run, const DeviceCode::CellRequest& request,
                        std::size_t level = 0) {
  constexpr std::size_t kMostLevels = 16;  // headers may include each other
  const auto& pieces = run.cell->device;
  return level < kMostLevels && std::any_of(pieces.begin(), pieces.end(), [&](const cell::DevicePiece& piece) {
           const auto header = piece.directive == "include" ? read_header(piece, request) : std::nullopt;
           return header && is_like_a_cell(session, run, *header, request, level + 1);
         });
}

bool is_like_a_cell(Session& session, const CellRun& cell, const Header& header, const DeviceCode::CellRequest& of_cell,
                    std::size_t level) {
  const auto key = header.path.string();
  auto parsed = cell::try_parse_device_code(header.text, key);
  if (parsed.error) return false;
  CellRun run{{key, header.text}, "header " + key, cell.sink};
  run.cell = &parsed.cell;
  auto request = of_cell;
  request.folder = header.path.parent_path().string();
  return holds_host_code(session, run) || includes_host_code(session, run, request, level);
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
  auto parsed = cell::try_parse_device_code(header.text, key);
  if (parsed.error) return false;
  CellRun run{{key, header.text}, "header " + key, cell.sink};
  run.cell = &parsed.cell;
  auto request = of_cell;
  request.folder = header.path.parent_path().string();
  for (const auto& [name, value] : cell.cell->library.macros())
    if (!parsed.cell.library.macros().contains(name)) parsed.cell.library.define(name, value);
  if (!holds_host_code(session, run) && !includes_host_code(session, run, request)) return false;
  std::erase_if(parsed.cell.device, [&](const cell::DevicePiece& piece) {
    return piece.directive == "pragma" &&
           std::string_view(header.text).substr(piece.span.begin, piece.span.end - piece.span.begin).find("once") !=
               std::string_view::npos;
  });
  Reading reading(known, key, header.text);
  const auto view = define(session, run, std::move(request));
  if (!view.output.diagnostics.empty()) cell.sink.display(display::diagnostics_bundle(view.output.diagnostics));
  reading.ends();
  return true;
}

}  // namespace

void define_host_headers(Session& session, CellRun& run, const DeviceCode::CellRequest& request) {
  open_branches(*run.cell, macros_of(run, request.options), [&](const cell::DevicePiece& piece) {
    const auto header = piece.directive == "include" ? read_header(piece, request) : std::nullopt;
    return header && is_like_a_cell(session, run, *header, request, 0);
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
