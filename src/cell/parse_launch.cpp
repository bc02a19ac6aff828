// Launches: kernel<<<grid, block>>>(arguments).
#include <fmt/format.h>

#include "cell/make_statement.hpp"
#include "cell/parser.hpp"

namespace xcuda::cell {

std::size_t Parser::launch_name() {
  std::size_t i = at("::") ? 1 : 0;
  while (true) {
    const auto word = peek(i);
    if (!word.is_identifier() || is_keyword(word.text)) return 0;
    ++i;
    if (at("<", i)) {
      const auto after = scan_template_arguments(i);
      if (!after) return 0;
      i = *after;
    }
    if (at("<<<", i)) return i;
    if (!at("::", i)) return 0;
    ++i;
  }
}

StatementPtr Parser::launch_statement(std::size_t name_tokens) {
  Launch node;
  const auto begin = peek().span.begin;
  node.kernel.text = joined(0, name_tokens);
  for (std::size_t i = 0; i < name_tokens; ++i) next();
  node.kernel_span = {begin, previous_end_};
  const auto open = next();
  const auto at_close = [&] {
    return at(">") && at(">", 1) && at(">", 2) && !peek(1).space_before && !peek(2).space_before;
  };
  while (!at_end() && !at_close()) {
    node.configuration.push_back(initializer());
    if (!accept(",")) break;
  }
  if (failed()) return nullptr;
  if (!at_close()) {
    if (at_end()) {
      fail(open.span, "this '<<<' is not closed", "close it with >>>");
      failure_.at_end = true;
    } else {
      fail_expected("',' or '>>>'", "a launch is kernel<<<grid, block>>>(arguments); '>>' is a shift");
    }
    return nullptr;
  }
  for (int i = 0; i < 3; ++i) next();
  node.configuration_span = {open.span.begin, previous_end_};
  if (node.configuration.empty()) {
    fail(node.configuration_span, "a launch needs a grid and a block",
         fmt::format("write {}<<<grid, block>>>(...) or {}<<<cover(n)>>>(...)", node.kernel.text, node.kernel.text));
    return nullptr;
  }
  if (node.configuration.size() > 4) {
    fail(node.configuration[4]->span, "a launch has at most four values in <<< >>>",
         "the values are grid, block, shared bytes and stream");
    return nullptr;
  }
  if (!at("(")) {
    fail_expected("'(' and the kernel's arguments after >>>");
    return nullptr;
  }
  node.arguments = arguments();
  end_statement(node.shown);
  return make_statement({begin, previous_end_}, std::move(node));
}

}  // namespace xcuda::cell
