#include "interpreter/interpreter.hpp"

#include "arrays/array_math.hpp"
#include "interpreter/array_calls.hpp"
#include "interpreter/array_expressions.hpp"
#include "interpreter/assertions.hpp"
#include "interpreter/assignments.hpp"
#include "interpreter/calls.hpp"
#include "interpreter/containers/callables.hpp"
#include "interpreter/containers/containers.hpp"
#include "interpreter/declarations.hpp"
#include "interpreter/devices/collectives.hpp"
#include "interpreter/devices/devices.hpp"
#include "interpreter/devices/grid_splits.hpp"
#include "interpreter/devices/messages.hpp"
#include "interpreter/devices/spread_arrays.hpp"
#include "interpreter/dimensions.hpp"
#include "interpreter/elements.hpp"
#include "interpreter/expressions.hpp"
#include "interpreter/frame.hpp"
#include "interpreter/given_call_arguments.hpp"
#include "interpreter/host/device_calls.hpp"
#include "interpreter/host/host_addresses.hpp"
#include "interpreter/host/host_function_calls.hpp"
#include "interpreter/host/host_streams.hpp"
#include "interpreter/host/host_texts.hpp"
#include "interpreter/host/host_vectors.hpp"
#include "interpreter/host/lifetimes.hpp"
#include "interpreter/host/macro_statements.hpp"
#include "interpreter/host/module_calls.hpp"
#include "interpreter/host/range_loops.hpp"
#include "interpreter/host/references.hpp"
#include "interpreter/host/runtime_calls.hpp"
#include "interpreter/host_calls.hpp"
#include "interpreter/initial_values.hpp"
#include "interpreter/launches/closures.hpp"
#include "interpreter/launches/kernel_templates.hpp"
#include "interpreter/launches/launch_arguments.hpp"
#include "interpreter/launches/launch_configurations.hpp"
#include "interpreter/launches/launch_graphs.hpp"
#include "interpreter/launches/launch_reports.hpp"
#include "interpreter/launches/launched_calls.hpp"
#include "interpreter/launches/launches.hpp"
#include "interpreter/launches/streams.hpp"
#include "interpreter/lookup.hpp"
#include "interpreter/matrices/einsum.hpp"
#include "interpreter/matrices/matrix_calls.hpp"
#include "interpreter/members.hpp"
#include "interpreter/native/library_values.hpp"
#include "interpreter/native/native_calls.hpp"
#include "interpreter/native/native_code.hpp"
#include "interpreter/native/native_loops.hpp"
#include "interpreter/native/object_operators.hpp"
#include "interpreter/operator_expressions.hpp"
#include "interpreter/order_calls.hpp"
#include "interpreter/places.hpp"
#include "interpreter/records/exceptions.hpp"
#include "interpreter/records/records.hpp"
#include "interpreter/results.hpp"
#include "interpreter/scalars.hpp"
#include "interpreter/statements.hpp"
#include "interpreter/subscripts.hpp"
#include "interpreter/targets.hpp"
#include "interpreter/texture_declarations.hpp"

namespace xcuda::interpreter {
namespace {

LaunchOptions allowed(LaunchOptions options, Session& session) {
  options.checks.bounds = options.checks.bounds && session.settings().bounds_checks;
  return options;
}

}  // namespace

// The frame comes first: it names the parts, and they keep what is in it.
struct Interpreter::Parts {
  Parts(Session& session, CellRun& run, const LaunchOptions& options)
      : frame{.session = session,
              .run = run,
              .text = run.source,
              .options = allowed(options, session),
              .arrays = arrays,
              .addresses = addresses,
              .call_arguments = call_arguments,
              .array_calls = array_calls,
              .array_expressions = array_expressions,
              .assertions = assertions,
              .assignments = assignments,
              .callables = callables,
              .calls = calls,
              .closures = closures,
              .collectives = collectives,
              .containers = containers,
              .declarations = declarations,
              .device_calls = device_calls,
              .devices = devices,
              .dimensions = dimensions,
              .einsum = einsum,
              .elements = elements,
              .exceptions = exceptions,
              .expressions = expressions,
              .graphs = graphs,
              .grid_splits = grid_splits,
              .host_calls = host_calls,
              .host_function_calls = host_function_calls,
              .initial_values = initial_values,
              .kernel_templates = kernel_templates,
              .launch_arguments = launch_arguments,
              .launch_configurations = launch_configurations,
              .launch_reports = launch_reports,
              .launched_calls = launched_calls,
              .launches = launches,
              .lifetimes = lifetimes,
              .lookup = lookup,
              .macro_statements = macro_statements,
              .matrix_calls = matrix_calls,
              .members = members,
              .messages = messages,
              .library_values = library_values,
              .module_calls = module_calls,
              .native_calls = native_calls,
              .native_code = native_code,
              .native_loops = native_loops,
              .object_operators = object_operators,
              .operator_expressions = operator_expressions,
              .order_calls = order_calls,
              .output_streams = output_streams,
              .places = places,
              .range_loops = range_loops,
              .records = records,
              .references = references,
              .results = results,
              .runtime_calls = runtime_calls,
              .scalars = scalars,
              .spread_arrays = spread_arrays,
              .statements = statements,
              .streams = streams,
              .subscripts = subscripts,
              .targets = targets,
              .texts = texts,
              .texture_declarations = texture_declarations,
              .vectors = vectors} {}

  Frame frame;
  ArrayMath arrays{frame.session.operations(), frame.text};
  Addresses addresses{frame};
  CallArguments call_arguments{frame};
  ArrayCalls array_calls{frame};
  ArrayExpressions array_expressions{frame};
  Assertions assertions{frame};
  Assignments assignments{frame};
  Callables callables{frame};
  Calls calls{frame};
  Closures closures{frame};
  Collectives collectives{frame};
  Containers containers{frame};
  Declarations declarations{frame};
  DeviceCalls device_calls{frame};
  Devices devices{frame};
  Dimensions dimensions{frame};
  Einsum einsum{frame};
  Elements elements{frame};
  Exceptions exceptions{frame};
  Expressions expressions{frame};
  Graphs graphs{frame};
  GridSplits grid_splits{frame};
  HostCalls host_calls{frame};
  HostFunctionCalls host_function_calls{frame};
  InitialValues initial_values{frame};
  KernelTemplates kernel_templates{frame};
  LaunchArguments launch_arguments{frame};
  LaunchConfigurations launch_configurations{frame};
  LaunchReports launch_reports{frame};
  LaunchedCalls launched_calls{frame};
  Launches launches{frame};
  Lifetimes lifetimes{frame};
  Lookup lookup{frame};
  MacroStatements macro_statements{frame};
  MatrixCalls matrix_calls{frame};
  Members members{frame};
  Messages messages{frame};
  LibraryValues library_values{frame};
  ModuleCalls module_calls{frame};
  NativeCalls native_calls{frame};
  NativeCode native_code{frame};
  NativeLoops native_loops{frame};
  ObjectOperators object_operators{frame};
  OperatorExpressions operator_expressions{frame};
  OrderCalls order_calls{frame};
  OutputStreams output_streams{frame};
  Places places{frame};
  RangeLoops range_loops{frame};
  Records records{frame};
  References references{frame};
  Results results{frame};
  RuntimeCalls runtime_calls{frame};
  Scalars scalars{frame};
  SpreadArrays spread_arrays{frame};
  Statements statements{frame};
  Streams streams{frame};
  Subscripts subscripts{frame};
  Targets targets{frame};
  Texts texts{frame};
  TextureDeclarations texture_declarations{frame};
  Vectors vectors{frame};
};

Interpreter::Interpreter(Session& session, CellRun& run, const LaunchOptions& options)
    : parts_(std::make_unique<Parts>(session, run, options)) {}
Interpreter::~Interpreter() = default;

void Interpreter::run(const std::vector<cell::StatementPtr>& statements) {
  parts_->statements.run(statements);
  parts_->graphs.require_ended();
  parts_->messages.finish();
}

void Interpreter::execute(const cell::Statement& statement) { parts_->statements.execute(statement); }

void Interpreter::run_as_graph(const std::vector<cell::StatementPtr>& statements, cell::Span span) {
  parts_->graphs.run(statements, span);
}

Value Interpreter::evaluate(const cell::Expression& expression) { return parts_->expressions.evaluate(expression); }

language::ScalarValue Interpreter::number(const cell::Expression& expression, std::string_view what) {
  return parts_->scalars.number(expression, what);
}

std::optional<Pointer> Interpreter::elements(const Value& value) { return parts_->results.elements(value); }

display::Bundle Interpreter::bundle(const Value& value, std::string_view text) {
  return parts_->results.bundle(value, text);
}

std::string Interpreter::written(const cell::Expression& expression) const {
  return parts_->results.written(expression);
}

display::LaunchReport Interpreter::report() { return parts_->launch_reports.finish(); }

std::vector<std::string> Interpreter::declared() const { return parts_->declarations.names(); }

}  // namespace xcuda::interpreter
