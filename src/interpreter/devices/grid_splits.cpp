#include "interpreter/devices/grid_splits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "ptx/part_entry.hpp"
#include "ptx/ptx_parser.hpp"

namespace xcuda::interpreter {
namespace {

using Access = DeviceOrder::Range::Access;
using Known = ptx::GridAccess::Known;

constexpr std::size_t kMostPlans = 256;

ptx::Extents extents(const device::Dim3& dim) { return {dim.x, dim.y, dim.z}; }
std::uint32_t& along(device::Dim3& dim, std::size_t axis) { return axis == 0 ? dim.x : axis == 1 ? dim.y : dim.z; }

bool is_sharded(const Array* array) { return array != nullptr && array->spread.kind == Spread::Kind::sharded; }

// From one index along the axis to the next, and from one row of all its indices to the next.
std::int64_t bytes_along(const Array& array, std::size_t axis) {
  auto bytes = static_cast<std::int64_t>(array.type.size);
  for (std::size_t inner = axis + 1; inner < array.shape.size(); ++inner)
    bytes *= static_cast<std::int64_t>(array.shape[inner]);
  return bytes;
}
std::int64_t row_of(const Array& array, std::size_t axis) {
  return bytes_along(array, axis) * static_cast<std::int64_t>(array.shape[axis]);
}

bool meet(const DeviceOrder::Range& a, const DeviceOrder::Range& b) {
  return a.begin < b.begin + b.bytes && b.begin < a.begin + a.bytes;
}

bool meet(const PartReach& a, const PartReach& b) {
  if (!meet(a.range, b.range)) return false;
  return a.row == 0 || a.row != b.row || (a.first < b.end && b.first < a.end);
}

void add(std::vector<PartReach>& all, const PartReach& reach) {
  const auto& range = reach.range;
  if (range.bytes == 0) return;
  for (auto& [known, row, first, end] : all) {
    if (known.access != range.access || row != reach.row || reach.first > end || first > reach.end ||
        !meet(known, {range.begin - 1, range.bytes + 2}))
      continue;
    const auto last = std::max(known.begin + known.bytes, range.begin + range.bytes);
    known.begin = std::min(known.begin, range.begin);
    known.bytes = last - known.begin;
    first = std::min(first, reach.first);
    end = std::max(end, reach.end);
    return;
  }
  all.push_back(reach);
}

template <class T> std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// floor(a / b), for b > 0, and what is left.
std::int64_t quotient(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
std::int64_t remainder(std::int64_t a, std::int64_t b) { return a - quotient(a, b) * b; }

}  // namespace

std::uint64_t PartReach::bytes() const {
  return row == 0 ? range.bytes
                  : range.bytes * static_cast<std::uint64_t>(end - first) / static_cast<std::uint64_t>(row);
}

std::vector<DeviceOrder::Range> GridPart::ranges() const {
  std::vector<DeviceOrder::Range> ranges;
  for (const auto& one : reach) ranges.push_back(one.range);
  return ranges;
}

GridSplit* GridSplits::of(const CheckedLaunch& launch) {
  using Split = LaunchOptions::Split;
  const auto& options = frame_.options;
  auto& order = session_.chosen().order();
  const bool asked = options.split != Split::automatic && options.split != Split::none;
  if (!order.several() || options.split == Split::none || (!asked && !session_.settings().split)) return nullptr;
  if (order.is_chosen() || session_.submission().capture() != nullptr) return nullptr;
  // Where a device reaches its own part alone, the programmer says what each does: local(x).
  if (!asked && !session_.device().shares_memory()) return nullptr;
  if (!asked && std::none_of(launch.uses.begin(), launch.uses.end(),
                             [&](const ArrayUse& use) { return is_sharded(session_.arrays().at(use.address)); }))
    return nullptr;
  if (!session_.device().shares_memory()) {
    if (!asked) return nullptr;  // the launch says what it does not reach
    throw error(ErrorKind::unsupported,
                fmt::format("cannot split the grid of {}: the devices share no memory", launch.name), launch.span)
        .advise("%%launch --devices all runs it on each device: give it local(x).");
  }
  const auto& request = launch.request;
  std::string key = bytes_of(reinterpret_cast<std::uintptr_t>(&launch.statement)) + bytes_of(request.module) +
                    bytes_of(request.grid) + bytes_of(request.block) + bytes_of(request.stream) +
                    bytes_of(request.dynamic_shared) + request.entry + '\n';
  for (const auto byte : request.arguments) key.push_back(static_cast<char>(byte));
  const auto targets = targets_of(launch);
  for (const auto& target : targets)
    key += bytes_of(target.memory.begin) + bytes_of(target.memory.bytes) + (target.replicated ? 'r' : ' ');
  if (const auto known = plans_.find(key); known != plans_.end()) return &known->second;
  if (plans_.size() >= kMostPlans) plans_.clear();
  auto split = plan(launch, targets);
  if (asked && !split.why_not.empty())
    throw error(ErrorKind::unsupported,
                fmt::format("cannot split the grid of {} along {}: {}", launch.name, "xyz"[split.axis], split.why_not),
                launch.span)
        .advise("%%launch --devices all runs it on each device; device() and local(x) say what each of them does.");
  return &plans_.emplace(std::move(key), std::move(split)).first->second;
}

const GridSplits::Code* GridSplits::code_of(const Kernel& kernel) {
  const auto [found, added] = codes_.try_emplace({kernel.module->id, kernel.signature->entry});
  auto& code = found->second;
  if (added && kernel.module->output.ptx.find(".version") != std::string::npos) {
    code.module = ptx::parse_entry(kernel.module->output.ptx, kernel.module->source, kernel.signature->entry);
    code.entry = code.module.find_function(kernel.signature->entry);
    if (code.entry != nullptr && !code.entry->defined) code.entry = nullptr;
  }
  return code.entry == nullptr ? nullptr : &code;
}

GridSplit GridSplits::plan(const CheckedLaunch& launch, const std::vector<Target>& targets) {
  const auto& request = launch.request;
  const auto& options = frame_.options;
  const bool asked = options.split != LaunchOptions::Split::automatic;
  const auto wanted = static_cast<std::size_t>(options.split) - static_cast<std::size_t>(LaunchOptions::Split::x);
  GridSplit refused;
  if (asked) refused.axis = wanted;
  const auto refuse = [&](std::string why) {
    refused.why_not = std::move(why);
    return refused;
  };
  if (!session_.device().shares_memory()) return refuse("its devices share no memory");
  if (request.mode != device::LaunchMode::normal) return refuse("its blocks wait for each other");
  if (request.cluster) return refuse("it has clusters");
  if (request.stream != session_.submission().default_stream()) return refuse("it is in a stream of one device");
  if (!request.textures.empty()) return refuse("it uses textures");
  if (request.checks.races || request.checks.uninitialised || options.compare != LaunchOptions::Compare::no)
    return refuse("its accesses are checked");
  const auto* code = code_of(launch.kernel);
  if (code == nullptr) return refuse("its PTX is not known");
  const auto found =
      ptx::grid_accesses(code->module, *code->entry, request.arguments, extents(request.grid), extents(request.block));
  if (!found.obstacle.empty()) return refuse(found.obstacle);

  std::string why = "the index of no split array covers an axis of the grid";
  for (const bool writes : {true, false}) {
    for (const auto& access : found.accesses) {
      const auto* array = access.writes == writes ? split_array(access, targets) : nullptr;
      if (array == nullptr) continue;
      auto split = along_array(launch, access, *array);
      if (!split) continue;
      if (split->parts.size() < 2) {
        why = fmt::format("all of its blocks are for what one device has of {}", array->name);
        continue;
      }
      if (auto wrong = settle(launch, found.accesses, targets, *split); !wrong.empty())
        why = std::move(wrong);
      else
        return *split;
    }
  }
  if (!asked) return refuse(std::move(why));
  auto split = in_equal_shares(launch);
  if (split.parts.size() < 2) return refuse(fmt::format("it has one block along {}", "xyz"[wanted]));
  if (auto wrong = settle(launch, found.accesses, targets, split); !wrong.empty()) return refuse(std::move(wrong));
  return split;
}

// A pointer inside a struct counts like one that is a parameter.
std::vector<GridSplits::Target> GridSplits::targets_of(const CheckedLaunch& launch) const {
  const auto& memory = session_.chosen().memory();
  const auto& arguments = launch.request.arguments;
  const auto& parameters = launch.kernel.function->parameters;
  std::vector<Target> targets;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto end = std::min<std::size_t>(parameters[i].offset + parameters[i].size, arguments.size());
    for (std::size_t at = parameters[i].offset; at + sizeof(device::Address) <= end; at += sizeof(device::Address)) {
      device::Address address = 0;
      std::memcpy(&address, arguments.data() + at, sizeof address);
      const auto extent = memory.allocation_of(address);
      if (extent.bytes == 0) continue;
      targets.push_back({std::uint64_t{1} << std::min<std::size_t>(i, ptx::GridAccess::kMostParameters), extent,
                         !memory.copies_of(address).empty(), memory.is_borrowed(extent.begin),
                         parameters[i].size != sizeof(device::Address)});
    }
  }
  return targets;
}

const Array* GridSplits::split_array(const ptx::GridAccess& access, const std::vector<Target>& targets) const {
  if (access.known == Known::nothing) return nullptr;
  for (const auto& target : targets)
    if ((access.parameters & target.parameter) != 0)
      if (const auto* array = session_.arrays().at(target.memory.begin); is_sharded(array)) return array;
  return nullptr;
}

namespace {

// The axis along which a block is the farthest from its neighbour in memory.
std::optional<std::size_t> axis_of(const ptx::GridAccess& access, std::optional<std::size_t> wanted) {
  std::optional<std::size_t> best;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (wanted && axis != *wanted) continue;
    if (access.at.block[axis] != 0 && (!best || std::abs(access.at.block[axis]) > std::abs(access.at.block[*best])))
      best = axis;
  }
  // A loop with longer steps, such as one over the grid's size, leads out of the block's elements.
  const auto step = access.low == access.high ? access.step : access.grain;
  if (best && step > std::abs(access.at.block[*best])) best.reset();
  return best;
}

}  // namespace

std::optional<GridSplit> GridSplits::along_array(const CheckedLaunch& launch, const ptx::GridAccess& access,
                                                 const Array& array) {
  const auto& options = frame_.options;
  std::optional<std::size_t> wanted;
  if (options.split >= LaunchOptions::Split::x)
    wanted = static_cast<std::size_t>(options.split) - static_cast<std::size_t>(LaunchOptions::Split::x);
  const auto array_axis = array.spread.axis;
  const auto row = row_of(array, array_axis);
  if (array_axis > 0 && (access.known != Known::exactly || row == 0)) return {};
  const auto moves = array_axis == 0 ? access : ptx::within_rows(access, row);
  const auto axis = axis_of(moves, wanted);
  if (!axis) return {};
  const auto block = extents(launch.request.block), grid = extents(launch.request.grid);
  const std::int64_t count = grid[*axis], step = moves.at.block[*axis];
  // Where the middle of a layer of blocks is, counted from the array's begin or that of a row.
  const auto middle = static_cast<std::uint32_t>(count / 2);
  ptx::BlockRange layer{{}, grid};
  layer.first[*axis] = middle;
  layer.end[*axis] = middle + 1;
  auto reach = ptx::reach_of(moves, layer, block);
  if (!reach) {
    auto anywhere = moves;
    anywhere.bounds.clear();
    reach = ptx::reach_of(anywhere, layer, block);
  }
  if (!reach) return {};
  const auto begin = static_cast<std::int64_t>(array.address);
  auto centre = reach->first + (reach->second - reach->first) / 2 - begin;
  if (array_axis > 0) centre = remainder(centre, row);
  const auto zero = centre - step * middle;

  GridSplit split{*axis, array.name, array_axis};
  const auto devices = session_.chosen().order().devices();
  const auto index = bytes_along(array, array_axis);
  for (std::uint32_t device = 0; device < devices; ++device) {
    const auto [from, to] = array.spread.part(device);
    const auto low = static_cast<std::int64_t>(from) * index, high = static_cast<std::int64_t>(to) * index;
    std::int64_t first = 0, end = count;
    if (step > 0) {  // the layers whose middle is in [low, high)
      if (device > 0) first = -quotient(-(low - zero), step);
      if (device + 1 < devices) end = -quotient(-(high - zero), step);
    } else {
      if (device + 1 < devices) first = quotient(zero - high, -step) + 1;
      if (device > 0) end = quotient(zero - low, -step) + 1;
    }
    first = std::clamp<std::int64_t>(first, 0, count);
    end = std::clamp<std::int64_t>(end, 0, count);
    if (first >= end) continue;
    GridPart part{device, {0, 0, 0}, launch.request.grid, {}};
    along(part.first, *axis) = static_cast<std::uint32_t>(first);
    along(part.grid, *axis) = static_cast<std::uint32_t>(end - first);
    split.parts.push_back(std::move(part));
  }
  return split;
}

GridSplit GridSplits::in_equal_shares(const CheckedLaunch& launch) const {
  const auto axis = static_cast<std::size_t>(frame_.options.split) - static_cast<std::size_t>(LaunchOptions::Split::x);
  GridSplit split{axis};
  const std::uint64_t devices = session_.chosen().order().devices(), count = extents(launch.request.grid)[axis];
  for (std::uint64_t device = 0; device < devices; ++device) {
    const auto first = count * device / devices, end = count * (device + 1) / devices;
    if (first == end) continue;
    GridPart part{static_cast<std::uint32_t>(device), {0, 0, 0}, launch.request.grid, {}};
    along(part.first, axis) = static_cast<std::uint32_t>(first);
    along(part.grid, axis) = static_cast<std::uint32_t>(end - first);
    split.parts.push_back(std::move(part));
  }
  return split;
}

namespace {

// Of an array whose rows along the axis the accesses do not leave.
void find_columns(PartReach& reach, const ptx::GridAccess& access, const ptx::BlockRange& blocks,
                  const ptx::Extents& block, const Array* array, std::size_t axis) {
  if (axis == 0 || array == nullptr || array->shape.size() <= axis) return;
  const ptx::Rows rows{static_cast<std::int64_t>(array->address), row_of(*array, axis)};
  const auto columns = rows.bytes == 0 ? std::nullopt : ptx::columns_of(access, blocks, block, rows);
  if (!columns) return;
  reach.row = rows.bytes;
  std::tie(reach.first, reach.end) = *columns;
}

}  // namespace

std::string GridSplits::settle(const CheckedLaunch& launch, const std::vector<ptx::GridAccess>& accesses,
                               const std::vector<Target>& targets, GridSplit& split) const {
  const auto& memory = session_.chosen().memory();
  const auto name_at = [&](device::Address address) {
    const auto* array = session_.arrays().at(address);
    return array == nullptr ? std::string("an array") : array->name;
  };
  const auto block = extents(launch.request.block);
  for (auto& part : split.parts) {
    const auto first = extents(part.first), count = extents(part.grid);
    ptx::BlockRange blocks{first, {}};
    for (std::size_t axis = 0; axis < 3; ++axis) blocks.end[axis] = first[axis] + count[axis];
    for (const auto& access : accesses) {
      const auto reach = ptx::reach_of(access, blocks, block);
      if (!reach) continue;
      std::vector<const Target*> reached;
      for (const auto& target : targets)
        if ((access.parameters & target.parameter) != 0) reached.push_back(&target);
      if (reached.empty() && access.of_variable && !access.writes) continue;
      if (reached.empty()) return "it reaches memory by pointers that it loads";
      for (const auto* target : reached) {
        const auto [begin, bytes] = target->memory;
        if (target->borrowed) return fmt::format("{} is memory of Python", name_at(begin));
        if (target->replicated && access.writes)
          return fmt::format("it writes to {}, which has a copy on each device", name_at(begin));
        if (target->replicated && target->in_struct)
          return fmt::format("{}, which has a copy on each device, is inside a struct", name_at(begin));
        PartReach one{{memory.copy_on(part.device, begin), bytes, Access::read}};
        if (access.known == Known::exactly && reached.size() == 1 && !target->replicated) {
          const auto low =
              std::clamp(reach->first, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(begin + bytes));
          const auto high =
              std::clamp(reach->second, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(begin + bytes));
          one.range.begin = static_cast<device::Address>(low);
          one.range.bytes = static_cast<std::uint64_t>(high - low);
          find_columns(one, access, blocks, block, session_.arrays().at(begin), split.array_axis);
        }
        if (access.reads) add(part.reach, one);
        one.range.access = Access::write;
        if (access.writes) add(part.reach, one);
      }
    }
  }
  // Whoever asks for it vouches for the blocks.
  if (frame_.options.split >= LaunchOptions::Split::x) return {};
  for (const auto& part : split.parts)
    for (const auto& other : split.parts)
      for (const auto& written : part.reach)
        for (const auto& used : other.reach)
          if (part.device != other.device && written.range.access == Access::write && meet(written, used))
            return fmt::format("its index does not show that devices use different elements of {}",
                               name_at(written.range.begin));
  return {};
}

namespace {

bool uses_variable(const ptx::Function& entry, const ptx::Module& module, std::string_view symbol) {
  return std::any_of(entry.operands.begin(), entry.operands.end(), [&](const ptx::Operand& operand) {
    return operand.symbol_kind == ptx::SymbolKind::variable && module.variables[operand.index].name == symbol;
  });
}

}  // namespace

void GridSplits::prepare(const CheckedLaunch& launch, const SharedSite& whole, GridSplit& split) {
  if (!split.requests.empty()) return;
  const auto& kernel = launch.kernel;
  const auto* code = code_of(kernel);
  const auto& output = kernel.module->output;
  const auto key = fmt::format("part of {} {}", static_cast<std::uint32_t>(kernel.module->id), kernel.signature->entry);
  const auto& operation = session_.operations().keep(key, [&] {
    compiler::CompileOutput made;
    made.ok = true;
    made.name = output.name;
    made.ptx = ptx::part_entry(output.ptx, code->module, *code->entry);
    made.architecture = output.architecture;
    made.kernels = {*kernel.signature};
    // A variable that it does not use would count as written.
    for (const auto& variable : output.variables)
      if (uses_variable(*code->entry, code->module, variable.symbol)) made.variables.push_back(variable);
    return made;
  });
  const auto last = operation.function.parameters.back().offset;
  for (const auto& part : split.parts) {
    auto request = launch.request;
    request.module = operation.module;
    request.entry = operation.function.entry;
    request.grid = part.grid;
    request.stream = device::on_device({}, part.device);
    for (const auto& parameter : kernel.function->parameters) {
      if (parameter.size != sizeof(device::Address)) continue;
      device::Address address = 0;
      std::memcpy(&address, request.arguments.data() + parameter.offset, sizeof address);
      address = session_.chosen().memory().copy_on(part.device, address);
      std::memcpy(request.arguments.data() + parameter.offset, &address, sizeof address);
    }
    const ptx::PartOfGrid place{extents(part.first), extents(launch.request.grid)};
    request.arguments.resize(last + sizeof place);
    std::memcpy(request.arguments.data() + last, &place, sizeof place);
    split.requests.push_back(std::move(request));
    auto site = *whole;
    site.first_block = part.first;
    site.reach = part.ranges();
    split.work.push_back({part.device, site.reach});
    split.sites.push_back(std::make_shared<const LaunchSite>(std::move(site)));
  }
}

CheckedLaunch GridSplits::part(const CheckedLaunch& launch, const GridSplit& split, std::size_t number) const {
  const auto& part = split.parts[number];
  auto result = launch;
  result.request = split.requests[number];
  for (auto& use : result.uses) {  // what the report counts
    std::uint64_t reads = 0, writes = 0;
    for (const auto& reach : part.reach)
      if (meet(reach.range, {use.address, use.bytes}))
        (reach.range.access == Access::write ? writes : reads) += reach.bytes();
    use.bytes = std::min(use.bytes, std::max(reads, writes));
  }
  return result;
}

}  // namespace xcuda::interpreter
