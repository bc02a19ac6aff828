// Template arguments as C++ deduces them, of functions and kernels: from T, T*, T& and span<T>, from other templates by
// their arguments, and from defaults.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "interpreter/frame.hpp"

namespace xcuda::interpreter {

class TemplateArguments : public Part {
 public:
  explicit TemplateArguments(Frame& frame) : Part(frame) {}

  using Given = std::map<std::string, std::string, std::less<>>;  // parameter -> argument
  struct Request {
    const cell::HostFunction& function;
    const std::vector<cell::Argument>& arguments;
    std::string_view name;  // as it is called, with the arguments that are written
    cell::Span span;
  };
  static std::size_t written_in(std::string_view name);  // how many arguments "f<float, 2>" has
  // Error(type) where one cannot be deduced.
  Given of(const Request& request);

 private:
  std::string deduced(const std::string& parameter, const Request& request);
  std::string deduced(const std::string& parameter, const cell::Declaration& declared,
                      const cell::Expression& argument);
  void add_pack(const cell::TemplateParameter& pack, std::size_t written, const Request& request, Given& given);
  language::Form form_of_argument(const cell::Expression& argument);
};

}  // namespace xcuda::interpreter
