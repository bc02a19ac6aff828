#include "device/cpu/lower/desugar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
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
    std::vector<std::string_view> words = {"bar.", "barrier.", "brx.idx"};
    if (text_.find("alloca.u64") != npos)
      words.insert(words.end(), {"alloca.u64", "stacksave.u64", "stackrestore.u64"});
    for (const std::string_view word : words)
      for (auto at = find_opcode(text_, word, 0); at != npos; at = find_opcode(text_, word, at + 1)) {
        const Statement statement = statement_at(text_, at);
        const auto written = word == "brx.idx"       ? jump(statement)
                             : word.starts_with('b') ? barrier(statement)
                                                     : stack(statement, at);
        if (!written.empty()) edits_.push_back({statement.begin, statement.end, guarded(statement, written)});
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

  // A thread's memory from alloca() is a local variable and how far it is used. As much as a GPU gives unasked,
  // times 4.
  std::string stack(const Statement& statement, std::size_t at) {
    const auto& operands = statement.operands;
    const bool allocates = statement.opcode.starts_with("alloca");
    if (operands.size() != 1 && !(allocates && (operands.size() == 2 || operands.size() == 3))) return {};
    if (!use_stack(at)) return {};
    if (statement.opcode.starts_with("stacksave")) return fmt::format("mov.u64 {}, %xcuda_top; ", operands[0]);
    if (!allocates) return fmt::format("mov.u64 %xcuda_top, {}; ", operands[0]);
    if (operands.size() < 2) return {};
    return fmt::format(
        "{{ .reg .pred %xcuda_p; .reg .b64 %xcuda_n, %xcuda_u; mov.u64 %xcuda_n, {1}; add.u64 %xcuda_top, %xcuda_top, "
        "{2}; sub.u64 %xcuda_top, %xcuda_top, 1; and.b64 %xcuda_top, %xcuda_top, -{2}; mov.u64 {0}, %xcuda_top; "
        "add.u64 %xcuda_top, %xcuda_top, "
        "%xcuda_n; mov.u64 %xcuda_u, xcuda_stack; sub.u64 %xcuda_u, %xcuda_top, %xcuda_u; setp.gt.u64 %xcuda_p, "
        "%xcuda_u, 4096; @%xcuda_p trap; }}",
        operands[0], operands[1], operands.size() == 3 ? operands[2] : "8");
  }

  // The variable in the function that holds this place.
  bool use_stack(std::size_t at) {
    const auto entry = text_.rfind(".entry", at), function = text_.rfind(".func", at);
    const auto head = entry == npos ? function : function == npos ? entry : std::max(entry, function);
    const auto body = head == npos ? npos : text_.find('{', head);
    if (body == npos || body > at) return false;
    if (std::exchange(stack_body_, body) != body)
      edits_.push_back({body + 1, body + 1,
                        " .local .align 16 .b8 xcuda_stack[4096]; .reg .b64 %xcuda_top; mov.u64 %xcuda_top, "
                        "xcuda_stack;"});
    return true;
  }

  // A barrier of a count of threads is a counter and a number that rises each time the count is full. A GPU has
  // sixteen of them.
  std::string barrier(const Statement& statement) {
    const auto& opcode = statement.opcode;
    const bool arrives = opcode.find(".arrive") != npos, waits = opcode.find(".sync") != npos;
    if (opcode.find(".red") != npos && statement.operands.size() == 4) return vote(statement);
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

  // The same with a vote: those that say yes are counted in one word, and the last one to come puts the sum into one of
  // two others by turns, so that the next round does not overwrite it before all have read it.
  std::string vote(const Statement& statement) {
    const auto& operands = statement.operands;  // result, barrier, threads, predicate
    barriers_ = true;
    auto written = fmt::format(
        "{{ .reg .pred %xcuda_p; .reg .b32 %xcuda_n, %xcuda_o, %xcuda_g, %xcuda_h, %xcuda_c; .reg .b64 %xcuda_a, "
        "%xcuda_v, %xcuda_w; membar.cta; mov.u64 %xcuda_a, xcuda_barriers; mov.u32 %xcuda_n, {}; mad.wide.u32 "
        "%xcuda_v, %xcuda_n, 16, %xcuda_a; mad.wide.u32 %xcuda_a, %xcuda_n, 8, %xcuda_a; mov.u32 %xcuda_n, {}; "
        "ld.volatile.shared.u32 %xcuda_g, [%xcuda_a+4]; and.b32 %xcuda_c, %xcuda_g, 1; mad.wide.u32 %xcuda_w, "
        "%xcuda_c, 4, %xcuda_v; mov.u32 %xcuda_c, 0; @{} mov.u32 %xcuda_c, 1; atom.shared.add.u32 %xcuda_o, "
        "[%xcuda_v+128], %xcuda_c; atom.shared.add.u32 %xcuda_o, [%xcuda_a], 1; add.u32 %xcuda_o, %xcuda_o, 1; "
        "setp.eq.u32 %xcuda_p, %xcuda_o, %xcuda_n; ld.volatile.shared.u32 %xcuda_h, [%xcuda_v+128]; ",
        operands[1], operands[2], operands[3]);
    written += fmt::format(
        "@%xcuda_p st.volatile.shared.u32 [%xcuda_w+132], %xcuda_h; @%xcuda_p st.volatile.shared.u32 [%xcuda_v+128], "
        "0; @%xcuda_p st.volatile.shared.u32 [%xcuda_a], 0; @%xcuda_p atom.shared.add.u32 %xcuda_h, [%xcuda_a+4], 1; "
        "$xcuda_wait_{0}: ld.volatile.shared.u32 %xcuda_h, [%xcuda_a+4]; setp.eq.u32 %xcuda_p, %xcuda_h, %xcuda_g; "
        "@%xcuda_p bra $xcuda_wait_{0}; membar.cta; ld.volatile.shared.u32 %xcuda_h, [%xcuda_w+132]; ",
        ++labels_);
    if (statement.opcode.find(".popc") != npos) return written + fmt::format("mov.u32 {}, %xcuda_h; }}", operands[0]);
    const bool all = statement.opcode.find(".and") != npos;
    return written +
           fmt::format("setp.{}.u32 {}, %xcuda_h, {}; }}", all ? "eq" : "ne", operands[0], all ? "%xcuda_n" : "0");
  }

  // The counters, and their zeros: the first warp of a block begins before the others.
  void prepare_barriers() {
    const auto version = text_.find(".address_size");
    const auto line = version == npos ? npos : text_.find('\n', version);
    if (line == npos) return;
    edits_.push_back({line, line, " .shared .align 8 .b8 xcuda_barriers[384];"});
    for (auto at = find_opcode(text_, ".entry", 0); at != npos; at = find_opcode(text_, ".entry", at + 1)) {
      const auto body = text_.find('{', at);
      if (body == npos) return;
      std::string zeros =
          " { .reg .pred %xcuda_p; .reg .b32 %xcuda_x, %xcuda_y; mov.u32 %xcuda_x, %tid.x; mov.u32 %xcuda_y, %tid.y; "
          "or.b32 %xcuda_x, "
          "%xcuda_x, %xcuda_y; mov.u32 %xcuda_y, %tid.z; or.b32 %xcuda_x, %xcuda_x, %xcuda_y; setp.eq.u32 %xcuda_p, "
          "%xcuda_x, 0; ";
      for (int i = 0; i < 16; ++i)
        zeros += fmt::format(
            "@%xcuda_p st.volatile.shared.u32 [xcuda_barriers+{}], 0; @%xcuda_p st.volatile.shared.u32 "
            "[xcuda_barriers+{}], 0; ",
            8 * i, 128 + 16 * i);
      edits_.push_back({body + 1, body + 1, zeros + "}"});
    }
  }

  std::string_view text_;
  std::vector<Edit> edits_;
  int labels_ = 0;
  bool barriers_ = false;
  std::size_t stack_body_ = npos;  // of the last function that has a stack
};

}  // namespace

std::string desugared(std::string_view ptx) { return Desugarer(ptx).run(); }

}  // namespace xcuda::device::cpu
