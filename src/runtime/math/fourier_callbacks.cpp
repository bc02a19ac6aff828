#include "runtime/math/fourier_callbacks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string_view>

#include "runtime/api.hpp"
#include "runtime/api_calls.hpp"
#include "runtime/kernels.hpp"
#include "runtime/loaded_images.hpp"
#include "runtime/toolkit_library.hpp"

namespace xcuda::runtime::math {
namespace {

// How a callback's element is a parameter of a function in PTX, and the words that it is read and written by.
struct ElementForm {
  const char *name, *type, *extent;  // the parameter: its type, and what follows its name
  int word_bits, words;
};
constexpr ElementForm kForms[] = {{"complex", ".align 8 .b8", "[8]", 64, 1},
                                  {"complex_double", ".align 16 .b8", "[16]", 64, 2},
                                  {"real", ".b32", "", 32, 1},
                                  {"real_double", ".b64", "", 64, 1}};
constexpr int kTypes = 8;  // four that load, and four that store

const ElementForm& form_of(int type) { return kForms[type % 4]; }
bool stores(int type) { return type >= 4; }
std::string entry_of(int type) {
  return fmt::format("xcuda_cufft_{}_{}", stores(type) ? "store" : "load", form_of(type).name);
}

// A kernel with a thread for each element. Its offset comes from the extents of the three inner axes and four strides.
std::string kernel_of(int type) {
  const auto& form = form_of(type);
  const auto parameter = [&](const char* name) { return fmt::format(".param {} {}{}", form.type, name, form.extent); };
  std::string text = fmt::format(R"(
.visible .entry {}(.param .u64 callback, .param .u64 memory, .param .u64 packed, .param .u64 info, .param .u64 count,
  .param .u64 extent1, .param .u64 extent2, .param .u64 extent3,
  .param .u64 stride0, .param .u64 stride1, .param .u64 stride2, .param .u64 stride3)
{{
  .reg .pred %over;
  .reg .b32 %t<3>;
  .reg .b64 %i, %n, %rest, %place, %extent, %stride, %offset, %callback, %memory, %packed, %info, %shared;
  .reg .b{} %word<2>;
  mov.u32 %t0, %ctaid.x;
  mov.u32 %t1, %ntid.x;
  mov.u32 %t2, %tid.x;
  cvt.u64.u32 %i, %t2;
  mul.wide.u32 %n, %t0, %t1;
  add.u64 %i, %i, %n;
  ld.param.u64 %n, [count];
  setp.ge.u64 %over, %i, %n;
  @%over ret;
  mov.u64 %offset, 0;
)",
                                 entry_of(type), form.word_bits);
  for (int axis = 3; axis > 0; --axis)
    text += fmt::format(R"(
  ld.param.u64 %extent, [extent{0}];
  ld.param.u64 %stride, [stride{0}];
  div.u64 %rest, %i, %extent;
  mul.lo.u64 %place, %rest, %extent;
  sub.u64 %place, %i, %place;
  mad.lo.u64 %offset, %place, %stride, %offset;
  mov.u64 %i, %rest;
)",
                        axis);
  text += fmt::format(R"(
  ld.param.u64 %stride, [stride0];
  mad.lo.u64 %offset, %i, %stride, %offset;
  ld.param.u64 %callback, [callback];
  ld.param.u64 %memory, [memory];
  ld.param.u64 %info, [info];
  ld.param.u64 %packed, [packed];
  mad.lo.u64 %packed, %offset, {}, %packed;
  mov.u64 %shared, xcuda_cufft_shared;
  cvta.shared.u64 %shared, %shared;
  {{
  .param .b64 to_memory;
  .param .b64 to_offset;
  .param .b64 to_info;
  .param .b64 to_shared;
  {};
  st.param.b64 [to_memory], %memory;
  st.param.b64 [to_offset], %offset;
  st.param.b64 [to_info], %info;
  st.param.b64 [to_shared], %shared;
)",
                      form.word_bits / 8 * form.words, parameter("element"));
  constexpr const char* kPointers = ".param .b64 _, .param .b64 _";
  const auto word = [&](const char* action, const char* to, const char* from) {
    return fmt::format("  {}.b{} {}, {};\n", action, form.word_bits, to, from);
  };
  const auto for_each_word = [&](const auto& moved) {
    for (int i = 0; i < form.words; ++i)
      text += moved(fmt::format("%word{}", i), fmt::format("[%packed+{}]", 8 * i), fmt::format("[element+{}]", 8 * i));
  };
  if (stores(type)) {
    for_each_word([&](const std::string& name, const std::string& packed, const std::string& element) {
      return word("ld", name.c_str(), packed.c_str()) + word("st.param", element.c_str(), name.c_str());
    });
    text += fmt::format("  stored: .callprototype _ ({0}, {1}, {0});\n", kPointers, parameter("_"));
    text += "  call %callback, (to_memory, to_offset, element, to_info, to_shared), stored;\n";
  } else {
    text += fmt::format("  loaded: .callprototype ({1}) _ ({0}, {0});\n", kPointers, parameter("_"));
    text += "  call (element), %callback, (to_memory, to_offset, to_info, to_shared), loaded;\n";
    for_each_word([&](const std::string& name, const std::string& packed, const std::string& element) {
      return word("ld.param", name.c_str(), element.c_str()) + word("st", packed.c_str(), name.c_str());
    });
  }
  return text + "  }\n  ret;\n}\n";
}

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

// Whether a variable is initialised with the address of a function, or code takes one.
bool keeps_functions(std::string_view ptx) {
  std::set<std::string_view> functions;
  for (auto at = ptx.find(".func"); at != ptx.npos; at = ptx.find(".func", at + 1)) {
    auto name = ptx.find_first_not_of(" \t\n", at + 5);
    if (name != ptx.npos && ptx[name] == '(') name = ptx.find_first_not_of(" \t\n", ptx.find(')', name) + 1);
    if (name == ptx.npos) break;
    const auto end = std::find_if_not(ptx.begin() + static_cast<std::ptrdiff_t>(name), ptx.end(), is_name_character);
    functions.insert(ptx.substr(name, static_cast<std::size_t>(end - ptx.begin()) - name));
  }
  while (!ptx.empty()) {
    const auto line = ptx.substr(0, ptx.find('\n'));
    ptx.remove_prefix(std::min(ptx.size(), line.size() + 1));
    const bool is_value = line.find(" = ") != line.npos && line.find(".align") != line.npos;
    if (!is_value && line.find("mov.u64") == line.npos && line.find("mov.b64") == line.npos) continue;
    for (std::size_t begin = 0; begin < line.size();) {
      const auto* const end = std::find_if_not(line.begin() + begin, line.end(), is_name_character);
      const auto length = static_cast<std::size_t>(end - line.begin()) - begin;
      if (functions.contains(line.substr(begin, length))) return true;
      begin += std::max<std::size_t>(length, 1);
    }
  }
  return false;
}

}  // namespace

PassingMemory::PassingMemory(std::size_t bytes, cudaStream_t stream) : stream_(stream) {
  const RuntimeUnchanged unchanged;
  runtime::cudaMallocAsync(&memory_, bytes, stream_);
}
PassingMemory::~PassingMemory() {
  const RuntimeUnchanged unchanged;
  if (memory_ != nullptr) runtime::cudaFreeAsync(memory_, stream_);
}

std::string with_fourier_callbacks(std::string ptx) {
  return is_loaded("libcufft.so.12") && keeps_functions(ptx) ? with_fourier_kernels(std::move(ptx)) : ptx;
}
std::string with_fourier_kernels(std::string ptx) {
  ptx += "\n.extern .shared .align 16 .b8 xcuda_cufft_shared[];\n";
  for (int type = 0; type < kTypes; ++type) ptx += kernel_of(type);
  return ptx;
}

Outcome run_fourier_callback(int type, const FourierCallback& callback, const FourierSide& side, void* packed,
                             cudaStream_t stream) {
  const RuntimeUnchanged unchanged;
  const auto error = with_state([&](State& state) {
    auto kernels = callback.image ? std::vector<Function*>(1)
                                  : registry().kernels_named(entry_of(type), state.engine.device(), state.memory);
    if (callback.image) find_kernel_of(callback.image.get(), entry_of(type).c_str(), kernels.front());
    if (kernels.size() != 1) {
      say_once(kernels.empty() ? "cufftXtSetCallback: no device code of this program keeps a pointer to a function"
                               : "cufftXtSetCallback: several sources of this program keep pointers to functions: "
                                 "compile them with -rdc=true, so that their device code is one");
      return cudaErrorInvalidDeviceFunction;
    }
    std::uint64_t count = 1;
    std::array<std::uint64_t, 4> extents{1, 1, 1, 1};
    std::array<std::int64_t, 4> strides{0, 0, 0, 0};
    for (std::size_t axis = 0; axis < side.extents.size(); ++axis) {  // the batch first, and the last axis last
      const std::size_t place = axis == 0 ? 0 : axis + 4 - side.extents.size();
      extents[place] = side.extents[axis];
      strides[place] = side.strides[axis];
      count *= side.extents[axis];
    }
    auto function = callback.function;
    auto *memory = side.memory, *info = callback.info;
    void* arguments[] = {&function,   &memory,     &packed,     &info,       &count,      &extents[1],
                         &extents[2], &extents[3], &strides[0], &strides[1], &strides[2], &strides[3]};
    constexpr unsigned kThreads = 256;
    LaunchCall call;
    call.function = kernels.front();
    call.grid = dim3(static_cast<unsigned>((count + kThreads - 1) / kThreads));
    call.block = dim3(kThreads);
    call.arguments = arguments;
    call.shared = callback.shared;
    call.stream = stream;
    return launch(state, call);
  });
  return error == cudaSuccess ? Outcome::done : Outcome::failed;
}

}  // namespace xcuda::runtime::math
