#include "device/cpu/loaded_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <span>

#include "base/demangle.hpp"
#include "device/cpu/jit/disassembly.hpp"
#include "device/cpu/jit/stored_kernel.hpp"
#include "device/cpu/pipeline.hpp"
#include "device/cpu/plan/layout.hpp"
#include "device/cpu/plan/shape.hpp"
#include "device/cpu/run/launch_limits.hpp"
#include "device/cpu/tiers.hpp"

namespace xcuda::device::cpu {

namespace {

constexpr int kMostThreads = 8;  // a compile can take 100 MiB

struct AlignedDelete {
  void operator()(std::byte* memory) const { ::operator delete (memory, std::align_val_t{4096}); }
};

// What all programs of a translator share.
struct Workshop {
  Jit& jit;
  DiskCache* store;
  std::optional<Dispatch> dispatch;
  std::optional<Tier> tier;
  CompileJobs* jobs;
  std::mutex storing, asking;
  std::map<std::string, Dim3, std::less<>> blocks;  // of the first launch of each kernel, by entry
};

// What compiling needs of a program; a compile that runs keeps it.
struct ProgramText {
  std::unique_ptr<const ptx::Module> module;
  std::string name, key;  // key: empty where nothing is stored
};

struct OwnedRequest {
  std::string entry, key;
  Dim3 grid, block;
  Checks checks;
  Tier tier;  // of the code that is compiled if none is stored
  KernelRequest view() const { return {entry, grid, block, checks}; }
};

CompiledKernel made(Workshop& shop, const ProgramText& text, const OwnedRequest& request,
                    const std::function<void(const char*)>& begins) {
  std::string stored_as;
  if (!text.key.empty()) {
    const std::string_view parts[] = {text.key, request.key, shop.jit.cpu()};
    stored_as = stored_key(parts);
    if (const auto bytes = shop.store->find(stored_as))
      if (auto found = restored(*bytes)) {
        found->code.from_store = true;
        return std::move(*found);
      }
  }
  CompiledKernel compiled =
      compile({*text.module, text.name, request.view(), shop.jit, shop.dispatch, begins, request.tier});
  if (!stored_as.empty() && (request.tier == Tier::full || shop.tier)) {
    const std::lock_guard lock(shop.storing);
    shop.store->store(stored_as, stored(compiled));
  }
  return compiled;
}

// `variant` is what comes after variant_text().
NativeCode facts_of(const KernelCode& code, std::span<const std::byte> object) {
  return {code.from_store ? NativeCode::State::stored : NativeCode::State::compiled,
          code.tier == Tier::quick ? ", quick code" : "", code_bytes(object), code.translate_time + code.compile_time};
}

// The block that a kernel's author had in mind, for all that its text says.
Dim3 likely_block(const ptx::Function& function) {
  const auto& required = function.required_threads[0] != 0 ? function.required_threads : function.max_threads;
  bool reads_y = false, reads_z = false;
  for (const ptx::Operand& operand : function.operands) {
    if (operand.kind != ptx::Operand::Kind::special) continue;
    reads_y = reads_y || operand.special == ptx::Special::tid_y;
    reads_z = reads_z || operand.special == ptx::Special::tid_z;
  }
  if (function.required_threads[0] != 0 || required[1] > 1 || required[2] > 1)
    return {std::max(required[0], 1u), std::max(required[1], 1u), std::max(required[2], 1u)};
  if (reads_z) return {8, 8, 4};
  if (reads_y) return {16, 16, 1};
  return {required[0] != 0 ? required[0] : 256, 1, 1};
}

LinkedKernel linked(Workshop& shop, const KernelRequest& request, CompiledKernel compiled) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  LinkedKernel kernel{std::string(request.entry), std::move(compiled.code), shop.jit.link(compiled.object), {}};
  kernel.code.run = kernel.object->kernel();
  kernel.code.compile_time += (Clock::now() - start) / std::chrono::nanoseconds(1);
  kernel.facts = facts_of(kernel.code, compiled.object);
  kernel.facts.variant.insert(0, variant_text(request));
  return kernel;
}

// Compiles what takes the place of quick code.
CompiledKernel compile_fully(Workshop& shop, const ProgramText& text, OwnedRequest request, FullCode& full,
                             CompileJob& job) {
  request.tier = Tier::full;
  const auto begins = [&](const char* phase) {
    if (full.unwanted) job.drop();
    job.begin(phase);
  };
  full.publish(linked(shop, request.view(), made(shop, text, request, begins)));
  return {};
}

// Null: too many wait already.
std::shared_ptr<FullCode> begun_fully(Workshop& shop, const std::shared_ptr<const ProgramText>& text,
                                      const OwnedRequest& request, const KernelCode& quick, const std::string& name) {
  auto full = std::make_shared<FullCode>(quick);
  full->job = shop.jobs->begin_ahead(name, [&shop, text, request, full = std::weak_ptr(full)](CompileJob& job) {
    const auto wanted = full.lock();
    return wanted ? compile_fully(shop, *text, request, *wanted, job) : CompiledKernel{};
  });
  return full->job ? full : nullptr;
}

class LoadedProgram final : public LoadedModule {
  using FullLater = std::shared_ptr<std::shared_ptr<FullCode>>;  // filled by the compile of quick code

  struct Kernel {
    LinkedKernel linked;
    std::shared_ptr<FullCode> full{};  // of quick code
    std::string variant{};             // of the full code
    const LinkedKernel& newest() const {
      const LinkedKernel* better = full ? full->kernel() : nullptr;
      return better ? *better : linked;
    }
  };

 public:
  LoadedProgram(Workshop& shop, const ProgramSource& source) : shop_(shop) {
    auto text = std::make_shared<ProgramText>();
    text->module = lowered(source.ptx, source.name);
    text->name = source.name;
    if (shop.store) text->key = stored_key({&source.ptx, 1});
    text_ = std::move(text);
    place_variables();
    describe_functions();
  }
  ~LoadedProgram() override {
    for (const auto& [key, begun] : jobs_) {
      begun.job->drop();
      if (begun.job->done() && *begun.full) (*begun.full)->unwanted = true;
    }
    for (const auto& [key, kernel] : kernels_)
      if (kernel.full) kernel.full->unwanted = true;
  }

  const std::vector<FunctionInfo>& functions() const override { return functions_; }
  const FunctionInfo* kernel_at(std::uint64_t token) const override {
    const auto found = by_token_.find(token);
    return found == by_token_.end() ? nullptr : &functions_[found->second];
  }
  const std::vector<VariableInfo>& variables() const override { return variables_; }
  const std::uint64_t* variable_addresses() const override { return addresses_.data(); }

  std::vector<std::byte> place_variables(const std::vector<VariableInfo>& placed) override {
    std::vector<std::size_t> indices;  // of the module's variables
    for (const VariableInfo& each : placed) {
      const auto& variables = module().variables;
      const auto found = std::find_if(variables.begin(), variables.end(),
                                      [&](const auto& variable) { return variable.name == each.symbol; });
      if (found == variables.end() || !found->lasts() || found->size != each.size)
        throw Error(ErrorKind::name,
                    fmt::format("{} has no variable {} of {} bytes", text_->name, each.symbol, each.size));
      indices.push_back(static_cast<std::size_t>(found - variables.begin()));
      addresses_[indices.back()] = each.address;
      for (VariableInfo& variable : variables_)
        if (variable.symbol == each.symbol) variable.address = each.address;
    }
    relocate_all();
    std::vector<std::byte> initial;
    for (const std::size_t index : indices) {
      const std::byte* begin = images_[index];
      initial.insert(initial.end(), begin, begin + module().variables[index].size);
    }
    return initial;
  }

  const KernelCode* kernel(const KernelRequest& request, const CompileWait& wait) override {
    const std::lock_guard lock(shop_.asking);
    std::string key = key_of(request);
    if (const auto known = kernels_.find(key); known != kernels_.end()) return newest(known->second, request, wait);
    if (shop_.jobs == nullptr)
      return &keep(key, {linked(shop_, request, made(shop_, *text_, owned(request, key), {}))}).newest().code;
    shop_.blocks.insert_or_assign(std::string(request.entry), request.block);
    const std::shared_ptr<CompileJob> job = wanted(request, key);
    if (!waited(*job, wait)) return nullptr;
    const FullLater later = std::move(jobs_.at(key).full);
    jobs_.erase(key);
    Kernel kernel{linked(shop_, request, job->take()), *later, variant_text(request)};
    if (*later) shop_.jobs->go_beside((*later)->job);
    return newest(keep(std::move(key), std::move(kernel)), request, wait);
  }

  void prepare(std::string_view entry, const Checks& checks) override {
    const ptx::Function* function = module().find_function(entry);
    if (shop_.jobs == nullptr || function == nullptr || !native_codes(entry).empty()) return;
    const auto known = shop_.blocks.find(entry);
    const Dim3 block = known != shop_.blocks.end() ? known->second : likely_block(*function);
    const KernelRequest request{entry, {}, block, checks};
    std::string key = key_of(request);
    if (Begun begun = begin(request, key, &CompileJobs::begin_ahead); begun.job)
      jobs_.emplace(std::move(key), std::move(begun));
  }

  MachineCode machine_code(const KernelRequest& request, const CompileWait& wait) override {
    const Told told(wait);
    const auto begins = [&](const char* phase) { told.say(short_name(request.entry), phase); };
    return disassembled(CompileRequest{*text_->module, text_->name, request, shop_.jit, shop_.dispatch, begins});
  }

  std::vector<NativeCode> native_codes(std::string_view entry) const override {
    std::vector<NativeCode> codes;
    for (const auto& [key, kernel] : kernels_) {
      if (kernel.linked.entry != entry) continue;
      codes.push_back(kernel.newest().facts);
      if (!kernel.full || kernel.full->kernel()) continue;
      codes.push_back(kernel.full->job->facts());
      codes.back().variant = kernel.variant;
    }
    for (const auto& [key, begun] : jobs_) {
      if (begun.entry != entry) continue;
      codes.push_back(begun.job->facts());
      codes.back().variant.insert(0, begun.variant);
    }
    return codes;
  }

 private:
  struct Begun {
    std::string entry, variant;
    std::shared_ptr<CompileJob> job;
    FullLater full;
  };

  std::string key_of(const KernelRequest& request) const {
    std::string key = std::string(request.entry) + " " + shape_of(request.block).key() +
                      (request.checks.bounds ? " checked" : "") + (request.checks.races ? " races" : "") +
                      (request.checks.uninitialised ? " init" : "");
    if (shop_.dispatch) key += *shop_.dispatch == Dispatch::shared ? " shared" : " inlined";
    if (shop_.tier == Tier::quick) key += " quick";
    return key;
  }

  OwnedRequest owned(const KernelRequest& request, const std::string& key) const {
    const Tier tier = shop_.tier ? *shop_.tier : shop_.jobs != nullptr ? first_tier(module(), request) : Tier::full;
    return {std::string(request.entry), key, request.grid, request.block, request.checks, tier};
  }

  using Start = std::shared_ptr<CompileJob> (CompileJobs::*)(std::string, CompileJobs::Work);
  Begun begin(const KernelRequest& request, const std::string& key, Start start) {
    auto later = std::make_shared<std::shared_ptr<FullCode>>();
    std::string name = short_name(request.entry);
    auto work = [&shop = shop_, text = text_, mine = owned(request, key), later, name](CompileJob& job) {
      CompiledKernel kernel = made(shop, *text, mine, [&job](const char* phase) { job.begin(phase); });
      job.finish(facts_of(kernel.code, kernel.object));
      if (kernel.code.tier == Tier::quick && !shop.tier) *later = begun_fully(shop, text, mine, kernel.code, name);
      return kernel;
    };
    return {std::string(request.entry), variant_text(request), (shop_.jobs->*start)(std::move(name), std::move(work)),
            later};
  }

  // By a launch that waits.
  std::shared_ptr<CompileJob> wanted(const KernelRequest& request, const std::string& key) {
    if (const auto begun = jobs_.find(key); begun != jobs_.end()) {
      shop_.jobs->hurry(begun->second.job);
      return begun->second.job;
    }
    return jobs_.emplace(key, begin(request, key, &CompileJobs::begin)).first->second.job;
  }

  const Kernel& keep(std::string key, Kernel kernel) {
    Kernel& kept = kernels_.emplace(std::move(key), std::move(kernel)).first->second;
    if (kept.full) kept.linked.code.better = &kept.full->between_blocks();
    return kept;
  }

  // Null: the wait was given up. Where the compile of full code fails, quick code stays.
  const KernelCode* newest(const Kernel& kernel, const KernelRequest& request, const CompileWait& wait) {
    const bool full = request.code_wait != CodeWait::full || !kernel.full || kernel.full->kernel();
    return full || waited(*kernel.full->job, wait) ? &kernel.newest().code : nullptr;
  }

  // Other compiles go on meanwhile. False: the wait was given up.
  bool waited(const CompileJob& job, const CompileWait& wait) {
    const bool paused = shop_.jobs->go_on();
    const bool done = job.wait(wait);
    if (paused) shop_.jobs->pause();
    return done;
  }

  const ptx::Module& module() const { return *text_->module; }
  void place_variables() {
    std::size_t size = 0;
    addresses_.assign(std::max<std::size_t>(module().variables.size(), 1), 0);
    for (std::size_t i = 0; i < module().variables.size(); ++i) {
      const ptx::Variable& variable = module().variables[i];
      if (!variable.lasts()) continue;
      const std::size_t alignment = std::max<std::size_t>(variable.alignment, 16);
      size = (size + alignment - 1) / alignment * alignment;
      addresses_[i] = size;
      size += variable.size;
    }
    memory_.reset(static_cast<std::byte*>(::operator new (size + 64, std::align_val_t{4096}, std::nothrow)));
    if (!memory_) throw Error(ErrorKind::memory, "no memory for the variables of " + text_->name);
    std::memset(memory_.get(), 0, size + 64);
    const auto base = reinterpret_cast<std::uint64_t>(memory_.get());
    for (std::size_t i = 0; i < module().variables.size(); ++i) {
      const ptx::Variable& variable = module().variables[i];
      if (!variable.lasts()) continue;
      addresses_[i] += base;
      if (!variable.initial.empty())
        std::memcpy(reinterpret_cast<void*>(addresses_[i]), variable.initial.data(), variable.initial.size());
      variables_.push_back({variable.name, addresses_[i], variable.size, variable.space == ptx::Space::constant});
    }
    images_.assign(module().variables.size(), nullptr);
    for (std::size_t i = 0; i < module().variables.size(); ++i)
      if (module().variables[i].lasts()) images_[i] = reinterpret_cast<std::byte*>(addresses_[i]);
    relocate_all();
  }

  void relocate_all() {
    for (std::size_t i = 0; i < module().variables.size(); ++i)
      for (const ptx::Relocation& relocation : module().variables[i].relocations) relocate(images_[i], relocation);
  }

  void relocate(std::byte* image, const ptx::Relocation& relocation) {
    const std::uint64_t target =
        relocation.symbol.kind == ptx::SymbolKind::variable   ? addresses_[relocation.symbol.index]
        : relocation.symbol.kind == ptx::SymbolKind::function ? function_token(relocation.symbol.index)
                                                              : 0;
    const std::uint64_t value = (target + static_cast<std::uint64_t>(relocation.addend)) >> relocation.shift;
    std::memcpy(image + relocation.offset, &value, std::min<std::size_t>(relocation.size, 8));
  }

  void describe_functions() {
    for (const ptx::Function& function : module().functions) {
      if (!function.entry || !function.defined) continue;
      FunctionInfo info;
      info.entry = function.name;
      for (const ptx::Parameter& parameter : function.parameters)
        info.parameters.push_back({parameter.offset, parameter.size, parameter.alignment});
      const auto shared = shared_layout(module(), function);
      info.shared_bytes = shared.bytes - shared.reserved_bytes;  // no limit counts these
      if (info.shared_bytes > Limits::kSharedPerBlock)
        throw Error(ErrorKind::compile,
                    fmt::format("kernel {} has {} bytes of static shared memory; the limit is {}",
                                demangled(function.name), info.shared_bytes, Limits::kSharedPerBlock))
            .advise("Make it dynamic: extern __shared__ float tile[]; and kernel<<<grid, block, bytes>>>(...);");
      info.local_bytes = local_layout(function).bytes;
      const auto& limit = function.max_threads[0] ? function.max_threads : function.required_threads;
      const std::uint32_t threads = std::max(limit[0], 1u) * std::max(limit[1], 1u) * std::max(limit[2], 1u);
      info.max_threads_per_block = static_cast<int>(limit[0] ? std::min(threads, 1024u) : 1024u);
      const auto index = static_cast<ptx::Index>(&function - module().functions.data());
      by_token_.emplace(function_token(index), functions_.size());
      functions_.push_back(std::move(info));
    }
  }

  Workshop& shop_;
  std::shared_ptr<const ProgramText> text_;
  std::unique_ptr<std::byte, AlignedDelete> memory_;
  std::vector<std::uint64_t> addresses_;
  std::vector<std::byte*> images_;  // in memory_: what each variable holds at first
  std::vector<FunctionInfo> functions_;
  std::map<std::uint64_t, std::size_t> by_token_;  // of functions_: what a pointer to each kernel holds
  std::vector<VariableInfo> variables_;
  std::map<std::string, Kernel> kernels_;  // by what key_of() says
  std::map<std::string, Begun> jobs_;      // likewise, of those that are not linked yet
};

}  // namespace

struct Translator::State {
  explicit State(const TranslatorOptions& options)
      : jit(cpu_of(options)),
        shop{jit,
             options.store,
             options.dispatch ? options.dispatch : dispatch_of_environment(),
             options.tier ? options.tier : tier_of_environment(),
             nullptr,
             {},
             {},
             {}} {
    if (options.threads > 0) shop.jobs = &jobs.emplace(std::min(options.threads, kMostThreads), options.prepare_thread);
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

  static std::optional<Tier> tier_of_environment() {
    const char* word = std::getenv("XCUDA_CPU_TIER");
    if (!word) return std::nullopt;
    const std::string_view tier = word;
    if (tier == "quick") return Tier::quick;
    if (tier == "full") return Tier::full;
    throw Error(ErrorKind::name, "XCUDA_CPU_TIER is quick or full, got " + std::string(tier));
  }

  Jit jit;
  Workshop shop;
  std::optional<CompileJobs> jobs;  // last: it ends first
};

Translator::Translator(const TranslatorOptions& options) : state_(std::make_unique<State>(options)) {}
Translator::~Translator() = default;
Translator::Translator(Translator&&) noexcept = default;
Translator& Translator::operator=(Translator&&) noexcept = default;

std::unique_ptr<LoadedModule> Translator::load(const ProgramSource& source) {
  return std::make_unique<LoadedProgram>(state_->shop, source);
}

std::string Translator::target() const { return state_->jit.description(); }
Jit& Translator::jit() { return state_->jit; }
CompileJobs* Translator::jobs() { return state_->shop.jobs; }

}  // namespace xcuda::device::cpu
