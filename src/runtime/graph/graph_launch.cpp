#include "runtime/graph/graph_launch.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "runtime/api_calls.hpp"
#include "runtime/copies.hpp"
#include "runtime/graph/graph_memory.hpp"

namespace xcuda::runtime {
namespace {

using Clock = std::chrono::steady_clock;
using Bodies = std::vector<std::vector<Item>>;

struct Records {
  std::vector<std::pair<Event*, std::size_t>> of;  // events, and the items that record them
};

std::size_t body_of(cudaGraphConditionalNodeType type, unsigned value) {
  if (type == cudaGraphCondTypeSwitch) return value;
  return value != 0 ? 0 : 1;
}

Item conditional_item(const ConditionalWork& work, const std::shared_ptr<const Bodies>& bodies, int count) {
  return {.more =
              [handle = work.handle, type = work.type, bodies] {
                const unsigned value = *reinterpret_cast<const volatile unsigned*>(handle);
                const auto which = body_of(type, value);
                if (which >= bodies->size()) return std::vector<Item>{};
                auto items = (*bodies)[which];
                ConditionalWork again;
                again.handle = handle;
                again.type = type;
                if (type == cudaGraphCondTypeWhile) items.push_back(conditional_item(again, bodies, 0));
                return items;
              },
          .count = count};
}

Item default_of(const Condition& condition) {
  return {.work = [word = condition.word->address, value = condition.value] { *static_cast<unsigned*>(word) = value; }};
}

class Launching {
 public:
  Launching(State& state, std::vector<Item>& items, Records& records)
      : state_(state), items_(items), records_(records) {}

  void append_conditions(const Graph& graph) {
    for (const auto& condition : graph.conditions)
      if (condition.assigned) push(default_of(condition));
    for (const auto& node : graph.nodes) {
      if (const auto* child = std::get_if<ChildWork>(&node->work)) append_conditions(*child->graph);
      if (const auto* conditional = std::get_if<ConditionalWork>(&node->work))
        for (const auto& body : conditional->bodies) append_conditions(*body);
    }
  }

  // After `ends_`, the items that come before all of the graph; then these are its last ones.
  void append(const Graph& graph) {
    const auto before = ends_;
    std::map<const Node*, Places> ends;
    std::set<const Node*> last;
    const auto ends_of = [&](const auto& nodes) {  // each place once, however many ways lead to it
      Places all;
      for (const Node* node : nodes) all.insert(all.end(), ends[node].begin(), ends[node].end());
      std::sort(all.begin(), all.end());
      all.erase(std::unique(all.begin(), all.end()), all.end());
      return all;
    };
    for (const auto& node : graph.nodes) {
      ends_ = node->after.empty() ? before : ends_of(node->after);
      for (const Node* other : node->after) last.erase(other);
      if (node->enabled) std::visit(*this, node->work);
      ends[node.get()] = ends_;
      last.insert(node.get());
    }
    ends_ = last.empty() ? before : ends_of(last);
  }

  // What comes next in the stream has to wait for one item only.
  void join() {
    const bool joined = std::all_of(ends_.begin(), ends_.end(), [&](auto place) { return place + 1 == items_.size(); });
    if (!joined) push({.needs = Item::Needs::host});
  }

  void operator()(const KernelWork& work) { push(item_of(work)); }
  void operator()(const CopyWork& work) { push(item_of(work)); }
  void operator()(const Fill& work) { push(item_of(work)); }
  void operator()(const HostWork& work) { push(item_of(work)); }
  void operator()(const LibraryWork& work) { push(item_of(work)); }
  void operator()(const WordsWork& work) {
    for (const auto& step : work.steps) push(item_of(step));
  }
  void operator()(const ChildWork& work) { append(*work.graph); }
  void operator()(const EmptyWork&) {}
  void operator()(const WaitWork&) {}  // what was recorded before has been posted before
  void operator()(const RecordWork& work) {
    Event* event = state_.find_event(work.event);
    if (event == nullptr) return;
    const auto time = std::make_shared<Clock::time_point>();
    event->capture.reset();
    event->time = time;
    event->recorded = true;
    records_.of.emplace_back(event, items_.size());
    push({.work = [time] { *time = Clock::now(); }, .needs = Item::Needs::host});
  }
  void operator()(const AllocateWork& work) { allocate_graph_memory(state_, *work.memory); }
  void operator()(const FreeWork& work) {
    const auto found = state_.graph_memory.all.find(work.address);
    if (found != state_.graph_memory.all.end()) found->second->live = false;
  }
  void operator()(const ConditionalWork& work) {
    auto bodies = std::make_shared<Bodies>();
    for (const auto& body : work.bodies) {
      Records none;
      Launching({state_, bodies->emplace_back(), none}).append(*body);
      for (Item& item : bodies->back()) item.count = 0;
    }
    push(conditional_item(work, bodies, 1));
  }

 private:
  using Places = std::vector<std::size_t>;

  void push(Item item) {
    item.follows = std::exchange(ends_, {items_.size()});
    items_.push_back(std::move(item));
  }

  State& state_;
  std::vector<Item>& items_;
  Records& records_;
  Places ends_;  // of what was appended last
};

bool holds_live_memory(const Graph& graph) {
  for (const auto& node : graph.nodes) {
    if (const auto* child = std::get_if<ChildWork>(&node->work); child && holds_live_memory(*child->graph)) return true;
    if (const auto* one = std::get_if<AllocateWork>(&node->work); one && one->memory->live) return true;
  }
  return false;
}

}  // namespace

Item item_of(Work work) {
  if (auto* kernel = std::get_if<KernelWork>(&work)) return {.launch = std::move(kernel->request)};
  constexpr auto kHost = Item::Needs::host;
  if (auto* one = std::get_if<CopyWork>(&work)) return {.work = [copy = one->copy] { perform(copy); }, .needs = kHost};
  if (auto* one = std::get_if<Fill>(&work)) return {.work = [fill = *one] { perform(fill); }, .needs = kHost};
  if (auto* one = std::get_if<HostWork>(&work))
    return {.work = [host = *one] { host.function(host.data); }, .needs = kHost};
  if (auto* one = std::get_if<LibraryWork>(&work)) return {.work = [run = one->run] { (*run)(); }, .needs = kHost};
  return {};
}

void capture(Stream& stream, Work work) {
  if (!stream.capture->takes(work)) {
    stream.capture->invalid = true;
    return;
  }
  std::vector<Node*> after;
  for (Node* node : stream.tail)
    if (stream.capture->has(node)) after.push_back(node);
  stream.tail = {&stream.capture->add(std::move(work), after)};
}

cudaError_t launch(State& state, Executable& executable, Stream& on) {
  if (const auto error = check_use(state, on); error != cudaSuccess) return error;
  if (on.capture) {
    capture(on, ChildWork{copy_of(*executable.graph)});
    return cudaSuccess;
  }
  if (!(executable.flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) && holds_live_memory(*executable.graph))
    return cudaErrorInvalidValue;
  std::vector<Item> items;
  Records records;
  Launching launching(state, items, records);
  launching.append_conditions(*executable.graph);
  launching.append(*executable.graph);
  launching.join();
  if (items.empty()) return cudaSuccess;
  const auto count = items.size();
  const std::lock_guard lock(state.mutex);
  post(state, on, std::move(items));
  for (const auto& [event, at] : records.of) event->number = on.last - (count - 1 - at);
  return cudaSuccess;
}

}  // namespace xcuda::runtime
