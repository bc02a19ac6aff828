// What a process does that is killed in the middle of it, and what must be true of its files then.
#pragma once

#include <string>
#include <vector>

namespace xcuda::test {

struct CrashWork {
  const char* name;
  void (*before)();             // what is there: the old content
  void (*work)();               // in a process of its own: makes the new content of it
  std::string (*wrong)();       // of old or new content; empty when it is one of them
  std::string (*unfinished)();  // of new content
};

// In the working folder.
const std::vector<CrashWork>& crash_works();

}  // namespace xcuda::test
