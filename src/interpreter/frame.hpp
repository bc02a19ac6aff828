// What the parts of the interpreter share while statements run, and the way from each to the others.
//
// A part does one thing with statements or expressions and has a header of its own; it calls another one through the
// frame: frame_.places.of(expression). Parts live as long as the frame, one of each, and keep what has to outlast a
// statement.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "cell/tree.hpp"
#include "interpreter/launches/launch_options.hpp"
#include "language/operators.hpp"
#include "session/session.hpp"
#include "session/statement_value.hpp"

namespace xcuda::arrays {
class ArrayMath;
}

namespace xcuda::interpreter {

using namespace session;

class CallArguments;
class Addresses;
class ArrayCalls;
class ArrayExpressions;
class Assertions;
class Assignments;
class Callables;
class Calls;
class Closures;
class Collectives;
class Containers;
class Declarations;
class DeviceCalls;
class Devices;
class Dimensions;
class Einsum;
class Elements;
class Exceptions;
class Expressions;
class Graphs;
class GridSplits;
class HostCalls;
class HostFunctionCalls;
class InitialValues;
class KernelTemplates;
class LaunchArguments;
class LaunchConfigurations;
class LaunchReports;
class LibraryValues;
class LaunchedCalls;
class Launches;
class Lifetimes;
class Lookup;
class MacroStatements;
class MatrixCalls;
class Members;
class Messages;
class ModuleCalls;
class NativeCalls;
class NativeCode;
class NativeLoops;
class ObjectOperators;
class OperatorExpressions;
class OrderCalls;
class OutputStreams;
class Places;
class RangeLoops;
class Records;
class References;
class Results;
class RuntimeCalls;
class Scalars;
class SpreadArrays;
class Statements;
class Streams;
class Subscripts;
class Targets;
class Texts;
class TextureDeclarations;
class Vectors;

struct Frame {
  Session& session;
  CellRun& run;
  cell::Source text;  // of the run, for the places of scalar operations
  LaunchOptions options;

  ArrayMath& arrays;
  Addresses& addresses;
  CallArguments& call_arguments;
  ArrayCalls& array_calls;
  ArrayExpressions& array_expressions;
  Assertions& assertions;
  Assignments& assignments;
  Callables& callables;
  Calls& calls;
  Closures& closures;
  Collectives& collectives;
  Containers& containers;
  Declarations& declarations;
  DeviceCalls& device_calls;
  Devices& devices;
  Dimensions& dimensions;
  Einsum& einsum;
  Elements& elements;
  Exceptions& exceptions;
  Expressions& expressions;
  Graphs& graphs;
  GridSplits& grid_splits;
  HostCalls& host_calls;
  HostFunctionCalls& host_function_calls;
  InitialValues& initial_values;
  KernelTemplates& kernel_templates;
  LaunchArguments& launch_arguments;
  LaunchConfigurations& launch_configurations;
  LaunchReports& launch_reports;
  LaunchedCalls& launched_calls;
  Launches& launches;
  Lifetimes& lifetimes;
  Lookup& lookup;
  MacroStatements& macro_statements;
  MatrixCalls& matrix_calls;
  Members& members;
  Messages& messages;
  LibraryValues& library_values;
  ModuleCalls& module_calls;
  NativeCalls& native_calls;
  NativeCode& native_code;
  NativeLoops& native_loops;
  ObjectOperators& object_operators;
  OperatorExpressions& operator_expressions;
  OrderCalls& order_calls;
  OutputStreams& output_streams;
  Places& places;
  RangeLoops& range_loops;
  Records& records;
  References& references;
  Results& results;
  RuntimeCalls& runtime_calls;
  Scalars& scalars;
  SpreadArrays& spread_arrays;
  Statements& statements;
  Streams& streams;
  Subscripts& subscripts;
  Targets& targets;
  Texts& texts;
  TextureDeclarations& texture_declarations;
  Vectors& vectors;
};

class Part {
 public:
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

 protected:
  explicit Part(Frame& frame) : frame_(frame), session_(frame.session), run_(frame.run) {}
  ~Part() = default;

  Error error(ErrorKind kind, std::string message, cell::Span span) const {
    return Error(kind, std::move(message)).at(run_.source.place(span));
  }
  language::Where where(cell::Span span) const { return {frame_.text, span}; }

  Value evaluate(const cell::Expression& expression);
  // Error(type) otherwise. what: "an extent".
  language::ScalarValue number(const cell::Expression& expression, std::string_view what);
  language::ScalarValue number(const Value& value, cell::Span span, std::string_view what);

  Frame& frame_;
  Session& session_;
  CellRun& run_;
};

}  // namespace xcuda::interpreter
