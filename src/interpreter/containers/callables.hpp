// Functions, lambdas and objects that statements call with values: what compares, counts or visits elements.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cell/lexer.hpp"
#include "interpreter/frame.hpp"
#include "session/container_data.hpp"
#include "session/names.hpp"

namespace xcuda::interpreter {

class Callables : public Part {
 public:
  explicit Callables(Frame& frame) : Part(frame) {}

  // A call whose function and arguments are variables that are lent to it.
  struct Site {
    const cell::Expression* call = nullptr;
    NameTable::Symbol function{};
    std::vector<NameTable::Symbol> arguments;
  };
  struct Callable {
    std::shared_ptr<Variable> function;
    const Site* site = nullptr;
  };
  Callable of(const cell::Expression& expression, std::size_t arguments);
  Callable of(Value function, const cell::Expression& place, std::size_t arguments);
  Value call(const Callable& callable, const std::vector<ItemPtr>& arguments);

  // What a std::function of this type becomes by it.
  Value value(const std::string& type, const cell::Expression& expression);
  // A lambda as a function of statements: where it is called now, or where only statements can run it, because texts or
  // containers are in it. Nothing for one that the compiler can have.
  enum class Use : std::uint8_t { now, kept };
  std::optional<Function> lambda(const cell::Expression& lambda, Use use);

 private:
  using Captures = std::vector<std::pair<std::string, ItemPtr>>;
  std::optional<Captures> values_of(const cell::Expression& lambda, const std::vector<cell::Token>& tokens,
                                    std::size_t after, Use use);
  bool needs_statements(std::string_view text) const;

  std::map<std::pair<const cell::Expression*, std::size_t>, std::unique_ptr<Site>> sites_;
  std::map<const cell::Expression*, bool> needs_;
  std::deque<cell::ExpressionPtr> trees_;
  std::size_t names_ = 0;
};

}  // namespace xcuda::interpreter
