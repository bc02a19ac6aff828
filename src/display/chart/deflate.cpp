#include "display/chart/deflate.hpp"

#include <zlib.h>

#include "base/error.hpp"

namespace xcuda::display {

namespace {

// A chart's text is short and repeats what is near: a window of 8 KiB and its tables are 64 KiB, where zlib's own
// choice is four times as much, which costs more than the text itself.
constexpr int kWindowBits = 13, kMemoryLevel = 6;

}  // namespace

std::string deflated(std::string_view text) {
  z_stream stream{};
  bool done =
      deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kWindowBits, kMemoryLevel, Z_DEFAULT_STRATEGY) == Z_OK;
  std::string out;
  if (done) {
    out.resize(deflateBound(&stream, text.size()));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    out.resize(stream.total_out);
    deflateEnd(&stream);
  }
  if (!done) throw Error(ErrorKind::memory, "cannot compress an output").said("zlib is out of memory");
  return out;
}

}  // namespace xcuda::display
