#include "runtime/jit_link/jit_link.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/api_calls.hpp"
#include "runtime/errors.hpp"
#include "runtime/fat_binary.hpp"
#include "runtime/jit_link/link_with_source.hpp"
#include "runtime/jit_link/toolkit_compiler.hpp"
#include "runtime/jit_link/toolkit_linker.hpp"
#include "runtime/math/handle_table.hpp"
#include "runtime/object_code.hpp"
#include "runtime/ptx_link.hpp"

namespace xcuda::runtime::jit_link {
namespace {

constexpr const char* kArchitecture = "-arch=sm_80";
constexpr std::string_view kEmptyModule = ".version 8.0\n.target sm_80\n.address_size 64\n";
constexpr int kNoPtx = 3;  // what NVIDIA's returns for the PTX of a link without -ptx

// NVIDIA's linker makes PTX of LTO-IR only when all its inputs are LTO-IR. So it links those, and its PTX is linked
// with the other texts here; a second linker of NVIDIA's, whose CUBIN nobody reads, says what is wrong with them.
struct Link {
  std::unique_ptr<ToolkitLinker> lto, check;
  bool wants_ptx = false, has_lto = false;
  std::vector<std::string> texts;
  std::string log;  // of this file
  std::optional<std::string> result;

  std::string error_log() const {
    auto all = log;
    for (const auto* linker : {lto.get(), check.get()})
      if (linker != nullptr) all += linker->error_log();
    return all;
  }
  std::string info_log() const { return lto ? lto->info_log() : check ? check->info_log() : std::string(); }
};

Link* find(const void* handle) { return math::table_of<Link>().find(handle); }

bool has_option(const std::vector<std::string>& options, std::string_view name) {
  return std::any_of(options.begin(), options.end(), [&](const auto& option) { return option == name; });
}

std::vector<std::string> for_the_device(std::uint32_t count, const char* const* options) {
  std::vector<std::string> changed;
  for (std::uint32_t i = 0; i < count; ++i)
    changed.emplace_back(std::string_view(options[i]).starts_with("-arch=") ? kArchitecture : options[i]);
  return changed;
}

// What an input is that a program does not name.
int kind_of(std::string_view data) {
  constexpr std::string_view kElf =
                                 "\x7f"
                                 "ELF",
                             kArchive = "!<arch>\n", kFat = "\x50\xed\x55\xba";
  if (data.starts_with(kElf)) return kObject;
  if (data.starts_with(kArchive)) return kLibrary;
  if (data.starts_with(kFat)) return kFatBinary;
  return data.find(".version") != data.npos ? kPtx : kLto;
}

int refuse(Link& link, const char* name, const std::string& why) {
  const auto line = std::string("nvJitLink: ") + (name == nullptr ? "an input" : name) + ": " + why;
  say(line);
  link.log += "ERROR: " + line + "\n";
  return kUnrecognizedInput;
}

int add_ptx(Link& link, std::string text, const char* name) {
  text.resize(text.find_last_not_of('\0') + 1);
  const auto status = link.check ? link.check->add(kPtx, text, name) : kSuccess;
  if (status == kSuccess) link.texts.push_back(std::move(text));
  return status;
}

int add_lto(Link& link, int kind, std::string_view data, const char* name) {
  auto* const linker = link.lto ? link.lto.get() : link.check.get();  // which says that -lto is missing
  if (linker == nullptr) return kInternalError;
  const auto status = linker->add(kind, data, name);
  link.has_lto = link.has_lto || (status == kSuccess && link.lto);
  return status;
}

int add_fat_binary(Link& link, std::string_view data, const char* name) {
  const std::string binary(data);
  std::string ptx, message;
  converted(
      [&] {
        ptx = ptx_of_module(binary.c_str());
        return cudaSuccess;
      },
      &message);
  if (!ptx.empty()) return add_ptx(link, std::move(ptx), name);
  return link.lto ? add_lto(link, kFatBinary, data, name) : refuse(link, name, message);
}

int add_object(Link& link, std::string_view data, const char* name) {
  std::vector<std::string> texts;
  std::string message;
  converted(
      [&] {
        texts = ptx_of_object(data);
        return cudaSuccess;
      },
      &message);
  if (texts.empty()) return refuse(link, name, message);
  for (auto& text : texts)
    if (const auto status = add_ptx(link, std::move(text), name); status != kSuccess) return status;
  return kSuccess;
}

int add(Link& link, int kind, std::string_view data, const char* name) {
  switch (kind == kAny ? kind_of(data) : kind) {
    case kPtx: return add_ptx(link, std::string(data), name);
    case kLto: return add_lto(link, kLto, data, name);
    case kIndex: return add_lto(link, kIndex, data, name);
    case kFatBinary: return add_fat_binary(link, data, name);
    case kCubin:
      return refuse(link, name, "machine code of a GPU (a CUBIN), which the CPU device cannot run: link PTX or LTO-IR");
    case kObject:
    case kLibrary: return add_object(link, data, name);
    default: return kWrongInput;
  }
}

int complete_link(Link& link) {
  auto texts = link.texts;
  if (link.has_lto) {
    if (link.wants_ptx && !texts.empty()) {
      link.log += "ERROR: -ptx requires that all inputs have LTOIR\n";
      return kWrongInput;
    }
    if (const auto status = link.lto->complete(); status != kSuccess) return status;
    texts.push_back(link.lto->ptx());
  }
  if (!link.wants_ptx && !texts.empty()) {
    if (link.has_lto)
      if (const auto status = link.check->add(kPtx, texts.back(), "LTO-IR"); status != kSuccess) return status;
    if (const auto status = link.check->complete(); status != kSuccess) return status;
  }
  link.result = texts.empty() ? std::string(kEmptyModule) : linked_ptx(texts);
  return kSuccess;
}

int open_link(Link& link, std::vector<std::string> options) {
  link.wants_ptx = has_option(options, "-ptx");
  int status = kSuccess;
  if (has_option(options, "-lto")) {
    if (!link.wants_ptx) options.emplace_back("-ptx");
    if (!has_option(options, "-g")) options.emplace_back("-lineinfo");
    link.lto = ToolkitLinker::make(options, status);
    if (!link.lto) return status;
    options = {kArchitecture};
  }
  link.check = ToolkitLinker::make(options, status);
  return status;
}

// --- The functions ---------------------------------------------------------------------------------------------------

int create(void** handle, std::uint32_t count, const char* const* options) {
  if (handle == nullptr || (count > 0 && options == nullptr)) return kNullInput;
  Link link;
  if (const auto status = open_link(link, for_the_device(count, options)); status != kSuccess) return status;
  auto* const made = math::table_of<Link>().make();
  *made = std::move(link);
  *handle = made;
  return kSuccess;
}

int destroy(void** handle) {
  if (handle == nullptr || !math::table_of<Link>().remove(*handle)) return kNullInput;
  *handle = nullptr;
  return kSuccess;
}

int add_data(void* handle, int kind, const void* data, std::size_t size, const char* name) {
  auto* const link = find(handle);
  if (link == nullptr || data == nullptr) return kNullInput;
  return add(*link, kind, {static_cast<const char*>(data), size}, name);
}

int add_file(void* handle, int kind, const char* path) {
  auto* const link = find(handle);
  if (link == nullptr || path == nullptr) return kNullInput;
  // The device answers the calls of the device runtime itself.
  if (std::string_view(path).ends_with("libcudadevrt.a")) return kSuccess;
  std::ifstream file(path, std::ios::binary);
  if (!file) return refuse(*link, path, std::strerror(errno));
  return add(*link, kind, std::string{std::istreambuf_iterator<char>(file), {}}, path);
}

int complete(void* handle) {
  auto* const link = find(handle);
  return link == nullptr ? kNullInput : complete_link(*link);
}

// --- What they give --------------------------------------------------------------------------------------------------

using Text = std::string (*)(const Link&);
std::string error_text(const Link& link) { return link.error_log(); }
std::string info_text(const Link& link) { return link.info_log(); }

std::size_t size_with_end(const std::string& text) { return text.empty() ? 0 : text.size() + 1; }

template <Text text> int log_size(void* handle, std::size_t* size) {
  const auto* const link = find(handle);
  if (link == nullptr || size == nullptr) return kNullInput;
  *size = size_with_end(text(*link));
  return kSuccess;
}
template <Text text> int log(void* handle, char* to) {
  const auto* const link = find(handle);
  if (link == nullptr || to == nullptr) return kNullInput;
  const auto whole = text(*link);
  std::memcpy(to, whole.c_str(), size_with_end(whole));
  return kSuccess;
}

enum class Form { cubin, ptx };

// The status of NVIDIA's library for a form that was not asked for.
template <Form form> int check_result(const Link* link) {
  if (link == nullptr) return kNullInput;
  if (form == Form::ptx && !link->wants_ptx) return kNoPtx;
  if (form == Form::cubin && link->wants_ptx) return kInternalError;
  return link->result ? kSuccess : kInternalError;
}
template <Form form> int result_size(void* handle, std::size_t* size) {
  const auto* const link = find(handle);
  if (const auto status = check_result<form>(link); status != kSuccess) return status;
  if (size == nullptr) return kNullInput;
  *size = size_with_end(*link->result);
  return kSuccess;
}
template <Form form> int result(void* handle, char* to) {
  const auto* const link = find(handle);
  if (const auto status = check_result<form>(link); status != kSuccess) return status;
  if (to == nullptr) return kNullInput;
  std::memcpy(to, link->result->c_str(), size_with_end(*link->result));
  return kSuccess;
}

}  // namespace

Linked link_with_source(std::string_view code, const std::string& source) {
  Link link;
  if (open_link(link, {"-lto", kArchitecture}) != kSuccess) return {{}, "libnvJitLink.so.13 of NVIDIA is needed"};
  if (add(link, kAny, code, "the program's code") != kSuccess) return {{}, link.error_log()};
  const auto own = compile_with_toolkit(source, link.has_lto ? CompiledForm::lto : CompiledForm::ptx);
  if (own.code.empty()) return {{}, own.log};
  if (add(link, link.has_lto ? kLto : kPtx, own.code, "xcuda") != kSuccess || complete_link(link) != kSuccess)
    return {{}, link.error_log()};
  return {*link.result, {}};
}

const void* const kJitLinkSlots[] = {
#define XCUDA_JIT_LINK_WORKS(name, function) reinterpret_cast<const void*>(&function),
#define XCUDA_JIT_LINK_PARTLY(name, how, function) reinterpret_cast<const void*>(&function),
#include "runtime/jit_link/jit_link_functions.def"
#undef XCUDA_JIT_LINK_WORKS
#undef XCUDA_JIT_LINK_PARTLY
};

}  // namespace xcuda::runtime::jit_link
