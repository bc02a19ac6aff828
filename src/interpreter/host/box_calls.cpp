#include "interpreter/host/box_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "interpreter/elements.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/runtime_calls.hpp"

namespace xcuda::interpreter {
namespace {

// What lies in one piece: all rows of a slice where these follow one another, and all slices likewise.
struct Pieces {
  std::uint64_t bytes, rows, slices;  // of a piece; pieces of a slice; slices with pieces of their own
  void join(std::uint64_t& count) { bytes *= std::exchange(count, 1); }
  template <class Do> void each(const Do& act) const {
    for (std::uint64_t z = 0; z < slices; ++z)
      for (std::uint64_t y = 0; y < rows; ++y) act(y, z);
  }
};

}  // namespace

Value BoxCalls::make_struct(std::string_view name, const language::Bound& given, cell::Span span) {
  const auto type = session_.code().find_type(run_.source, std::string(name.substr(name.find('_') + 1)), span);
  Object object{type, std::vector<std::byte>(type.size)};
  const auto members = session_.code().members_of(type);
  for (std::size_t i = 0; i < given.size() && i < members.size(); ++i)
    frame_.elements.read(*given[i], members[i].type,
                         std::span(object.bytes).subspan(members[i].offset, members[i].type.size));
  return object;
}

std::uint64_t BoxCalls::product(std::uint64_t a, std::uint64_t b, cell::Span span) const {
  std::uint64_t result = 0;
  if (!__builtin_mul_overflow(a, b, &result)) return result;
  throw error(ErrorKind::value, "the number of bytes overflows 64 bits", span);
}

std::uint64_t BoxCalls::sum(std::uint64_t a, std::uint64_t b, cell::Span span) const {
  std::uint64_t result = 0;
  if (!__builtin_add_overflow(a, b, &result)) return result;
  throw error(ErrorKind::value, "the number of bytes overflows 64 bits", span);
}

BoxCalls::Extent BoxCalls::extent_in(const CudaStruct& of, const std::string& path) {
  return {of.at<std::uint64_t>(path + "width"), of.at<std::uint64_t>(path + "height"),
          of.at<std::uint64_t>(path + "depth")};
}

BoxCalls::Box BoxCalls::box_in(const CudaStruct& of, const std::string& path, const std::string& position,
                               const Extent& extent, cell::Span span) {
  const auto at = [&](const std::string& member) { return of.at<std::uint64_t>(member); };
  const auto shown = path.empty() ? std::string("the cudaPitchedPtr") : path.substr(0, path.find('.'));
  Box box;
  std::vector<std::byte> bytes(sizeof(device::Address));
  const auto address = at(path + "ptr");
  std::memcpy(bytes.data(), &address, bytes.size());
  auto held = frame_.addresses.in_memory({"void*", sizeof(void*), alignof(void*)}, bytes);
  auto* memory = held ? std::get_if<Pointer>(&*held) : nullptr;
  if (memory == nullptr)
    throw error(
        ErrorKind::value,
        fmt::format("the pointer of {} {}", shown, address == 0 ? "is null" : "does not lead to memory of the session"),
        span);
  box.memory = std::move(*memory);
  box.pitch = at(path + "pitch");
  const auto rows = at(path + "ysize");
  box.slice = product(box.pitch, rows, span);
  const auto from = [&](const char* axis) { return position.empty() ? 0 : at(position + axis); };
  const auto x = from("x"), y = from("y"), z = from("z");
  if (sum(x, extent.width, span) > box.pitch)
    throw error(ErrorKind::value,
                fmt::format("rows of {} bytes do not fit the pitch of {}, {}", x + extent.width, shown, box.pitch),
                span)
        .advise("The width of an extent counts bytes: n * sizeof(float).");
  if (sum(y, extent.height, span) > rows && sum(z, extent.depth, span) > 1)
    throw error(ErrorKind::value,
                fmt::format("{} rows do not fit a slice of {}, which has {}", y + extent.height, shown, rows), span)
        .advise("The last argument of make_cudaPitchedPtr is the number of rows of a slice.");
  box.begin = sum(sum(x, product(y, box.pitch, span), span), product(z, box.slice, span), span);
  const auto last = sum(product(extent.depth - 1, box.slice, span), product(extent.height - 1, box.pitch, span), span);
  const auto end = sum(box.begin, sum(last, extent.width, span), span);
  if (end > box.memory.bytes)
    throw error(ErrorKind::value, fmt::format("{} has {} bytes there, not {}", shown, box.memory.bytes, end), span);
  return box;
}

Value BoxCalls::allocate(const language::Bound& given, cell::Span span) {
  const auto extent = extent_in({session_.code(), frame_.runtime_calls.struct_of(*given[1], "cudaExtent")});
  CudaStruct made(session_.code(), frame_.runtime_calls.struct_at(*given[0], "cudaPitchedPtr"));
  const auto pitch = frame_.runtime_calls.pitch_of(extent.width, span);
  const auto bytes = product(product(pitch, extent.height, span), extent.depth, span);
  made.set("ptr", frame_.runtime_calls.memory(bytes, Array::Origin::device, span).address);
  made.set("pitch", pitch);
  made.set("xsize", extent.width);
  made.set("ysize", extent.height);
  frame_.targets.store(frame_.runtime_calls.target_of(*given[0]), made.object(), span);
  return kSuccess;
}

Value BoxCalls::set(const language::Bound& given, cell::Span span) {
  const auto extent = extent_in({session_.code(), frame_.runtime_calls.struct_of(*given[2], "cudaExtent")});
  const auto value = frame_.runtime_calls.byte(*given[1]);
  const CudaStruct pitched(session_.code(), frame_.runtime_calls.struct_of(*given[0], "cudaPitchedPtr"));
  if (extent.is_empty()) return kSuccess;
  const auto to = box_in(pitched, "", "", extent, given[0]->span);
  frame_.runtime_calls.require_writable(to.memory, span);
  Pieces pieces{extent.width, extent.height, extent.depth};
  if (to.pitch == pieces.bytes) pieces.join(pieces.rows);
  if (to.slice == pieces.bytes) pieces.join(pieces.slices);
  pieces.each([&](std::uint64_t y, std::uint64_t z) {
    session_.submission().fill({to.at(y, z), pieces.bytes, {value}});
  });
  return kSuccess;
}

// Positions and extents count bytes, rows and slices: statements have no CUDA arrays.
BoxCalls::Copy BoxCalls::copy(const cell::Expression& parameters) {
  const auto span = parameters.span;
  const CudaStruct copy(session_.code(), frame_.runtime_calls.struct_at(parameters, "cudaMemcpy3DParms"));
  for (const auto* side : {"srcArray", "dstArray"})
    if (copy.at<std::uint64_t>(side) != 0)
      throw error(ErrorKind::unsupported, fmt::format("statements have no CUDA arrays, so {} must be null", side), span)
          .advise("A cell with %%cuda has CUDA arrays; statements have float x[nz][ny][nx]; and texture t(x);");
  frame_.runtime_calls.require_kind(copy.at<std::uint32_t>("kind"), span);
  const auto extent = extent_in(copy, "extent.");
  if (extent.is_empty()) return {};
  const auto from = box_in(copy, "srcPtr.", "srcPos.", extent, span),
             to = box_in(copy, "dstPtr.", "dstPos.", extent, span);
  frame_.runtime_calls.require_writable(to.memory, span);
  Pieces pieces{extent.width, extent.height, extent.depth};
  if (to.pitch == pieces.bytes && from.pitch == pieces.bytes) pieces.join(pieces.rows);
  if (to.slice == pieces.bytes && from.slice == pieces.bytes) pieces.join(pieces.slices);
  return {[=](Submission& submission) {
            pieces.each(
                [&](std::uint64_t y, std::uint64_t z) { submission.copy(to.at(y, z), from.at(y, z), pieces.bytes); });
          },
          {to.memory.address, from.memory.address}};
}

}  // namespace xcuda::interpreter
