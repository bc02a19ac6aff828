// Words of memory that streams write and wait for. A wait is a kernel of one thread, so that everything else may go on
// meanwhile, and a capture keeps it as a node.
#include "runtime/driver/driver_stream_words.hpp"

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <string>

#include "runtime/driver/driver_calls.hpp"
#include "runtime/kernels.hpp"
#include "runtime/loaded_images.hpp"

namespace xcuda::runtime::driver {
namespace {

// The kernels for words of `bits`. `how` is one of CUstreamWaitValue_flags.
std::string ptx_for(int bits) {
  return fmt::format(R"(
.visible .entry xcuda_write_{0}(.param .u64 at, .param .u{0} value) {{
  .reg .b64 %address;
  .reg .b{0} %value;
  ld.param.u64 %address, [at];
  ld.param.u{0} %value, [value];
  membar.sys;
  st.volatile.u{0} [%address], %value;
  ret;
}}
.visible .entry xcuda_wait_{0}(.param .u64 at, .param .u{0} value, .param .u32 how) {{
  .reg .pred %is<4>, %wanted<4>, %done;
  .reg .b32 %how;
  .reg .b64 %address;
  .reg .b{0} %value, %word, %other;
  ld.param.u64 %address, [at];
  ld.param.u{0} %value, [value];
  ld.param.u32 %how, [how];
  setp.eq.u32 %wanted0, %how, 0;
  setp.eq.u32 %wanted1, %how, 1;
  setp.eq.u32 %wanted2, %how, 2;
  setp.eq.u32 %wanted3, %how, 3;
again:
  ld.volatile.u{0} %word, [%address];
  sub.s{0} %other, %word, %value;
  setp.ge.s{0} %is0, %other, 0;
  setp.eq.u{0} %is1, %word, %value;
  and.b{0} %other, %word, %value;
  setp.ne.u{0} %is2, %other, 0;
  or.b{0} %other, %word, %value;
  not.b{0} %other, %other;
  setp.ne.u{0} %is3, %other, 0;
  and.pred %done, %is0, %wanted0;
  and.pred %is1, %is1, %wanted1;
  and.pred %is2, %is2, %wanted2;
  and.pred %is3, %is3, %wanted3;
  or.pred %done, %done, %is1;
  or.pred %done, %done, %is2;
  or.pred %done, %done, %is3;
  @!%done bra again;
  membar.sys;
  ret;
}}
)",
                     bits);
}

cudaError_t find_word_kernel(State& state, const char* name, int bits, Function*& function) {
  static std::mutex mutex;
  static Image* image = nullptr;
  const std::lock_guard lock(mutex);
  if (image == nullptr) {
    static const std::string text = ".version 7.0\n.target sm_80\n.address_size 64\n" + ptx_for(32) + ptx_for(64);
    if (const auto error = load_module(state, text.c_str(), image); error != cudaSuccess) return error;
  }
  // Anew where the device was reset.
  const auto error = registry().load(*image, state.engine.device(), state.memory);
  if (error != cudaSuccess) return error;
  return find_kernel_of(image, fmt::format("xcuda_{}_{}", name, bits).c_str(), function);
}

cudaError_t check_word(State& state, const Word& word) {
  const auto bytes = static_cast<std::size_t>(word.bits) / 8;
  const auto* const at = pointer(word.address);
  const bool is_there = word.address % bytes == 0 && state.memory.find(at) && state.memory.fits(at, bytes);
  return is_there ? cudaSuccess : cudaErrorInvalidValue;
}

// Does something with the launch of a step's kernel.
template <class Use> cudaError_t with_launch(State& state, const WordStep& step, CUstream stream, const Use& use) {
  Word word = step.word;
  unsigned how = step.how;
  if (const auto error = check_word(state, word); error != cudaSuccess) return error;
  LaunchCall call;
  Function* function = nullptr;
  const auto* const name = step.kind == WordStep::Kind::wait ? "wait" : "write";
  if (const auto error = find_word_kernel(state, name, word.bits, function); error != cudaSuccess) return error;
  void* arguments[] = {&word.address, &word.value, &how};
  call.function = function;
  call.arguments = arguments;
  call.stream = stream;
  return use(call);
}

cudaError_t post_by_kernel(State& state, CUstream stream, const WordStep& step) {
  return with_launch(state, step, stream, [&](const LaunchCall& call) { return launch(state, call); });
}

// The program's own device code is loaded first: loading waits for kernels, and so for a thread that has yet to post
// what this one waits for.
cudaError_t wait_for(State& state, CUstream stream, const WordStep& step) {
  registry().load_own(state.engine.device(), state.memory);
  return post_by_kernel(state, stream, step);
}
// Written by the host, so that it may come before launches that wait for it; in a capture, by a kernel.
cudaError_t write(State& state, CUstream stream, const WordStep& step) {
  Stream* const on = state.find_stream(stream);
  if (on == nullptr) return cudaErrorInvalidResourceHandle;
  if (on->capture) return post_by_kernel(state, stream, step);
  const Word word = step.word;
  if (const auto error = check_word(state, word); error != cudaSuccess) return error;
  if (const auto error = check_use(state, *on); error != cudaSuccess) return error;
  const auto store = [at = pointer(word.address), word] {
    if (word.bits == 64)
      std::atomic_ref(*static_cast<cuuint64_t*>(at)).store(word.value);
    else
      std::atomic_ref(*static_cast<cuuint32_t*>(at)).store(static_cast<cuuint32_t>(word.value));
  };
  post(state, *on, {.work = store, .needs = Item::Needs::host});
  return cudaSuccess;
}

cudaError_t wait_step(const Word& word, unsigned flags, WordStep& step) {
  const unsigned how = flags & ~static_cast<unsigned>(CU_STREAM_WAIT_VALUE_FLUSH);  // there are no remote writes
  if (how > CU_STREAM_WAIT_VALUE_NOR) return cudaErrorInvalidValue;
  step = {WordStep::Kind::wait, word, how};
  return cudaSuccess;
}
cudaError_t write_step(const Word& word, unsigned flags, WordStep& step) {
  if (flags > CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER) return cudaErrorInvalidValue;
  step = {WordStep::Kind::write, word, 0};
  return cudaSuccess;
}

cudaError_t run(State& state, CUstream stream, const WordStep& step) {
  switch (step.kind) {
    case WordStep::Kind::wait: return wait_for(state, stream, step);
    case WordStep::Kind::write: return write(state, stream, step);
    case WordStep::Kind::none: break;
  }
  return cudaSuccess;
}

CUresult run_step(CUstream stream, const Word& word, unsigned flags,
                  cudaError_t (*read)(const Word&, unsigned, WordStep&)) {
  return in_context_of(stream, [&] {
    return with_state([&](State& state) {
      WordStep step;
      const auto error = read(word, flags, step);
      return error == cudaSuccess ? run(state, stream, step) : error;
    });
  });
}

}  // namespace

cudaError_t read_word_step(const CUstreamBatchMemOpParams& from, WordStep& step) {
  const auto& waited = from.waitValue;
  const auto& written = from.writeValue;
  switch (from.operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32: return wait_step({waited.address, waited.value, 32}, waited.flags, step);
    case CU_STREAM_MEM_OP_WAIT_VALUE_64: return wait_step({waited.address, waited.value64, 64}, waited.flags, step);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32: return write_step({written.address, written.value, 32}, written.flags, step);
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
      return write_step({written.address, written.value64, 64}, written.flags, step);
    case CU_STREAM_MEM_OP_BARRIER:  // work of a stream sees what comes before it anyway
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES: step = {}; return cudaSuccess;
    default: return cudaErrorInvalidValue;
  }
}

cudaError_t read_word_kernel(State& state, const WordStep& step, KernelWork& work) {
  if (step.kind == WordStep::Kind::wait) registry().load_own(state.engine.device(), state.memory);
  return with_launch(state, step, nullptr, [&](const LaunchCall& call) { return prepare(state, call, work); });
}

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
  return run_step(stream, {address, value, 32}, flags, wait_step);
}
CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
  return run_step(stream, {address, value, 64}, flags, wait_step);
}
CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
  return run_step(stream, {address, value, 32}, flags, write_step);
}
CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
  return run_step(stream, {address, value, 64}, flags, write_step);
}
CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned count, CUstreamBatchMemOpParams* list, unsigned flags) {
  return in_context_of(stream, [&] {
    return with_state([&](State& state) {
      if (list == nullptr || count == 0 || count > kMostWordSteps || flags != 0) return cudaErrorInvalidValue;
      for (unsigned i = 0; i < count; ++i) {
        WordStep step;
        auto error = read_word_step(list[i], step);
        if (error == cudaSuccess) error = run(state, stream, step);
        if (error != cudaSuccess) return error;
      }
      return cudaSuccess;
    });
  });
}

}  // namespace xcuda::runtime::driver
