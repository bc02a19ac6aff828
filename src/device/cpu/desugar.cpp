#include "device/cpu/desugar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.hpp"

namespace xcuda::device::cpu {
namespace {

constexpr auto npos = std::string_view::npos;

// A statement of PTX: what stands in front of the opcode (a guard, or nothing), the opcode, the operands.
struct Statement {
  std::size_t begin = 0, end = 0;  // bytes of the text, with the semicolon
  std::string_view guard, opcode;
  std::vector<std::string_view> operands;
};

Statement statement_at(std::string_view text, std::size_t at) {
  Statement statement;
  const auto before = text.find_last_of(";{}:\n", at);
  statement.begin = before == npos ? 0 : before + 1;
  const auto semicolon = text.find(';', at);
  if (semicolon == npos) return statement;  // a text that is cut short
  statement.end = semicolon + 1;
  statement.guard = trim(text.substr(statement.begin, at - statement.begin));
  auto rest = text.substr(at, statement.end - at - 1);
  const auto blank = std::min(rest.find_first_of(" \t\n"), rest.size());
  statement.opcode = rest.substr(0, blank);
  rest.remove_prefix(blank);
  while (!trim(rest).empty()) {
    const auto comma = std::min(rest.find(','), rest.size());
    statement.operands.push_back(trim(rest.substr(0, comma)));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return statement;
}

// Where a word begins that starts so, from a place on; not inside a longer word or a comment of one line.
std::size_t find_opcode(std::string_view text, std::string_view word, std::size_t from) {
  for (auto at = text.find(word, from); at != npos; at = text.find(word, at + 1)) {
    const char before = at == 0 ? '\n' : text[at - 1];
    const auto line = text.rfind('\n', at) + 1;  // npos + 1 is 0
    const bool comment = text.substr(line, at - line).find("//") != npos;
    if ((before == ' ' || before == '\t' || before == '\n' || before == ';' || before == '{' || before == '}' ||
         before == ':') &&
        !comment)
      return at;
  }
  return npos;
}

class Desugarer {
 public:
  explicit Desugarer(std::string_view text) : text_(text) {}

  std::string run() {
    for (const std::string_view word : {"bar.", "barrier.", "brx.idx"})
      for (auto at = find_opcode(text_, word, 0); at != npos; at = find_opcode(text_, word, at + 1)) {
        const Statement statement = statement_at(text_, at);
        if (const auto written = word == "brx.idx" ? jump(statement) : barrier(statement); !written.empty())
          edits_.push_back({statement.begin, statement.end, guarded(statement, written)});
      }
    if (barriers_) prepare_barriers();
    std::sort(edits_.begin(), edits_.end(), [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
    std::string result;
    std::size_t done = 0;
    for (const auto& edit : edits_) {
      result.append(text_.substr(done, edit.begin - done)).append(edit.text);
      done = edit.end;
    }
    return result.append(text_.substr(done));
  }

 private:
  struct Edit {
    std::size_t begin, end;
    std::string text;
  };

  // `@p statement`: a jump over it.
  std::string guarded(const Statement& statement, const std::string& written) {
    if (statement.guard.empty()) return " " + written;
    auto guard = std::string(statement.guard.substr(1));
    guard = guard.starts_with('!') ? guard.substr(1) : "!" + guard;
    return fmt::format(" @{0} bra $xcuda_over_{1}; {2} $xcuda_over_{1}: ", guard, ++labels_, written);
  }

  // Of the nearest list of this name: names may come again in other functions.
  std::string jump(const Statement& statement) {
    if (statement.operands.size() != 2) return {};
    std::vector<std::string_view> targets;
    std::size_t nearest = npos;
    for (auto at = text_.find(".branchtargets"); at != npos; at = text_.find(".branchtargets", at + 1)) {
      const auto colon = text_.rfind(':', at);
      const auto name_end = colon == npos ? 0 : text_.find_last_not_of(" \t\n", colon - 1) + 1;
      const auto name_begin = text_.find_last_of(" \t\n;{}", name_end - 1) + 1;
      const auto distance = at > statement.begin ? at - statement.begin : statement.begin - at;
      if (text_.substr(name_begin, name_end - name_begin) != statement.operands[1] || distance >= nearest) continue;
      nearest = distance;
      targets = statement_at(text_, at).operands;
    }
    if (targets.empty()) return {};
    std::string written = "{ .reg .pred %xcuda_t; ";
    for (std::size_t i = 0; i + 1 < targets.size(); ++i)
      written += fmt::format("setp.eq.u32 %xcuda_t, {}, {}; @%xcuda_t bra {}; ", statement.operands[0], i, targets[i]);
    return written + fmt::format("bra {}; }}", targets.back());
  }

  // A barrier of a count of threads is a counter and a number that rises each time the count is full. A GPU has
  // sixteen of them.
  std::string barrier(const Statement& statement) {
    const auto& opcode = statement.opcode;
    const bool arrives = opcode.find(".arrive") != npos, waits = opcode.find(".sync") != npos;
    if (statement.operands.size() != 2 || (!arrives && !waits) || opcode.find(".warp") != npos ||
        opcode.find(".cluster") != npos)
      return {};
    barriers_ = true;
    auto written = fmt::format(
        "{{ .reg .pred %xcuda_p; .reg .b32 %xcuda_n, %xcuda_o, %xcuda_g, %xcuda_h; .reg .b64 %xcuda_a; membar.cta; "
        "mov.u64 %xcuda_a, xcuda_barriers; mov.u32 %xcuda_n, {}; mad.wide.u32 %xcuda_a, %xcuda_n, 8, %xcuda_a; "
        "ld.volatile.shared.u32 %xcuda_g, [%xcuda_a+4]; mov.u32 %xcuda_n, {}; sub.u32 %xcuda_n, %xcuda_n, 1; "
        "atom.shared.add.u32 %xcuda_o, [%xcuda_a], 1; setp.eq.u32 %xcuda_p, %xcuda_o, %xcuda_n; "
        "@%xcuda_p st.volatile.shared.u32 [%xcuda_a], 0; @%xcuda_p atom.shared.add.u32 %xcuda_h, [%xcuda_a+4], 1; ",
        statement.operands[0], statement.operands[1]);
    if (waits)
      written += fmt::format(
          "$xcuda_wait_{0}: ld.volatile.shared.u32 %xcuda_h, [%xcuda_a+4]; setp.eq.u32 %xcuda_p, %xcuda_h, %xcuda_g; "
          "@%xcuda_p bra $xcuda_wait_{0}; membar.cta; ",
          ++labels_);
    return written + "}";
  }

  // The counters, and their zeros: the first warp of a block begins before the others.
  void prepare_barriers() {
    const auto version = text_.find(".address_size");
    const auto line = version == npos ? npos : text_.find('\n', version);
    if (line == npos) return;
    edits_.push_back({line, line, " .shared .align 8 .b8 xcuda_barriers[128];"});
    for (auto at = find_opcode(text_, ".entry", 0); at != npos; at = find_opcode(text_, ".entry", at + 1)) {
      const auto body = text_.find('{', at);
      if (body == npos) return;
      std::string zeros =
          " { .reg .pred %xcuda_p; .reg .b32 %xcuda_x, %xcuda_y; mov.u32 %xcuda_x, %tid.x; mov.u32 %xcuda_y, %tid.y; "
          "or.b32 %xcuda_x, "
          "%xcuda_x, %xcuda_y; mov.u32 %xcuda_y, %tid.z; or.b32 %xcuda_x, %xcuda_x, %xcuda_y; setp.eq.u32 %xcuda_p, "
          "%xcuda_x, 0; ";
      for (int i = 0; i < 16; ++i)
        zeros += fmt::format("@%xcuda_p st.volatile.shared.u32 [xcuda_barriers+{}], 0; ", 8 * i);
      edits_.push_back({body + 1, body + 1, zeros + "}"});
    }
  }

  std::string_view text_;
  std::vector<Edit> edits_;
  int labels_ = 0;
  bool barriers_ = false;
};

}  // namespace

std::string desugared(std::string_view ptx) { return Desugarer(ptx).run(); }

}  // namespace xcuda::device::cpu
