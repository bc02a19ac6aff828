// The folders of compiled code that sessions of one user share: what --doctor says of them, and --clear-cache.
#pragma once

namespace xcuda {

void print_caches();
int clear_caches();  // the exit code

}  // namespace xcuda
