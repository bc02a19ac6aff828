#include <algorithm>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/input_file.hpp"
#include "base/text.hpp"
#include "cell/lexer.hpp"
#include "cell/parse.hpp"
#include "command/program/program_cell.hpp"
#include "compiler/host_headers.hpp"
#include "compiler/toolkit.hpp"
#include "interpreter/run_cell.hpp"

namespace xcuda::command {
namespace {

constexpr std::uint64_t kMostHeader = 1 << 20;  // bytes

using cell::DeviceKind;
using cell::DevicePiece;

// Whether device code may use it when it has no annotation.
bool may_be_used(const DevicePiece& piece, std::string_view text) {
  switch (piece.kind) {
    case DeviceKind::type:
    case DeviceKind::alias: return true;
    case DeviceKind::directive: return piece.directive == "define";
    case DeviceKind::variable: return piece.constexpr_variable;
    case DeviceKind::other: return trim(text).starts_with("namespace");
    case DeviceKind::function: return trim(text).starts_with("constexpr");
    default: return false;
  }
}

bool is_for_the_device(const DevicePiece& piece) {
  return piece.kernel || piece.device_variable || piece.constant_variable ||
         (piece.annotated && (piece.kind == DeviceKind::function || piece.kind == DeviceKind::prototype));
}

// The session's own code, Thrust and its like, and the headers of C++ whose stand-ins for device code only say that
// they are for the host.
bool is_for_the_host(const std::string& header) {
  if (compiler::is_host_header(header) || header == kSessionHeader) return true;
  const auto stand_in = compiler::own_include_folder(compiler::current_environment()) + "/xcuda_std/" + header;
  const auto text = try_read_file(stand_in, kMostHeader);
  const auto* said = std::get_if<std::string>(&text);
  return said != nullptr && said->find("#error") != std::string::npos;
}

// What stays as it is, whatever uses it: what opens and closes others is kept by its inside being blanked only.
bool is_kept_always(const DevicePiece& piece, std::string_view text) {
  if (trim(text).starts_with("using namespace")) return true;
  if (piece.kind != DeviceKind::directive) return piece.container;
  if (piece.directive == "include") return !is_for_the_host(piece.name);
  return piece.container || piece.directive == "undef" || piece.directive == "pragma";
}

// The cell with blanks in place of what is not for the device: lines and columns stay.
std::string device_part(const cell::Cell& parsed) {
  const auto& pieces = parsed.device;
  const auto text_of = [&](const DevicePiece& piece) {
    return std::string_view(parsed.text).substr(piece.span.begin, piece.span.end - piece.span.begin);
  };
  std::vector<bool> kept(pieces.size());
  std::set<std::string_view> used;
  const auto keep = [&](std::size_t i) {
    kept[i] = true;
    const auto text = text_of(pieces[i]);
    const auto begin = pieces[i].kind == DeviceKind::directive ? text.find("define") + 6 : 0;
    for (const auto& token : cell::tokens_of(text.substr(std::min(begin, text.size()))))
      if (token.is_identifier()) used.insert(token.text);
  };
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (!pieces[i].container && is_for_the_device(pieces[i])) keep(i);
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const auto& piece = pieces[i];
      const auto name = std::string_view(piece.name).substr(piece.name.rfind(':') + 1);
      if (kept[i] || piece.container || !used.contains(name) || !may_be_used(piece, text_of(piece))) continue;
      keep(i);
      more = true;
    }
  }
  std::string text = parsed.text;
  const auto blank = [&](cell::Span span) {
    for (auto at = span.begin; at < span.end; ++at)
      if (text[at] != '\n') text[at] = ' ';
  };
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (!kept[i] && !is_kept_always(pieces[i], text_of(pieces[i]))) blank(pieces[i].span);
  return text;
}

}  // namespace

void keep_device_code(Invocation& call, const std::vector<nvcc::SourceFile>& files) {
  // The line of the magic becomes blanks, so that places are those of the cell.
  std::string text(call.run.source.text);
  const auto body = call.magic.body_span;
  std::fill(text.begin(), text.begin() + body.begin, ' ');
  for (std::size_t at = 0; at < body.begin; ++at)
    if (call.run.source.text[at] == '\n') text[at] = '\n';
  auto parsed = cell::try_parse_device_code(text, call.run.source.name);
  if (parsed.error) throw std::move(*parsed.error);
  auto kept = cell::parse_cell(device_part(parsed.cell), call.run.source.name);
  session::CellRun run{call.run.source, call.run.cell_id, call.run.sink};
  run.cell = &kept;
  session::DeviceCode::CellRequest request;
  if (!files.empty())
    request.options = {{.text = "-I", .span = {}},
                       {.text = call.runner.programs().folder_with(files).string(), .span = {}}};
  const auto view = interpreter::define(call.session, run, std::move(request));
  if (!view.output.diagnostics.empty()) call.show(display::diagnostics_bundle(view.output.diagnostics));
}

}  // namespace xcuda::command
