// What the checker asks of the session, and of the device code of the checked cell, which is not installed yet.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/compile_output.hpp"
#include "language/environment.hpp"
#include "session/session.hpp"

namespace xcuda::interpreter {

using namespace session;

struct TypeText {
  const cell::DevicePiece* piece;
  std::string_view text;
};

class SessionNames final : public language::Environment {
 public:
  // compiled: of the cell's device code; null where it has none, or where it is installed already.
  SessionNames(Session& session, CellRun& run, const compiler::CompileOutput* compiled = nullptr)
      : session_(session), run_(run), compiled_(compiled) {}

  std::optional<language::Form> find(const std::string& name) override;
  TypeAnswer find_type(const std::string& spelling, cell::Span span) override;
  std::optional<std::vector<Member>> members_of(const Type& type) override;
  bool is_function(std::string_view name) override;
  bool is_type(std::string_view name) override;
  Enumeration enumeration(std::string_view type) override;
  std::string enumeration_of(const std::string& enumerator) override;
  std::string_view access_of(const Type& type, std::string_view member, std::string_view function) override;
  bool is_function_pointer(std::string_view type) override;
  const cell::HostFunction* host_function(std::string_view name, std::size_t arguments) override;
  const cell::HostFunction* host_method(const Type& type, std::string_view name, std::size_t arguments) override;
  bool gives_reference(std::string_view name) override;
  bool is_module_function(std::string_view name) override;
  ModuleCall module_call(const cell::Call& call, cell::Span span, std::span<const language::Form> arguments) override;
  bool takes_memory(std::string_view function) override;
  bool is_macro(std::string_view name) override;
  Type result_type(std::string_view function) override;
  bool is_device_code(const std::string& name) override;
  std::vector<std::string> kernels() override;
  std::vector<std::string> names() override;
  std::optional<Error> refuse(const cell::Launch& launch, cell::Span span,
                              std::span<const language::Form> arguments) override;
  void check(const cell::Magic& magic) override { session_.commands().check(run_, magic); }

 private:
  bool has_defaults(std::string_view kernel) const;
  const cell::DevicePiece* piece(std::string_view name) const;  // of the cell; the last of this name
  std::optional<TypeText> newest_type(const std::function<bool(const cell::DevicePiece&)>& holds) const;
  language::Form form_of_piece(const cell::DevicePiece& piece);
  language::Form form_of_text(const std::string& text);  // of a constant's or a macro's value
  bool is_open() const;  // the cell includes or opens something unknown: any name may be from there

  Session& session_;
  CellRun& run_;
  const compiler::CompileOutput* compiled_;
  int depth_ = 0;  // of constants that name others
};

language::Form form_of(const Value& value);                        // as it is now
bool points_to_function(Session& session, std::string_view type);  // using F = float (*)(float);

// Checks statements before anything of the cell happens. Throws CheckFailure.
void check_statements(Session& session, CellRun& run, const compiler::CompileOutput* compiled);

}  // namespace xcuda::interpreter
