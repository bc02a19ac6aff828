#include "ptx/source_places.hpp"

#include <algorithm>

namespace xcuda::ptx {
std::string source_name(std::string_view file) {
  if (file.starts_with("/In[")) file.remove_prefix(1);
  return std::string(file);
}

std::vector<Place> places(const Module& module, Index location) {
  std::vector<Place> chain;
  for (Index at = location; at != kNoIndex; at = module.locations[at].inlined_at) {
    const Location& loc = module.locations[at];
    Place& place = chain.emplace_back();
    if (loc.file != kNoIndex) place.source = source_name(module.files[loc.file]);
    place.line = loc.line;
    place.column = loc.column;
  }
  return chain;
}

Place place_of(const Module& module, const Function& function, Index instruction) {
  for (Index i = std::min<Index>(instruction + 1, static_cast<Index>(function.instructions.size())); i-- > 0;) {
    const Index location = function.instructions[i].location;
    if (location == kNoIndex || module.locations[location].line == 0) continue;
    std::vector<Place> chain = places(module, location);
    for (Place& place : chain)
      if (place.source.starts_with("In[")) return std::move(place);
    return std::move(chain.back());
  }
  return {};
}

}  // namespace xcuda::ptx
