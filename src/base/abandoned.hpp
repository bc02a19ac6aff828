// Temporary files whose writer holds a lock on them: the system lets go when it is killed, and the next one that writes
// to the folder removes them.
#pragma once

#include <functional>
#include <string_view>

#include "base/handle.hpp"

namespace xcuda {

// Locks a file that was just created, until it is closed. False when it was taken for abandoned meanwhile: create
// another one. A file system without locks does without.
bool hold(const File& file);

// Removes the user's regular files of these names that nobody holds. A file that cannot be removed stays: no error.
void remove_abandoned_files(const File& folder, const std::function<bool(std::string_view)>& is_temporary);

}  // namespace xcuda
