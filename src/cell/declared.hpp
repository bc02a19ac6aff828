// What a declaration declares: names, types, parameters and keys, from its tokens. Pure functions for parse_device.cpp.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cell/lexer.hpp"

namespace xcuda::cell {

// The tokens of a declaration in front of its parameters, extents or initialiser.
class DeclarationHead {
 public:
  void add(const Token& token);
  void extend(const std::vector<Token>& list);  // <...> after a name
  void name_operator(const Token& token, std::string symbol);
  void name_inside(const Token& token) { inside_ = token; }  // "(*op)"
  void broken() { broken_ = true; }

  bool has(std::string_view word) const;
  bool is_annotated() const;
  bool is_operator() const { return !symbol_.empty(); }
  bool is_pointer() const { return inside_.has_value(); }
  bool name_is_last() const { return name_begin_ && name_end_ == tokens.size(); }
  bool is_declaration() const;  // a type and a name
  std::string name() const;
  Span name_span() const;
  std::string type() const;  // without storage and CUDA specifiers
  struct ClassName {
    std::string text;
    Span span;
  };
  std::optional<ClassName> class_name(std::size_t class_key) const;

  std::vector<Token> tokens;

 private:
  std::optional<std::size_t> name_begin_;  // of the last qualified name
  std::size_t name_end_ = 0;
  std::string symbol_;  // "operator+"
  Span operator_span_;
  std::optional<Token> inside_;
  bool broken_ = false;
};

struct ParameterText {
  std::string name;         // empty when there is none
  std::vector<Token> type;  // without the name, the default value and a const of the parameter itself
};
// parameters: with the parentheses.
std::vector<ParameterText> split_parameters(const std::vector<Token>& parameters);

// "float const*,int": types only; the names of template parameters are replaced by their numbers, so that a function
// is the same when they are renamed.
std::string parameter_key(const std::vector<ParameterText>& parameters,
                          const std::vector<std::string>& template_parameters);

// Names of the parameters of "<class T, int N = 3>".
std::vector<std::string> template_parameters(const std::vector<Token>& list);
std::string template_text(const std::vector<Token>& list, const std::vector<std::string>& parameters);

// The name that "using X = T", "typedef T X", "typedef T (*X)(int)" and "concept X = ..." declare.
std::optional<Token> declared_alias(const std::vector<Token>& tokens);

// Name and initialiser of each enumerator; tokens: between the braces.
std::vector<std::pair<std::string, std::string>> enumerators_of(const std::vector<Token>& tokens);

// A preprocessor line's text without comments, continuations and outer blanks.
std::string without_comments(std::string_view line);

}  // namespace xcuda::cell
