#include "device/cpu/loaded_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>

#include "device/cpu/jit/stored_kernel.hpp"
#include "device/cpu/pipeline.hpp"
#include "device/cpu/plan/layout.hpp"
#include "device/cpu/plan/shape.hpp"
#include "device/cpu/run/limits.hpp"

namespace xcuda::device::cpu {

namespace {

struct AlignedDelete {
  void operator()(std::byte* memory) const { ::operator delete (memory, std::align_val_t{4096}); }
};

class LoadedProgram final : public Program {
  struct Linked {
    KernelCode code;
    std::unique_ptr<Jit::Linked> object;
  };

 public:
  LoadedProgram(Jit& jit, const TranslatorOptions& options, const ProgramSource& source)
      : jit_(jit),
        store_(options.store),
        dispatch_(options.dispatch),
        module_(lowered(source.ptx, source.name)),
        name_(source.name) {
    if (store_) text_key_ = stored_key({&source.ptx, 1});
    place_variables();
    describe_functions();
  }

  const std::vector<FunctionInfo>& functions() const override { return functions_; }
  const std::vector<VariableInfo>& variables() const override { return variables_; }
  const std::uint64_t* variable_addresses() const override { return addresses_.data(); }

  const KernelCode& kernel(const KernelRequest& request) override {
    std::string key = std::string(request.entry) + " " + shape_of(request.block).key() +
                      (request.checks.bounds ? " checked" : "") + (request.checks.races ? " races" : "") +
                      (request.checks.uninitialised ? " init" : "");
    if (dispatch_) key += *dispatch_ == Dispatch::shared ? " shared" : " inlined";
    if (const auto found = kernels_.find(key); found != kernels_.end()) return found->second.code;
    std::string stored_as;
    if (!text_key_.empty()) {
      const std::string_view parts[] = {text_key_, key, jit_.cpu()};
      stored_as = stored_key(parts);
      if (const auto bytes = store_->find(stored_as))
        if (auto found = restored(*bytes)) {
          found->code.from_store = true;
          return linked(std::move(key), std::move(*found));
        }
    }
    CompiledKernel compiled = compile({*module_, name_, request, jit_, dispatch_});
    if (!stored_as.empty()) store_->store(stored_as, stored(compiled));
    return linked(std::move(key), std::move(compiled));
  }

  MachineCode machine_code(const KernelRequest& request) override {
    return disassembled(CompileRequest{*module_, name_, request, jit_, dispatch_});
  }

 private:
  const KernelCode& linked(std::string key, CompiledKernel compiled) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    Linked kernel{std::move(compiled.code), jit_.link(compiled.object)};
    kernel.code.run = kernel.object->kernel();
    kernel.code.compile_time += (Clock::now() - start) / std::chrono::nanoseconds(1);
    return kernels_.emplace(std::move(key), std::move(kernel)).first->second.code;
  }

  void place_variables() {
    std::size_t size = 0;
    addresses_.assign(std::max<std::size_t>(module_->variables.size(), 1), 0);
    for (std::size_t i = 0; i < module_->variables.size(); ++i) {
      const ptx::Variable& variable = module_->variables[i];
      if (!has_memory(variable)) continue;
      const std::size_t alignment = std::max<std::size_t>(variable.alignment, 16);
      size = (size + alignment - 1) / alignment * alignment;
      addresses_[i] = size;
      size += variable.size;
    }
    memory_.reset(static_cast<std::byte*>(::operator new (size + 64, std::align_val_t{4096}, std::nothrow)));
    if (!memory_) throw Error(ErrorKind::memory, "no memory for the variables of " + name_);
    std::memset(memory_.get(), 0, size + 64);
    const auto base = reinterpret_cast<std::uint64_t>(memory_.get());
    for (std::size_t i = 0; i < module_->variables.size(); ++i) {
      const ptx::Variable& variable = module_->variables[i];
      if (!has_memory(variable)) continue;
      addresses_[i] += base;
      if (!variable.initial.empty())
        std::memcpy(reinterpret_cast<void*>(addresses_[i]), variable.initial.data(), variable.initial.size());
      variables_.push_back({variable.name, addresses_[i], variable.size, variable.space == ptx::Space::constant});
    }
    for (std::size_t i = 0; i < module_->variables.size(); ++i)
      for (const ptx::Relocation& relocation : module_->variables[i].relocations) relocate(addresses_[i], relocation);
  }

  static bool has_memory(const ptx::Variable& variable) {
    return variable.space == ptx::Space::global || variable.space == ptx::Space::constant;
  }

  void relocate(std::uint64_t variable, const ptx::Relocation& relocation) {
    const std::uint64_t target =
        relocation.symbol.kind == ptx::SymbolKind::variable   ? addresses_[relocation.symbol.index]
        : relocation.symbol.kind == ptx::SymbolKind::function ? function_token(relocation.symbol.index)
                                                              : 0;
    const std::uint64_t value = (target + static_cast<std::uint64_t>(relocation.addend)) >> relocation.shift;
    std::memcpy(reinterpret_cast<void*>(variable + relocation.offset), &value,
                std::min<std::size_t>(relocation.size, 8));
  }

  void describe_functions() {
    for (const ptx::Function& function : module_->functions) {
      if (!function.entry || !function.defined) continue;
      FunctionInfo info;
      info.entry = function.name;
      for (const ptx::Parameter& parameter : function.parameters)
        info.parameters.push_back({parameter.offset, parameter.size, parameter.alignment});
      info.shared_bytes = shared_layout(*module_, function).bytes;
      if (info.shared_bytes > Limits::kSharedPerBlock)
        throw Error(ErrorKind::compile,
                    fmt::format("kernel {} has {} bytes of static shared memory; the limit is {}",
                                demangled(function.name), info.shared_bytes, Limits::kSharedPerBlock))
            .advise("Make it dynamic: extern __shared__ float tile[]; and kernel<<<grid, block, bytes>>>(...);");
      info.local_bytes = local_layout(function).bytes;
      const auto& limit = function.max_threads[0] ? function.max_threads : function.required_threads;
      const std::uint32_t threads = std::max(limit[0], 1u) * std::max(limit[1], 1u) * std::max(limit[2], 1u);
      info.max_threads_per_block = static_cast<int>(limit[0] ? std::min(threads, 1024u) : 1024u);
      functions_.push_back(std::move(info));
    }
  }

  Jit& jit_;
  DiskCache* store_;
  std::optional<Dispatch> dispatch_;
  std::unique_ptr<const ptx::Module> module_;
  std::string name_;
  std::string text_key_;  // empty: nothing is stored
  std::unique_ptr<std::byte, AlignedDelete> memory_;
  std::vector<std::uint64_t> addresses_;
  std::vector<FunctionInfo> functions_;
  std::vector<VariableInfo> variables_;
  std::map<std::string, Linked> kernels_;
};

}  // namespace

struct Translator::State {
  explicit State(const TranslatorOptions& options) : jit(cpu_of(options)), options(options) {
    if (!options.dispatch) this->options.dispatch = dispatch_of_environment();
  }

  static std::string cpu_of(const TranslatorOptions& options) {
    if (!options.cpu.empty()) return options.cpu;
    const char* forced = std::getenv("XCUDA_CPU_TARGET");
    return forced ? forced : "";
  }

  static std::optional<Dispatch> dispatch_of_environment() {
    const char* word = std::getenv("XCUDA_CPU_DISPATCH");
    if (!word) return std::nullopt;
    const std::string_view form = word;
    if (form == "inlined") return Dispatch::inlined;
    if (form == "shared") return Dispatch::shared;
    throw Error(ErrorKind::name, "XCUDA_CPU_DISPATCH is inlined or shared, got " + std::string(form));
  }

  Jit jit;
  TranslatorOptions options;
};

Translator::Translator(const TranslatorOptions& options) : state_(std::make_unique<State>(options)) {}
Translator::~Translator() = default;
Translator::Translator(Translator&&) noexcept = default;
Translator& Translator::operator=(Translator&&) noexcept = default;

std::unique_ptr<Program> Translator::load(const ProgramSource& source) {
  return std::make_unique<LoadedProgram>(state_->jit, state_->options, source);
}

std::string Translator::target() const { return state_->jit.description(); }
Jit& Translator::jit() { return state_->jit; }

}  // namespace xcuda::device::cpu
