// A test that hangs fails, and says what hung.
#pragma once

#include <string>

namespace xcuda::test {

// What runs from now on has two minutes: then the process writes its name to stderr and exits with status 3, which ends
// the workers, too. Replaces the last one.
void must_end(const std::string& what);
void nothing_runs();

}  // namespace xcuda::test
