// What is in a file, as xcuda-files tells the session.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "files/array_file.hpp"

namespace xcuda::files {

nlohmann::json to_json(const ArrayFacts& facts);

// Errors: io, for facts that no file has. A file may have taken over the process that decodes it.
ArrayFacts facts_from(const nlohmann::json& json);

}  // namespace xcuda::files
