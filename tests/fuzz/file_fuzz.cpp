// Any bytes as a file that xcuda-files decodes, the first of them says of which kind: elements or declarations, or one
// error.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "files/array_file.hpp"
#include "files/module_file.hpp"

namespace {

using namespace xcuda;
using namespace xcuda::files;

void require(bool condition) {
  if (!condition) std::abort();
}

void read_elements(const ArrayRequest& request, std::string_view bytes) {
  static const File file(memfd_create("fuzz", MFD_CLOEXEC));
  require(ftruncate(file.get(), 0) == 0);
  require(pwrite(file.get(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  require(lseek(file.get(), 0, SEEK_SET) == 0);
  const auto reader = make_array_reader(request, InputFile(File(dup(file.get())), "x"));
  // A header that passes is no larger than its file may be; some pieces of odd sizes are enough.
  std::vector<std::byte> piece(reader->facts().type.size * 77);
  auto left = std::min<std::uint64_t>(reader->facts().bytes(), std::uint64_t{4} << 20);
  while (left > 0) {
    const auto count = std::min<std::uint64_t>(left, piece.size());
    reader->read(std::span(piece).first(count));
    left -= count;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    switch (data[0] % 11) {
      case 0: read_elements({FileKind::npy}, bytes); break;
      case 1: read_elements({FileKind::png}, bytes); break;
      case 2: read_module({"m", "m.ptx", "compute_80", ModuleFile::Kind::ptx, std::string(bytes)}); break;
      case 3: read_module({"m", "m.cubin", "compute_80", ModuleFile::Kind::cubin, std::string(bytes)}); break;
      case 4: read_elements({FileKind::npz}, bytes); break;
      case 5: read_elements({FileKind::npz, "y"}, bytes); break;
      case 6: read_elements({FileKind::table}, bytes); break;
      case 7: read_elements({FileKind::table, "", Scalar::int16, 2}, bytes); break;
      case 8: read_elements({FileKind::jpeg}, bytes); break;
      case 9: read_elements({FileKind::bitmap}, bytes); break;
      default: read_elements({FileKind::portable_map}, bytes);
    }
  } catch (const Error& error) {
    require(error.kind != ErrorKind::internal && !error.message.empty());
  }
  return 0;
}
