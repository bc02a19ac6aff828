// A session in this process whose system calls, and those of its workers, fail as a plan says.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "command/runner.hpp"
#include "programs/session_parts.hpp"
#include "tests/faults/plan.hpp"
#include "tests/process/cell_script.hpp"

namespace xcuda::test {

Plan& shared_plan();  // of this program and all that it starts; the program has the library in front by now

struct Outcome {
  std::string text;                          // what it shows
  std::optional<display::ErrorView> failed;  // its error
  std::string said() const;                  // both, where a time or an address is a "#"
};

// What a session may not have more of after a fault.
struct Held {
  std::map<std::string, int> processes;           // by name, the session's own included: its descriptors
  std::vector<std::string> files;                 // of the working folder
  std::string difference(const Held& now) const;  // empty when nothing differs
};

class FaultySession {
 public:
  FaultySession();  // in a fresh folder that holds the script's files
  ~FaultySession();

  static void prepare(const std::string& code);  // ends the process that "// without NAME" names
  Outcome run(const std::string& code);
  std::string damage();  // of the arrays that no cell changes; empty when all are whole
  Held held() const;

 private:
  std::string folder_;
  Machine machine_;
  command::Runner runner_;
  session::Session session_;
  int cells_ = 0;
  int fresh_ = 0;
};

}  // namespace xcuda::test
