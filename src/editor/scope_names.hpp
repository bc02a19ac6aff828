// The names of a session as the checker asks for them, so that an expression that is being typed has the type that its
// cell would give it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command/scope.hpp"
#include "language/environment.hpp"
#include "language/form.hpp"

namespace xcuda::editor {

class ScopeNames final : public language::Environment {
 public:
  explicit ScopeNames(const command::Scope& scope) : scope_(scope) {}

  std::optional<language::Form> find(const std::string& name) override;
  TypeAnswer find_type(const std::string& spelling, cell::Span span) override;
  std::optional<std::vector<Member>> members_of(const Type&) override { return std::nullopt; }
  bool is_function(std::string_view name) override;
  bool is_macro(std::string_view) override { return false; }
  Type result_type(std::string_view) override { return {}; }
  bool is_device_code(const std::string&) override { return false; }
  std::vector<std::string> kernels() override { return {}; }
  std::vector<std::string> names() override { return {}; }
  std::optional<Error> refuse(const cell::Launch&, cell::Span, std::span<const language::Form>) override {
    return std::nullopt;
  }

 private:
  const command::Scope& scope_;
};

// The form of the text from `begin` to the . or -> in front of the cursor, also in a block that is not closed yet. If
// the text before it does not parse, names are those of the session, unless the cell declares them.
struct ObjectText {
  std::size_t end = 0;  // of the . or ->
  bool declared = false;
};
language::Form form_at(std::string_view code, std::size_t begin, ObjectText object, const command::Scope& scope);

// The type of the value of a text, or of its elements if it is an array; empty if unknown.
std::string type_of_text(std::string_view expression, const command::Scope& scope);

}  // namespace xcuda::editor
