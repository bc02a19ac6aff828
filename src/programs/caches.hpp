// The folders of compiled code that sessions of one user share, for --doctor and --clear-cache.
#pragma once

namespace xcuda {

void print_caches();
int clear_caches();  // the exit code

}  // namespace xcuda
