#include "display/chart/deflate.hpp"

#include <zlib.h>

#include "base/error.hpp"

namespace xcuda::display {

std::string deflated(std::string_view text) {
  auto length = compressBound(text.size());
  std::string out(length, '\0');
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &length, reinterpret_cast<const Bytef*>(text.data()), text.size(),
                Z_BEST_COMPRESSION) != Z_OK)
    throw Error(ErrorKind::memory, "cannot compress an output").said("zlib is out of memory");
  out.resize(length);
  return out;
}

}  // namespace xcuda::display
