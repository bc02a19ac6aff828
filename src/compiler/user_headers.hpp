// The user's own headers: found beside the cell (the working folder), beside the header that includes them, and in -I
// folders; read, nested ones too, so that a change in any of them is seen.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/error.hpp"
#include "compiler/compile_output.hpp"

namespace xcuda::compiler {

struct IncludeName {
  std::string name;     // "x.h"
  bool quoted = false;  // "x.h" rather than <x.h>
  Place place = {};     // of the directive, for errors
};
// What follows #include; nothing for a macro, and for a name that no file can have.
std::optional<IncludeName> include_name(std::string_view rest);

class UserHeaders {
 public:
  // The absolute path of an included file; lists its text and the files that it includes. Nothing when it is not the
  // user's. folder: of the file that includes it. Error(io) for a file that cannot be read to its end: a FIFO, a
  // device, a file that grows. The compiler would wait for it.
  std::optional<std::string> find(const IncludeName& include, const std::string& folder,
                                  const std::vector<std::string>& search);

  std::vector<HeaderText> take() { return std::move(headers_); }
  // false: an include that only the preprocessor can name, or too much text
  bool complete() const { return complete_; }
  const std::optional<Error>& failure() const { return failure_; }  // the first one, with its place

 private:
  void note(Error error, const IncludeName& include);
  std::optional<std::string> first_candidate(const IncludeName& include, const std::string& folder,
                                             const std::vector<std::string>& search);
  std::vector<IncludeName> read(const std::string& path, const IncludeName& include);

  std::vector<HeaderText> headers_;
  std::unordered_set<std::string> seen_;
  std::size_t bytes_ = 0;
  bool complete_ = true;
  std::optional<Error> failure_;
};

}  // namespace xcuda::compiler
