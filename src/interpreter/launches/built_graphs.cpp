// Graphs that programs put together from nodes. A graph that can be launched is made as one that is captured: the nodes
// post what they do, one after the other, each after those that it depends on.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "interpreter/host/box_calls.hpp"
#include "interpreter/host/cuda_struct.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/runtime_calls.hpp"
#include "interpreter/launches/launch_graphs.hpp"
#include "interpreter/launches/launched_calls.hpp"
#include "interpreter/launches/launches.hpp"
#include "interpreter/launches/streams.hpp"
#include "interpreter/targets.hpp"

namespace xcuda::interpreter {
namespace {

using Kind = GraphTable::Graph::Kind;

// What the calls name each kind of node, and what such a node does.
struct NodeKind {
  GraphTable::Node::Kind kind;
  std::string_view named, does;
};
constexpr NodeKind kNodeKinds[] = {{GraphTable::Node::Kind::empty, "EmptyNode", "does nothing"},
                                   {GraphTable::Node::Kind::kernel, "KernelNode", "launches a kernel"},
                                   {GraphTable::Node::Kind::fill, "MemsetNode", "fills memory"},
                                   {GraphTable::Node::Kind::copy, "MemcpyNode", "copies memory"},
                                   {GraphTable::Node::Kind::graph, "ChildGraphNode", "runs another graph"},
                                   {GraphTable::Node::Kind::host, "HostNode", "calls a function of the host"},
                                   {GraphTable::Node::Kind::record, "EventRecordNode", "records an event"},
                                   {GraphTable::Node::Kind::wait, "EventWaitNode", "waits for an event"}};

const NodeKind& kind_of_call(std::string_view name) {
  return *std::find_if(std::begin(kNodeKinds), std::end(kNodeKinds),
                       [&](const NodeKind& one) { return name.find(one.named) != std::string_view::npos; });
}

const NodeKind& kind_of_node(GraphTable::Node::Kind kind) {
  return *std::find_if(std::begin(kNodeKinds), std::end(kNodeKinds),
                       [&](const NodeKind& one) { return one.kind == kind; });
}

}  // namespace

bool Graphs::build(std::string_view name, const language::Bound& given, cell::Span span) {
  if (name == "cudaGraphCreate") {
    if (frame_.runtime_calls.size(*given[1], "flags") != 0)
      throw error(ErrorKind::value, "the flags of a graph are 0", given[1]->span);
    store(*given[0], session_.streams().graphs().add({}), span);
  } else if (name.starts_with("cudaGraphAdd") && name != "cudaGraphAddDependencies") {
    add_node(name, given, span);
  } else if (name == "cudaGraphAddDependencies") {
    add_dependencies(given, span);
  } else if (name.find("NodeSetParams") != std::string_view::npos) {
    change_node(name, given, span);
  } else {
    return false;
  }
  return true;
}

// cudaGraphAdd...Node(&node, graph, dependencies, count, ...)
void Graphs::add_node(std::string_view name, const language::Bound& given, cell::Span span) {
  const auto to = handle(*given[1], "a graph");
  if (graph(to, Kind::graph).work != nullptr)
    throw error(ErrorKind::unsupported,
                fmt::format("{} was captured: no node can be added to it", snippet(run_.source, given[1]->span)),
                given[1]->span)
        .advise("Start with cudaGraphCreate(&graph, 0), or capture all of it.");
  auto node = node_of(name, given, 4, span);
  const auto count = frame_.runtime_calls.size(*given[3], "the number of dependencies");
  node.after = nodes_at(*given[2], count);
  node.number = session_.streams().graphs().next();
  auto& changed = graph(to, Kind::graph);
  for (const auto earlier : node.after)
    if (std::none_of(changed.built.begin(), changed.built.end(),
                     [&](const Node& one) { return one.number == earlier; }))
      throw error(ErrorKind::value,
                  fmt::format("{} has a node that is not in {}", snippet(run_.source, given[2]->span),
                              snippet(run_.source, given[1]->span)),
                  given[2]->span);
  const auto made = node.number;
  changed.built.push_back(std::move(node));
  ++changed.nodes;
  store(*given[0], made, span);
}

Graphs::Node Graphs::node_of(std::string_view name, const language::Bound& given, std::size_t first, cell::Span span) {
  switch (kind_of_call(name).kind) {
    case Node::Kind::kernel: return kernel_node(*given[first], span);
    case Node::Kind::fill: return fill_node(*given[first]);
    case Node::Kind::copy: return given.size() > first + 1 ? copy_node(given, first, span) : box_node(*given[first]);
    case Node::Kind::host: return host_node(*given[first]);
    case Node::Kind::record:
    case Node::Kind::wait: {
      Node node{.kind = kind_of_call(name).kind};
      auto& event = node.kind == Node::Kind::record ? node.step.recorded : node.step.awaited;
      event = frame_.streams.event(*given[first]);
      return node;
    }
    case Node::Kind::empty: return {};
    case Node::Kind::graph: break;
  }
  const auto& child = graph(*given[first], Kind::graph);
  Node node{.kind = Node::Kind::graph, .inside = child.built, .work = child.work};
  for (const auto& one : child.built) node.uses.insert(node.uses.end(), one.uses.begin(), one.uses.end());
  return node;
}

// cudaGraphAddMemcpyNode(&node, graph, dependencies, count, &parameters)
Graphs::Node Graphs::box_node(const cell::Expression& parameters) {
  auto copy = BoxCalls(frame_).copy(parameters);
  return {.kind = Node::Kind::copy, .post = std::move(copy.post), .uses = uses_of(copy.places)};
}

Graphs::Node Graphs::host_node(const cell::Expression& parameters) {
  const CudaStruct members(session_.code(), frame_.runtime_calls.struct_at(parameters, "cudaHostNodeParams"));
  auto function = session_.code().functions().function_at(members.at<std::uint64_t>("fn"));
  if (function.empty())
    throw error(ErrorKind::value, "fn is not a function", parameters.span).advise("p.fn = f; of void f(void* data)");
  std::vector<std::byte> bytes(sizeof(device::Address));
  const auto address = members.at<std::uint64_t>("userData");
  std::memcpy(bytes.data(), &address, bytes.size());
  auto data = frame_.addresses.in_memory({"void*", sizeof(void*), alignof(void*)}, bytes);
  if (!data)
    throw error(ErrorKind::value, "userData does not lead to memory of the session", parameters.span)
        .advise("p.userData = &variable; or a pointer that malloc gave");
  Node node{.kind = Node::Kind::host};
  node.step.called =
      std::make_shared<const GraphTable::HostCall>(GraphTable::HostCall{std::move(function), std::move(*data)});
  return node;
}

// cudaGraphAddDependencies(graph, from, to, count), or with an array of edges' data before the count, which is null
void Graphs::add_dependencies(const language::Bound& given, cell::Span span) {
  const bool edges = given.size() > 4 && given[4] != nullptr;
  if (edges && !std::holds_alternative<NullPointer>(evaluate(*given[3])))
    throw error(ErrorKind::unsupported, "the edges of a graph have no data in a cell", given[3]->span)
        .advise("Give nullptr.");
  auto& changed = graph(*given[0], Kind::graph);
  const auto count = frame_.runtime_calls.size(*given[edges ? 4 : 3], "the number of dependencies");
  const auto from = nodes_at(*given[1], count), to = nodes_at(*given[2], count);
  auto built = changed.built;
  for (std::size_t i = 0; i < count; ++i) {
    const auto is = [&](std::uint64_t wanted) { return [wanted](const Node& one) { return one.number == wanted; }; };
    const auto later = std::find_if(built.begin(), built.end(), is(to[i]));
    if (later == built.end() || std::none_of(built.begin(), built.end(), is(from[i])))
      throw error(ErrorKind::value, fmt::format("{} does not have both nodes", snippet(run_.source, given[0]->span)),
                  span);
    later->after.push_back(from[i]);
  }
  if (GraphTable::in_order(built).size() < built.size())
    throw error(ErrorKind::value,
                fmt::format("nodes of {} would wait for one another", snippet(run_.source, given[0]->span)), span);
  changed.built = std::move(built);
}

// cudaGraphKernelNodeSetParams(node, &parameters), cudaGraphExecKernelNodeSetParams(exec, node, &parameters) and theirs
void Graphs::change_node(std::string_view name, const language::Bound& given, cell::Span span) {
  const bool executable = name.starts_with("cudaGraphExec");
  if (executable) session_.submission().forbid_in_capture("an executable graph cannot be changed");
  const std::size_t first = executable ? 1 : 0;
  const auto whole = executable ? handle(*given[0], "an executable graph") : Handle{};
  const auto one = handle(*given[first], "a node");
  const auto changed = [&]() -> GraphTable::Graph& {
    if (executable) return graph(whole, Kind::executable);
    if (auto* const found = session_.streams().graphs().of_node(one.number)) return *found;
    throw error(ErrorKind::value, fmt::format("{} is not a node of a graph", snippet(run_.source, one.span)), one.span);
  };
  const auto &is = kind_of_node(find_node(changed().built, one).kind), &wanted = kind_of_call(name);
  if (is.kind != wanted.kind)
    throw error(
        ErrorKind::value,
        fmt::format("{} is a node that {}, not one that {}", snippet(run_.source, one.span), is.does, wanted.does),
        one.span)
        .advise("A node stays what it is: add another one to the graph.");
  auto node = node_of(name, given, first + 1, span);
  auto& changing = changed();
  auto& replaced = find_node(changing.built, one);
  node.number = replaced.number;
  node.after = std::move(replaced.after);
  replaced = std::move(node);
  changing.work = nullptr;  // the next launch makes it: a program may change several nodes one after the other
}

Graphs::Node& Graphs::find_node(std::vector<Node>& nodes, const Handle& handle) {
  const auto found =
      std::find_if(nodes.begin(), nodes.end(), [&](const Node& one) { return one.number == handle.number; });
  if (found != nodes.end()) return *found;
  throw error(ErrorKind::value, fmt::format("{} is not a node of the graph", snippet(run_.source, handle.span)),
              handle.span);
}

std::vector<ArrayUse> Graphs::uses_of(const std::vector<device::Address>& places) {
  std::vector<ArrayUse> uses;
  for (const auto address : places)
    if (const auto* array = session_.arrays().at(address)) uses.push_back(use_of(*array));
  return uses;
}

// Handles in an array, a vector or a variable; none where the list is null.
std::vector<std::uint64_t> Graphs::nodes_at(const cell::Expression& list, std::uint64_t count) {
  std::vector<std::uint64_t> nodes(count);
  if (count == 0) return nodes;
  const auto bytes = frame_.runtime_calls.read(list, count * sizeof(std::uint64_t));
  std::memcpy(nodes.data(), bytes.data(), bytes.size());
  return nodes;
}

// The arguments are those that the addresses have now.
Graphs::Node Graphs::kernel_node(const cell::Expression& parameters, cell::Span span) {
  session_.submission().forbid_in_capture("a node that launches a kernel cannot be made");
  const CudaStruct members(session_.code(), frame_.runtime_calls.struct_at(parameters, "cudaKernelNodeParams"));
  const auto kernel = session_.code().functions().function_at(members.at<std::uint64_t>("func"));
  if (kernel.empty())
    throw error(ErrorKind::value, "func is not a kernel", parameters.span).advise("p.func = (void*)kernel;");
  if (session_.chosen().order().several() || !frame_.options.devices.empty())
    throw error(ErrorKind::unsupported, "a graph of nodes is for one device", span);
  if (members.at<std::uint64_t>("extra") != 0)
    throw error(ErrorKind::unsupported, "extra has no meaning here", parameters.span)
        .advise("void* args[] = {&x, &n}; p.kernelParams = args;");
  const auto* launch = frame_.launched_calls.launch(
      LaunchedCalls::Node{kernel, members.extents("gridDim"), members.extents("blockDim"),
                          members.at<std::uint32_t>("sharedMemBytes"), members.at<std::uint64_t>("kernelParams")},
      parameters.span);
  const session::KeptLaunch keeping(session_.submission());
  const auto report = std::exchange(frame_.options.report, LaunchOptions::Report::none);
  const auto compare = std::exchange(frame_.options.compare, LaunchOptions::Compare::no);
  frame_.launches.run(*launch, span);
  frame_.options.report = report;
  frame_.options.compare = compare;
  std::vector<device::Address> places;
  for (const auto& use : keeping.kept().site->uses) places.push_back(use.address);
  return {.kind = Node::Kind::kernel,
          .post =
              [kept = keeping.kept()](Submission& submission) {
                auto request = kept.request;
                request.stream = submission.default_stream();
                submission.launch(std::move(request), kept.site);
              },
          .uses = uses_of(places)};
}

Graphs::Node Graphs::fill_node(const cell::Expression& parameters) {
  const CudaStruct members(session_.code(), frame_.runtime_calls.struct_at(parameters, "cudaMemsetParams"));
  const auto address = members.at<std::uint64_t>("dst"), pitch = members.at<std::uint64_t>("pitch"),
             width = members.at<std::uint64_t>("width"), height = members.at<std::uint64_t>("height");
  const auto element = members.at<std::uint32_t>("elementSize"), value = members.at<std::uint32_t>("value");
  if (element != 1 && element != 2 && element != 4)
    throw error(ErrorKind::value, fmt::format("elementSize is {}; it can be 1, 2 or 4", element), parameters.span);
  const auto* array = session_.arrays().at(address);
  std::uint64_t row = 0, last = 0, end = 0;
  if (height > 1 && (pitch < width * element || pitch % element != 0))
    throw error(ErrorKind::value,
                fmt::format("a pitch of {} bytes is too small for rows of {}", pitch, width * element),
                parameters.span);
  if (array == nullptr || __builtin_mul_overflow(width, element, &row) ||
      __builtin_mul_overflow(pitch, height > 1 ? height - 1 : 0, &last) || __builtin_add_overflow(row, last, &end) ||
      end > array->bytes() - (address - array->address))
    throw error(ErrorKind::value, "dst does not have so many bytes", parameters.span)
        .advise("width counts elements of elementSize bytes, height rows that are pitch bytes apart.");
  std::vector<std::byte> pattern(element);
  std::memcpy(pattern.data(), &value, element);
  return {.kind = Node::Kind::fill,
          .post =
              [=](Submission& submission) {
                for (std::uint64_t y = 0; y < height && width > 0; ++y)
                  submission.fill({address + y * pitch, width, pattern});
              },
          .uses = uses_of({address})};
}

// (to, from, bytes, kind)
Graphs::Node Graphs::copy_node(const language::Bound& given, std::size_t first, cell::Span span) {
  const auto bytes = frame_.runtime_calls.size(*given[first + 2], "the number of bytes");
  frame_.runtime_calls.require_kind(*given[first + 3]);
  const auto side = [&](const cell::Expression& one) {
    auto memory = frame_.addresses.of(one);
    if (memory.bytes < bytes)
      throw error(ErrorKind::value,
                  fmt::format("{} has {} bytes there, not {}", snippet(run_.source, one.span), memory.bytes, bytes),
                  one.span);
    return memory;
  };
  const auto to = side(*given[first]), from = side(*given[first + 1]);
  if (to.read_only && !to.variable)
    throw error(ErrorKind::value, fmt::format("{} is const", snippet(run_.source, given[first]->span)), span);
  return {.kind = Node::Kind::copy,
          .post =
              [to = to.address, from = from.address, bytes](Submission& submission) {
                if (bytes > 0) submission.copy(to, from, bytes);
              },
          .uses = uses_of({to.address, from.address})};
}

// Collects the parts of a graph: what nodes post one after the other is captured as one.
class Graphs::Steps {
 public:
  explicit Steps(Session& session) : session_(session) {}

  void add(const std::vector<Node>& nodes) {
    for (const auto* node : GraphTable::in_order(nodes)) {
      for (const auto& use : node->uses) uses_.push_back(use);
      if (node->post) {
        if (open_ == nullptr) open_ = std::make_shared<Capture>(session_);
        node->post(session_.submission());
      } else if (node->kind == Node::Kind::graph) {
        add(node->inside);
        if (node->work != nullptr) add(*node->work);
      } else if (node->step.called != nullptr || node->step.recorded || node->step.awaited) {
        add(Work{node->step});
      }
    }
  }
  Work end() {
    if (open_ != nullptr) {
      open_->end();
      open_->note_given(uses_);
      open_->keep_bindings();
      work_.push_back({std::move(open_), nullptr, {}, {}});
    }
    uses_.clear();
    return std::move(work_);
  }

 private:
  void add(const Work& steps) {
    work_ = end();
    work_.insert(work_.end(), steps.begin(), steps.end());
  }

  Session& session_;
  Work work_;
  std::shared_ptr<Capture> open_;
  std::vector<ArrayUse> uses_;
};

std::shared_ptr<const Graphs::Work> Graphs::work_of(const std::vector<Node>& nodes, cell::Span span) {
  session_.device();
  session_.submission().synchronize();  // so that what went wrong before is not told as the graph's
  std::vector<ArrayUse> uses;
  for (const auto& node : nodes) uses.insert(uses.end(), node.uses.begin(), node.uses.end());
  const auto require = [&](const std::string& missing) {
    if (!missing.empty())
      throw error(ErrorKind::value, fmt::format("{} cannot be instantiated: {}", snippet(run_.source, span), missing),
                  span)
          .advise("Put it together again.");
  };
  require(missing_of(session_, uses));
  run_.current = span;
  Steps steps(session_);
  steps.add(nodes);
  auto work = std::make_shared<const Work>(steps.end());
  require(missing_of_work(*work));
  return work;
}

// The nodes of the copy are its own.
GraphTable::Graph Graphs::clone_of(GraphTable::Graph graph) {
  auto before = graph.built;
  for (auto& node : graph.built) node.number = session_.streams().graphs().next();
  for (auto& node : graph.built)
    for (auto& earlier : node.after)
      for (std::size_t i = 0; i < before.size(); ++i)
        if (before[i].number == earlier) {
          earlier = graph.built[i].number;
          break;
        }
  return graph;
}

}  // namespace xcuda::interpreter
