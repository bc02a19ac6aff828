// Launch statements: configuration, arguments, posting, repeating, reporting.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/units.hpp"
#include "interpreter/backups.hpp"
#include "interpreter/executor.hpp"
#include "interpreter/initial.hpp"
#include "interpreter/second_run.hpp"

namespace xcuda::interpreter {
namespace {

constexpr std::uint64_t kLargest = 0xffff'ffff;
constexpr std::size_t kMostUnderWay = 65536;  // launches posted without waiting for them; a wait is 10 µs

const cell::Call* call_of(const cell::Expression& expression, std::string_view name) {
  const auto* call = std::get_if<cell::Call>(&expression.node);
  const auto* callee = call == nullptr ? nullptr : std::get_if<cell::Name>(&call->callee->node);
  return callee != nullptr && callee->text == name ? call : nullptr;
}

// Textures are numbers to C++.
bool takes_handles(const compiler::KernelSignature& kernel) {
  return std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                     [](const auto& p) { return p.type == "unsigned long long"; });
}

}  // namespace

std::uint32_t Executor::extent32(const cell::Expression& expression, std::string_view what) {
  const auto value = number(expression, what);
  if (!value.type().is_integer())
    throw error(ErrorKind::type, fmt::format("an extent of {} is {}, not an integer", what, value.type().name),
                expression.span)
        .advise("Convert it: int(...).");
  if (value.is_negative() || value.as_unsigned() > kLargest)
    throw error(ErrorKind::value, fmt::format("an extent of {} is {}", what, value.text()), expression.span)
        .advise("It has to be between 1 and 4294967295.");
  return static_cast<std::uint32_t>(value.as_unsigned());
}

device::Dim3 Executor::dimensions(const cell::Expression& expression, std::string_view what) {
  device::Dim3 dim;
  std::uint32_t* parts[] = {&dim.x, &dim.y, &dim.z};
  const std::vector<cell::ExpressionPtr>* list = nullptr;
  if (const auto* braces = std::get_if<cell::List>(&expression.node)) list = &braces->elements;
  if (const auto* cast = std::get_if<cell::Cast>(&expression.node); cast != nullptr && cast->type == "dim3")
    if (const auto* braces = std::get_if<cell::List>(&cast->operand->node)) list = &braces->elements;
  if (list != nullptr) {
    if (list->size() > 3)
      throw error(ErrorKind::value, fmt::format("{} has three extents at most", what), expression.span);
    for (std::size_t i = 0; i < list->size(); ++i) *parts[i] = extent32(*(*list)[i], what);
    return dim;
  }
  const auto value = evaluate(expression);
  if (const auto* whole = std::get_if<device::Dim3>(&value)) return *whole;
  if (!std::holds_alternative<cell::Value>(value))
    throw error(ErrorKind::type, fmt::format("{} is an integer, a dim3 or {{x, y, z}}", what), expression.span);
  dim.x = extent32(expression, what);
  return dim;
}

Executor::Configuration Executor::configuration(const cell::Launch& launch, const Kernel& kernel) {
  Configuration result;
  const auto& parts = launch.configuration;
  if (parts.size() > 2) {
    const auto value = number(*parts[2], "the shared memory of a launch");
    if (!value.type().is_integer() || value.is_negative())
      throw error(ErrorKind::value, "the shared memory of a launch is a number of bytes", parts[2]->span);
    result.shape.dynamic_shared = value.as_unsigned();
  } else {
    result.shape.dynamic_shared = frame_.options.dynamic_shared;
  }
  if (parts.size() > 3) {
    result.stream = stream_of(*parts[3], "the fourth part of <<< >>>");
    require_in_capture(result.stream, parts[3]->span);
  } else {
    result.stream = frame_.options.stream.value_or(session_.default_stream());
  }
  const auto* cover = call_of(*parts[0], "cover");
  if (cover == nullptr) {
    result.shape.grid = dimensions(*parts[0], "the grid");
    if (parts.size() < 2)
      throw error(ErrorKind::type, fmt::format("the launch of {} has no block", kernel.signature->name),
                  launch.configuration_span)
          .advise(fmt::format("Write {}<<<grid, block>>>(...), or <<<cover(n)>>> to have both chosen.",
                              kernel.signature->name));
    result.shape.block = dimensions(*parts[1], "the block");
    return result;
  }
  // cover(n): a block from the occupancy calculator unless it is given, and a grid that covers n.
  if (cover->arguments.empty() || cover->arguments.size() > 3)
    throw error(ErrorKind::type, "cover takes one to three extents", parts[0]->span);
  std::uint64_t wanted[3] = {1, 1, 1};
  for (std::size_t i = 0; i < cover->arguments.size(); ++i) {
    const auto value = number(*cover->arguments[i].value, "an extent of cover");
    if (!value.type().is_integer() || value.is_negative() || value.as_unsigned() == 0)
      throw error(ErrorKind::value, fmt::format("an extent of cover is {}", value.text()),
                  cover->arguments[i].value->span);
    wanted[i] = value.as_unsigned();
  }
  if (parts.size() > 1) {
    result.shape.block = dimensions(*parts[1], "the block");
  } else {
    const auto threads =
        session_.device().best_block({kernel.module->id, kernel.function->entry, 0, result.shape.dynamic_shared});
    auto& block = result.shape.block;
    block = {threads, 1, 1};
    if (cover->arguments.size() > 1) {  // a row of a warp, so that neighbours in x are neighbours in memory
      block.x = std::min<std::uint32_t>(threads, 32);
      block.y = std::max<std::uint32_t>(threads / block.x, 1);
      if (cover->arguments.size() > 2 && block.y >= 8) {
        block.z = 4;
        block.y /= 4;
      }
    }
  }
  const auto& block = result.shape.block;
  const std::uint32_t extents[3] = {std::max(block.x, 1u), std::max(block.y, 1u), std::max(block.z, 1u)};
  std::uint32_t* grid[3] = {&result.shape.grid.x, &result.shape.grid.y, &result.shape.grid.z};
  for (int i = 0; i < 3; ++i) {
    const auto blocks = wanted[i] / extents[i] + (wanted[i] % extents[i] != 0 ? 1 : 0);
    if (blocks > kLargest) throw error(ErrorKind::value, fmt::format("cover needs {} blocks", blocks), parts[0]->span);
    *grid[i] = static_cast<std::uint32_t>(blocks);
  }
  return result;
}

// The grid has to be made of whole clusters, and a cluster of at most 8 blocks is there on every GPU that has them.
void Executor::check_cluster(const LaunchShape& shape, cell::Span span) {
  if (!frame_.options.cluster) return;
  const auto& cluster = *frame_.options.cluster;
  const auto& info = session_.device_info();
  if (info.kind == "cuda" && info.compute_major < 9)
    throw error(ErrorKind::unsupported, fmt::format("{} has no clusters", info.name), span)
        .advise("They need compute capability 9.0.");
  const auto text = [](const device::Dim3& dim) { return fmt::format("{{{}, {}, {}}}", dim.x, dim.y, dim.z); };
  const auto& grid = shape.grid;
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
    throw error(ErrorKind::value,
                fmt::format("a grid of {} is not made of whole clusters of {}", text(grid), text(cluster)), span)
        .advise("Every extent of the grid has to be a multiple of the cluster's.");
}

KernelArgument Executor::argument(const cell::Argument& argument) {
  const auto& expression = *argument.value;
  KernelArgument result;
  result.span = expression.span;
  result.name = argument.name;
  const auto value = evaluate(expression);
  struct Visitor {
    KernelArgument& result;
    void operator()(const Nothing&) const { result.kind = KernelArgument::Kind::text; }
    void operator()(const cell::Value& number) const {
      result.type = number.type();
      if (result.type.scalar >= Scalar::complex64) {
        result.kind = KernelArgument::Kind::object;
        result.object.resize(result.type.size);
        return number.store(result.object);
      }
      result.kind = KernelArgument::Kind::number;
      if (result.type.is_floating())
        result.number = number.as_real();
      else if (number.is_negative())
        result.number = number.as_signed();
      else if (number.as_unsigned() > 0x7fff'ffff'ffff'ffff)
        result.number = number.as_unsigned();
      else
        result.number = static_cast<std::int64_t>(number.as_unsigned());
    }
    void operator()(const device::Dim3& dim) const {
      result.kind = KernelArgument::Kind::object;
      result.type = {"dim3", sizeof dim, alignof(std::uint32_t)};
      result.object.resize(sizeof dim);
      std::memcpy(result.object.data(), &dim, sizeof dim);
    }
    void operator()(const Object& object) const {
      result.kind = KernelArgument::Kind::object;
      result.type = object.type;
      result.object = object.bytes;
    }
    void operator()(const Stream&) const { result.kind = KernelArgument::Kind::text; }
    void operator()(const Event&) const { result.kind = KernelArgument::Kind::text; }
    void operator()(const Texture& texture) const {
      result.kind = KernelArgument::Kind::texture;
      result.texture = texture.object.get();
    }
    void operator()(const Pointer& pointer) const {
      result.kind = KernelArgument::Kind::pointer;
      result.type = pointer.type;
      result.address = pointer.address;
      result.bytes_behind = pointer.bytes;
      result.array = pointer.owner;
      result.whole_array = pointer.whole;
      result.read_only = pointer.read_only;
    }
    void operator()(const NullPointer&) const { result.kind = KernelArgument::Kind::null; }
    void operator()(const std::string&) const { result.kind = KernelArgument::Kind::text; }
    void operator()(const ArrayExpression&) const { result.kind = KernelArgument::Kind::text; }
  };
  if (const auto* computed = std::get_if<ArrayExpression>(&value)) {
    auto failure = error(ErrorKind::type,
                         fmt::format("{} is an array that has no memory yet", snippet(run_.source, expression.span)),
                         expression.span);
    const auto* sum = std::get_if<cell::Binary>(&expression.node);
    const auto& inputs = computed->node->inputs;
    if (sum != nullptr && sum->op == "+" && inputs.size() == 2 &&
        inputs[0]->shape.empty() != inputs[1]->shape.empty()) {
      const auto& array = inputs[0]->shape.empty() ? sum->right : sum->left;
      const auto& offset = inputs[0]->shape.empty() ? sum->left : sum->right;
      throw std::move(failure).advise(fmt::format("If a pointer is meant, write &{}[{}].",
                                                  snippet(run_.source, array->span),
                                                  snippet(run_.source, offset->span)));
    }
    throw std::move(failure).advise(fmt::format("Give it some: auto t = {};", snippet(run_.source, expression.span)));
  }
  if (const auto* pointer = std::get_if<Pointer>(&value); pointer != nullptr && !is_contiguous(*pointer))
    throw error(
        ErrorKind::type,
        fmt::format("{} does not lie in one piece, and a kernel takes pointers", snippet(run_.source, expression.span)),
        expression.span)
        .advise(fmt::format("auto piece = {}; makes a copy that does.", snippet(run_.source, expression.span)));
  std::visit(Visitor{result}, value);
  if (result.texture != nullptr) {
    const auto* array = result.texture->freed() ? nullptr : session_.arrays().at(result.texture->request().address);
    if (array == nullptr)
      throw error(
          ErrorKind::value,
          fmt::format("the array of {} {} was freed", result.texture->kind(), snippet(run_.source, expression.span)),
          expression.span)
          .advise(fmt::format("Declare it again: {} {}(x);", result.texture->kind(),
                              snippet(run_.source, expression.span)));
    result.array = array->name;
  }
  return result;
}

void Executor::mark_fetched(std::vector<device::TextureArgument>& textures, const Kernel& kernel) {
  for (const auto& use : session_.textures().uses_of(kernel))
    for (auto& texture : textures)
      if (use.fetches && texture.offset == kernel.function->parameters[use.parameter].offset)
        texture.use = device::TextureUse::fetched;
}

// An enumerator is an integer among the statements; a parameter of its type takes the bytes.
void Executor::convert_enumerations(const compiler::KernelSignature& kernel, std::vector<KernelArgument>& arguments) {
  for (std::size_t i = 0; kernel.types_known && i < std::min(arguments.size(), kernel.parameters.size()); ++i) {
    auto& argument = arguments[i];
    const auto& parameter = kernel.parameters[i];
    if (argument.kind != KernelArgument::Kind::number || !argument.type.is_integer() || parameter.pointer ||
        xcuda::find_type(parameter.type))
      continue;
    const auto type = session_.find_type(run_, parameter.type, argument.span);
    if (!type.is_integer()) continue;
    const auto number = std::visit([](auto value) { return cell::Value::of(value); }, argument.number);
    argument.kind = KernelArgument::Kind::object;
    argument.type = Type{parameter.type, type.size, type.alignment};
    argument.object.resize(type.size);
    cell::convert(number, type).store(argument.object);
  }
}

void Executor::launch(const cell::Launch& launch, cell::Span span) {
  // So that an endless loop of launches notices a fault, and what is remembered of them stays small.
  if (session_.launches().size() >= kMostUnderWay && session_.capture() == nullptr) session_.synchronize();
  std::vector<KernelArgument> arguments;
  const auto& found = session_.find_kernels(run_, launch.kernel.text, launch.kernel_span);
  auto kernel = found.front();
  if (found.size() > 1) {
    const auto overloads = found;  // an argument may compile something
    for (const auto& given : launch.arguments) arguments.push_back(argument(given));
    kernel = choose_overload(overloads, arguments, run_.source, span);
  }
  const auto [shape, stream] = configuration(launch, kernel);
  check_shape(shape, *kernel.signature, *kernel.function, session_.device_info(), run_.source,
              launch.configuration_span);
  if (arguments.empty())
    for (const auto& given : launch.arguments) arguments.push_back(argument(given));
  convert_enumerations(*kernel.signature, arguments);
  if (takes_handles(*kernel.signature) && arguments.size() == kernel.signature->parameters.size())
    check_textures(*kernel.signature, session_.textures().uses_of(kernel), arguments, run_.source);
  auto checked = check_arguments(*kernel.signature, *kernel.function, arguments, run_.source, span);
  if (frame_.options.mode == device::LaunchMode::cooperative && !session_.device_info().cooperative_launch)
    throw error(ErrorKind::unsupported, fmt::format("{} cannot launch cooperatively", session_.device_info().name),
                span)
        .advise("Split the kernel where its grid synchronises: launches of one stream run one behind the other.");
  check_cluster(shape, launch.configuration_span);

  device::LaunchRequest request;
  request.module = kernel.module->id;
  request.entry = kernel.function->entry;
  request.grid = shape.grid;
  request.block = shape.block;
  request.dynamic_shared = shape.dynamic_shared;
  request.stream = stream;
  request.mode = frame_.options.mode;
  request.cluster = frame_.options.cluster;
  request.checks = frame_.options.checks;
  request.arguments = std::move(checked.bytes);
  request.textures = std::move(checked.textures);
  if (!request.textures.empty()) mark_fetched(request.textures, kernel);
  std::optional<SecondRun> second;
  if (frame_.options.compare == LaunchOptions::Compare::with_cpu)
    second.emplace(session_, SecondRun::Launch{&kernel, request, checked.arrays, snippet(run_.source, span),
                                               place_of(run_.source, span)});
  const auto site = session_.launches().site(&launch, checked.arrays, [&] {
    return LaunchSite{&launch, launch.kernel.text, snippet(run_.source, span), place_of(run_.source, span),
                      checked.arrays};
  });
  if (session_.capture() != nullptr)
    for (const auto& use : checked.arrays)
      if (const auto* array = use.may_write ? session_.arrays().find(use.array) : nullptr)
        session_.note_written(array->address);
  session_.posted();
  if (frame_.options.report == LaunchOptions::Report::none) {
    session_.variables().post_before_launch(session_.device(), request.module, stream);
    post(std::move(request), site);
    return;
  }
  request.timing = device::Timing::each;
  const auto row = report_row(launch, span, kernel, request, checked.arrays);
  if (frame_.options.repeat > 1 || frame_.options.warmup > 0) {
    repeat(request, checked.arrays, site, row);
  } else {
    session_.variables().post_before_launch(session_.device(), request.module, stream);
    timed_.emplace_back(post(std::move(request), site), row);
  }
  if (!second) return;
  session_.synchronize();
  for (auto& line : second->compare()) rows_[row].notes.push_back(std::move(line));
}

std::uint64_t Executor::post(device::LaunchRequest request, std::uint32_t site) {
  request.number = session_.launches().next_number();
  session_.launches().posted(request.number, site);
  const auto number = request.number;
  session_.device().post_launch(request);
  return number;
}

// The warm-up and all timed launches see the same data, and what stays is the effect of one launch.
void Executor::repeat(const device::LaunchRequest& request, const std::vector<ArrayUse>& uses, std::uint32_t site,
                      std::size_t row) {
  const bool restoring = frame_.options.restore == LaunchOptions::Restore::yes;
  std::vector<std::string> written;
  for (const auto& use : uses)
    if (restoring && use.may_write && std::find(written.begin(), written.end(), use.array) == written.end())
      written.push_back(use.array);
  std::optional<Backups> backups;
  if (restoring) backups.emplace(session_, run_, written, request.module);
  auto warmup = request;
  warmup.timing = device::Timing::none;
  // Long runs are waited for twice a second, so that what is counted has been done and not only posted.
  using Clock = std::chrono::steady_clock;
  const auto begun = Clock::now();
  const auto total = frame_.options.warmup + frame_.options.repeat;
  std::uint64_t wait_at = 1;
  for (std::uint64_t i = 0; i < total; ++i) {
    session_.interrupt_flag().check();
    if (i == wait_at) {
      session_.synchronize();
      session_.progress().count(Progress::Unit::runs, i, total);
      const std::chrono::duration<double> each = (Clock::now() - begun) / static_cast<double>(i);
      wait_at =
          i + std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::min(0.5 / std::max(each.count(), 1e-9), 1e9)));
    }
    if (i > 0 && backups) backups->post_restore();
    session_.variables().post_before_launch(session_.device(), request.module, request.stream);
    session_.posted();
    const auto number = post(i < frame_.options.warmup ? warmup : request, site);
    if (i >= frame_.options.warmup) timed_.emplace_back(number, row);
  }
  session_.synchronize();
  rows_[row].warmup = static_cast<int>(frame_.options.warmup);
  rows_[row].launches += frame_.options.repeat - 1;
  if (!written.empty())
    rows_[row].notes.push_back(fmt::format("{} {} restored before each repetition: the effect is one launch's",
                                           fmt::join(written, ", "), written.size() == 1 ? "was" : "were"));
}

std::size_t Executor::report_row(const cell::Launch& launch, cell::Span span, const Kernel& kernel,
                                 const device::LaunchRequest& request, const std::vector<ArrayUse>& uses) {
  const auto place = place_of(run_.source, span);
  // A loop's launches of one shape share a row.
  for (std::size_t i = rows_.size(); i-- > 0;)
    if (rows_[i].line == place.line && rows_[i].kernel == launch.kernel.text && rows_[i].grid == request.grid &&
        rows_[i].block == request.block) {
      ++rows_[i].launches;
      return i;
    }
  display::LaunchView view;
  view.kernel = launch.kernel.text;
  view.source = run_.source.name;
  view.line = place.line;
  view.grid = request.grid;
  view.block = request.block;
  view.dynamic_shared = request.dynamic_shared;
  view.cluster = request.cluster;
  view.function = *kernel.function;
  if (session_.device_info().kind == "cuda")  // nothing else has multiprocessors to occupy
    view.occupancy =
        session_.device().occupancy({kernel.module->id, kernel.function->entry,
                                     static_cast<std::uint32_t>(request.block.count()), request.dynamic_shared});
  for (const auto& use : uses) {
    const auto same =
        std::find_if(view.arguments.begin(), view.arguments.end(), [&](const auto& a) { return a.array == use.array; });
    const auto kind = use.may_write ? display::ArrayArgument::Use::may_write : display::ArrayArgument::Use::reads;
    if (same == view.arguments.end())
      view.arguments.push_back({use.parameter, use.array, use.bytes, kind});
    else if (use.may_write)
      same->use = kind;
  }
  rows_.push_back(std::move(view));
  return rows_.size() - 1;
}

display::LaunchReport Executor::report() {
  session_.synchronize();
  std::size_t next = 0;
  for (const auto& timing : session_.launches().take_timings()) {
    while (next < timed_.size() && timed_[next].first < timing.number) ++next;
    if (next < timed_.size() && timed_[next].first == timing.number)
      rows_[timed_[next].second].times.push_back(timing.duration);
  }
  const auto& info = session_.device_info();
  return {std::move(rows_), info.name, info.peak_bandwidth};
}

}  // namespace xcuda::interpreter
