// Checks statements before any of them runs: finds what each expression is, and all errors that can be known by then.
// What depends on a file, a value on the device or an earlier command of the cell is `unknown`, and not reported.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "cell/lexer.hpp"
#include "cell/tree.hpp"
#include "language/environment.hpp"
#include "language/form.hpp"

namespace xcuda::language {

// The length of char name[] = "text", with the 0 at its end; nothing where the initial value is not a text.
std::optional<std::uint64_t> length_of_text(const cell::Declarator& declarator);

constexpr std::size_t kMostErrors = 20;

// Something that is not an error, but hardly meant.
struct Remark {
  std::string text;
  Place place;
};

// Forms by the expressions of a tree, which outlives them.
using Forms = std::unordered_map<const cell::Expression*, Form>;

struct Checked {
  Forms forms;
  std::vector<cell::ExpressionPtr> made;  // expressions in `forms` that the tree lacks: sum(x) for x.sum()
  std::vector<Error> errors;              // in the order of the text, kMostErrors at most
  std::vector<Remark> remarks;
  // Functions that a compiler refused and that are not statements either, or that hold what statements cannot.
  std::vector<std::pair<cell::Span, Error>> unusable;
};

// Source and tree outlive the answer.
Checked check(const std::vector<cell::StatementPtr>& statements, const cell::Source& source, Environment& environment,
              const std::vector<cell::HostFunctionPtr>& functions = {});
Checked check(const cell::Expression& expression, const cell::Source& source, Environment& environment);
// What an expression is, whatever is wrong with it.
Form form_of(const cell::Expression& expression, const cell::Source& source, Environment& environment);

}  // namespace xcuda::language
