// Files that a program has written, shown in its cell.
#pragma once

#include <string>
#include <vector>

#include "command/invocation.hpp"

namespace xcuda::command {

// The images that --show names, as they are before the program runs.
class ShownFiles {
 public:
  // Error(value) for a name that is not an image's.
  explicit ShownFiles(Invocation& call);
  // Displays the images that the program has written. Error(io) for a missing one.
  void show() const;

 private:
  struct File {
    cell::Word word;
    std::string before;  // its size and time; empty: there was none
  };
  Invocation& call_;
  std::vector<File> files_;
};

}  // namespace xcuda::command
