// Graphs as programs capture and launch them with the CUDA Runtime.
#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "cell/expression_root.hpp"
#include "interpreter/host/runtime_calls.hpp"
#include "interpreter/launches/launch_graphs.hpp"
#include "interpreter/launches/streams.hpp"
#include "interpreter/lent_name.hpp"
#include "interpreter/targets.hpp"

namespace xcuda::interpreter {
namespace {

using Kind = GraphTable::Graph::Kind;

}  // namespace

Value Graphs::call(std::string_view name, const language::Bound& given, cell::Span span) {
  if (name == "cudaStreamBeginCapture") {
    begin(*given[0], span);
  } else if (name == "cudaStreamEndCapture") {
    end(given, span);
  } else if (name == "cudaGraphInstantiate" || name == "cudaGraphInstantiateWithFlags") {
    instantiate(given, span);
  } else if (name == "cudaGraphClone") {
    store(*given[0], session_.streams().graphs().add(clone_of(graph(*given[1], Kind::graph))), span);
  } else if (name == "cudaGraphGetNodes") {
    count_nodes(given, span);
  } else if (name == "cudaGraphLaunch") {
    launch_executable(given, span);
  } else if (name == "cudaGraphUpload") {
    graph(*given[0], Kind::executable);
    frame_.streams.of(*given[1], "the second argument of cudaGraphUpload");
  } else if (name == "cudaStreamGetCaptureInfo") {
    describe_capture(given, span);
  } else if (name == "cudaGraphExecUpdate") {
    update(given, span);
  } else if (build(name, given, span)) {
    return kSuccess;
  } else {  // cudaGraphDestroy, cudaGraphExecDestroy: an executable keeps the work that it has
    const auto ended = handle(*given[0], "a graph");
    graph(ended, name == "cudaGraphDestroy" ? Kind::graph : Kind::executable);
    session_.streams().graphs().remove(ended.number);
  }
  return kSuccess;
}

void Graphs::store(const cell::Expression& output, std::uint64_t number, cell::Span span) {
  frame_.targets.store(frame_.targets.of(frame_.runtime_calls.output(output)), language::ScalarValue::of(number), span);
}

Graphs::Handle Graphs::handle(const cell::Expression& expression, std::string_view what) {
  return {number(expression, what).as_unsigned(), expression.span};
}

GraphTable::Graph& Graphs::graph(const cell::Expression& expression, Kind kind) {
  return graph(handle(expression, kind == Kind::executable ? "an executable graph" : "a graph"), kind);
}

GraphTable::Graph& Graphs::graph(const Handle& handle, Kind kind) {
  const bool executable = kind == Kind::executable;
  auto* found = session_.streams().graphs().find(handle.number);
  if (found != nullptr && found->kind == kind) return *found;
  throw error(
      ErrorKind::value,
      fmt::format("{} is not {}", snippet(run_.source, handle.span), executable ? "an executable graph" : "a graph"),
      handle.span)
      .advise(executable ? "cudaGraphInstantiate(&exec, graph, 0) makes one."
                         : "cudaStreamEndCapture(s, &graph) makes one of what was captured, cudaGraphCreate(&graph, 0) "
                           "an empty one.");
}

void Graphs::begin(const cell::Expression& stream, cell::Span span) {
  if (session_.submission().capture() != nullptr) throw error(ErrorKind::value, "a graph is captured already", span);
  session_.device();
  const auto captured = frame_.streams.of(stream, "the first argument of cudaStreamBeginCapture");
  if (captured == session_.submission().default_stream())
    throw error(ErrorKind::value, "the default stream cannot be captured", stream.span)
        .advise("Create a stream: cudaStream_t s; cudaStreamCreate(&s);");
  session_.submission().synchronize();  // so that what went wrong before is not told as the graph's
  open_ = std::make_unique<Capture>(session_, captured);
  first_ = open_->graph();
  begun_ = span;
  outside_ = std::exchange(frame_.options.report, LaunchOptions::Report::none);
}

void Graphs::end(const language::Bound& given, cell::Span span) {
  const auto stream = frame_.streams.of(*given[0], "the first argument of cudaStreamEndCapture");
  if (open_ == nullptr || stream != open_->stream())
    throw error(ErrorKind::value, fmt::format("no capture began in {}", snippet(run_.source, given[0]->span)),
                given[0]->span)
        .advise("cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) begins one.");
  frame_.options.report = outside_;
  end_part();
  earlier_ = {};
  auto work = std::make_shared<const Work>(std::exchange(captured_, {}));
  store(*given[1],
        session_.streams().graphs().add({std::move(work), Kind::graph, std::exchange(captured_nodes_, 0), {}}), span);
}

std::shared_ptr<const Capture> Graphs::end_part() {
  const std::shared_ptr<Capture> capture = std::move(open_);
  const auto info = capture->end();
  capture->note_given();
  capture->keep_bindings();  // the graph has addresses: swap(a, b) in a capture is what it is in C++
  if (info.nodes > 0) captured_.push_back({capture, nullptr, {}, {}});
  captured_nodes_ += info.nodes;
  return capture;
}

// All of the graph that comes before the step is done before it, also in other streams.
void Graphs::add_step(const std::function<GraphTable::Step()>& step, device::StreamId stream, cell::Span span) {
  frame_.streams.require_in_capture(stream, span);
  frame_.streams.bring_together();
  const auto& members = open_->members();
  earlier_.streams.insert(members.streams.begin(), members.streams.end());
  earlier_.events.insert(members.events.begin(), members.events.end());
  const auto before = end_part();
  captured_.push_back(step());  // a variable whose address is taken moves to memory now, and not with the graph
  ++captured_nodes_;
  open_ = std::make_unique<Capture>(session_, *before);
}

GraphTable::Step Graphs::step_of(const cell::Expression& function, Value data) {
  const auto* callee = &cell::without_casts(function);
  const auto* address = std::get_if<cell::Unary>(&callee->node);
  if (address != nullptr && address->op == cell::UnaryOperator::address) callee = address->operand.get();
  if (auto* pointer = std::get_if<Pointer>(&data)) {
    pointer->is_address = true;
    if (pointer->shape.empty()) pointer->shape = {1};
  }
  const auto bytes = frame_.targets.number_of_function(evaluate(*callee), callee->span);
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data(), sizeof number);
  return {nullptr,
          std::make_shared<const GraphTable::HostCall>(
              GraphTable::HostCall{session_.code().functions().function_at(number), std::move(data)}),
          {},
          {}};
}

// By an expression that lives as long as the cell runs, as other parts expect.
void Graphs::call_host(const std::shared_ptr<const GraphTable::HostCall>& called, cell::Span span) {
  static const std::string kData = "data of a graph";
  auto& expression = calls_[called];
  if (expression == nullptr) {
    const auto name = [&](const std::string& text) {
      auto made = std::make_unique<cell::Expression>();
      made->span = span;
      made->node = cell::Name{text};
      return made;
    };
    cell::Call call;
    call.callee = name(called->function);
    call.arguments.push_back({{}, {}, name(std::holds_alternative<NullPointer>(called->data) ? "nullptr" : kData)});
    expression = std::make_unique<cell::Expression>();
    expression->span = span;
    expression->node = std::move(call);
  }
  session_.submission().synchronize();
  const LentName lent(session_, kData, {called->data, false, run_.source.name});
  evaluate(*expression);
}

bool Graphs::captures(device::StreamId stream) const {
  const auto* capture = session_.submission().capture();
  return capture != nullptr && (capture->has(stream) || earlier_.streams.contains(stream));
}

// cudaStreamGetCaptureInfo(s, &status, &id)
void Graphs::describe_capture(const language::Bound& given, cell::Span span) {
  const auto stream = frame_.streams.of(*given[0], "the first argument of cudaStreamGetCaptureInfo");
  const bool active = captures(stream);
  for (std::size_t i = 3; i < given.size(); ++i)
    if (given[i] != nullptr && !language::is_null(*given[i]))
      throw error(ErrorKind::unsupported, "a cell cannot list the nodes of a graph while it is captured",
                  given[i]->span)
          .advise("Give nullptr; cudaStreamGetCaptureInfo(s, &status, &id) tells whether a stream is captured.");
  store(*given[1], active ? 1 : 0, span);  // cudaStreamCaptureStatusActive
  if (given.size() > 2 && given[2] != nullptr && !language::is_null(*given[2]))
    store(*given[2],
          active ? static_cast<std::uint64_t>(open_ != nullptr ? first_ : session_.submission().capture()->graph()) : 0,
          span);
}

void Graphs::require_ended() const {
  if (open_ == nullptr) return;
  throw error(ErrorKind::value, "the cell ended before cudaStreamEndCapture", begun_)
      .advise("Begin and end a capture in one cell; later cells may launch the graph.");
}

// cudaGraphInstantiate(&exec, graph, flags), (&exec, graph, nullptr, nullptr, 0)
void Graphs::instantiate(const language::Bound& given, cell::Span span) {
  frame_.streams.forbid_in_capture("another graph", span);
  auto made = graph(*given[1], Kind::graph);
  if (made.work == nullptr) made.work = work_of(made.built, given[1]->span);
  made.kind = Kind::executable;
  store(*given[0], session_.streams().graphs().add(std::move(made)), span);
}

// cudaGraphExecUpdate(exec, graph, ...): it runs the other graph's work from now on.
void Graphs::update(const language::Bound& given, cell::Span span) {
  session_.submission().forbid_in_capture("an executable graph cannot be changed");
  auto& changed = graph(*given[0], Kind::executable);
  const auto& other = graph(*given[1], Kind::graph);
  changed.work = other.work != nullptr ? other.work : work_of(other.built, given[1]->span);
  changed.nodes = other.nodes;
  changed.built = other.built;
  if (given[3] != nullptr) store(*given[3], 0, span);  // cudaGraphExecUpdateSuccess
}

// cudaGraphGetNodes(graph, nullptr, &count)
void Graphs::count_nodes(const language::Bound& given, cell::Span span) {
  const auto& counted = graph(*given[0], Kind::graph);
  const auto nodes = evaluate(*given[1]);
  const auto* number = std::get_if<language::ScalarValue>(&nodes);
  if (!std::holds_alternative<NullPointer>(nodes) && (number == nullptr || number->truth()))
    throw error(ErrorKind::unsupported, "cudaGraphGetNodes only counts nodes in a cell", given[1]->span)
        .advise("Give nullptr for them; the calls that add nodes give their handles.");
  store(*given[2], counted.nodes, span);
}

void Graphs::launch_executable(const language::Bound& given, cell::Span span) {
  frame_.streams.forbid_in_capture("another graph", span);
  const auto named = handle(*given[0], "an executable graph");
  const auto stream = frame_.streams.of(*given[1], "the second argument of cudaGraphLaunch");
  auto& launched = graph(named, Kind::executable);
  if (launched.work == nullptr) launched.work = work_of(launched.built, named.span);
  if (const auto missing = missing_of_work(*launched.work); !missing.empty())
    throw error(ErrorKind::value,
                fmt::format("{} cannot be launched: {}", snippet(run_.source, given[0]->span), missing), given[0]->span)
        .advise(launched.built.empty() ? "Capture it again." : "Put it together again.");
  const auto whole = launched.work;  // which a function of the host may make anew
  for (const auto& step : *whole) {
    if (step.called != nullptr) call_host(step.called, span);
    if (step.recorded) {
      session_.streams().note_recorded(step.recorded->id);
      session_.submission().record(step.recorded->id, stream);
    }
    if (step.awaited && session_.streams().was_recorded(step.awaited->id))
      session_.submission().wait(stream, step.awaited->id);
    const auto* work = step.posted.get();
    if (work == nullptr) continue;
    const auto site = session_.launches().site(work, "graph", work->given(), [&] {
      return LaunchSite{work, "graph", snippet(run_.source, span), run_.source.place(span), work->given()};
    });
    session_.submission().launch(device::GraphLaunch{0, work->graph(), stream, device::Timing::none}, site);
  }
}

std::string Graphs::missing_of_work(const Work& work) const {
  for (const auto& step : work)
    if (step.posted != nullptr)
      if (auto missing = step.posted->missing(); !missing.empty()) return missing;
  return {};
}

}  // namespace xcuda::interpreter
