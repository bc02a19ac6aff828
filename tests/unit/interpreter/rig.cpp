#include "rig.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "display/bundle.hpp"
#include "interpreter/interpreter.hpp"
#include "interpreter/run_cell.hpp"
#include "tests/unit/cell/sample_grammar.hpp"

namespace xcuda::interpreter {
namespace {

std::string entry_line(const compiler::KernelSignature& signature) {
  std::string line = ".entry " + signature.entry;
  for (const auto& parameter : signature.parameters) line += fmt::format(" {}", parameter.size);
  return line + "\n";
}

}  // namespace

struct Interpreted::Commands final : session::Commands {
  explicit Commands(Interpreted& rig) : rig(rig) {}
  cell::Grammar grammar() const override { return cell::sample_grammar; }
  void run(session::Session& session, session::CellRun& run, const cell::Magic& magic) override {
    if (magic.name != "launch") return run.sink.stream(OutputStream::out, "%" + magic.name + "\n");
    Interpreter interpreter(session, run, rig.options);
    if (magic.words.empty())
      interpreter.run(run.cell->statements);
    else
      interpreter.run_as_graph(run.cell->statements, magic.name_span);
    rig.report = interpreter.report();
  }
  void help(session::Session&, session::CellRun& run, const cell::Help& help, cell::Span) override {
    run.sink.stream(OutputStream::out, help.name + "?\n");
  }
  void shell(session::Session&, session::CellRun& run, const cell::Shell& shell, cell::Span) override {
    run.sink.stream(OutputStream::out, "!" + shell.command + "\n");
  }
  Interpreted& rig;
};

struct Interpreted::Outputs final : session::Sink {
  explicit Outputs(const std::function<void(std::string_view)>& called) : printed(called) {}
  void stream(OutputStream, std::string_view given) override {
    text += given;
    if (printed) printed(given);
  }
  void display(const display::Bundle& bundle) override { text += display::plain(bundle) + "\n"; }
  void result(const display::Bundle& bundle) override { display(bundle); }
  void page(const display::Bundle& bundle) override { display(bundle); }
  const std::function<void(std::string_view)>& printed;
  std::string text;
};

Interpreted::Interpreted() : commands_(std::make_unique<Commands>(*this)) {}
Interpreted::~Interpreted() = default;

// As the compiler tells it: offsets as C++ lays the arguments out.
compiler::KernelSignature Interpreted::signature_of(const std::string& name,
                                                    const std::vector<Declared>& parameters) const {
  compiler::KernelSignature signature{.name = name, .entry = name};
  std::uint32_t offset = 0;
  for (const auto& [type, parameter_name] : parameters) {
    compiler::Parameter parameter{.name = parameter_name, .type = type};
    if (type.ends_with('*')) {
      parameter.pointer = true;
      parameter.pointee = type.substr(0, type.size() - 1);
      parameter.const_pointee = parameter.pointee.starts_with("const ");
      if (parameter.const_pointee) parameter.pointee.erase(0, 6);
    }
    if (type.find('*') != std::string::npos)
      parameter.size = sizeof(device::Address);
    else if (const auto known = find_type(type))
      parameter.size = static_cast<std::uint32_t>(known->size);
    else
      parameter.size = static_cast<std::uint32_t>(types_.at(type).size);
    parameter.alignment = std::min<std::uint32_t>(parameter.size, 8);
    offset = (offset + parameter.alignment - 1) / parameter.alignment * parameter.alignment;
    parameter.offset = offset;
    offset += parameter.size;
    signature.parameters.push_back(std::move(parameter));
  }
  return signature;
}

void Interpreted::kernel(const std::string& name, const std::vector<Declared>& parameters, Kernel body) {
  kernels_[name] = signature_of(name, parameters);
  device_options_.kernels[name] = [body](device::FakeLaunch& launch) -> std::optional<device::Fault> {
    body(launch);
    return std::nullopt;
  };
}

void Interpreted::operation(const std::string& name, const std::vector<Declared>& parameters, Kernel body) {
  kernel(name, parameters, std::move(body));
  operations_[name] = kernels_.at(name);
}

compiler::CompileOutput Interpreted::compile(const compiler::CompileRequest& request) {
  compiler::CompileOutput output{.ok = true, .name = request.name};
  compiled.push_back(request.name);
  const auto add = [&](const compiler::KernelSignature& signature) {
    output.kernels.push_back(signature);
    output.ptx += entry_line(signature);
  };
  const auto refuse = [&](std::string why) {
    output.ok = false;
    output.diagnostics.push_back({.text = std::move(why)});
    return output;
  };
  if (request.type_query) {
    const auto known = types_.find(request.type_query->type);
    if (known == types_.end()) return refuse(fmt::format("identifier \"{}\" is undefined", request.type_query->type));
    output.type_layout = known->second;
    return output;
  }
  for (const auto& kernel : request.kernels) {
    const auto told = kernels_.find(kernel.name);
    if (told == kernels_.end()) return refuse(fmt::format("nobody told of the kernel {}", kernel.name));
    add(told->second);
  }
  for (const auto& [name, signature] : operations_)
    if (request.source.find(name + "(") != std::string::npos) add(signature);
  return output;
}

void Interpreted::start() {
  session::SessionParts parts;
  parts.compile = [this](const compiler::CompileRequest& request, const WaitLimits&) { return compile(request); };
  parts.devices.push_back({{}, "", [this](const session::OutputHandler&) {
                             return std::make_unique<device::FakeDevice>(device_options_);
                           }});
  session_.emplace(std::move(parts), *commands_);
}

session::Session& Interpreted::session() {
  if (!session_) start();
  return *session_;
}

Ran Interpreted::run(const std::string& code) {
  Outputs outputs(printed);
  const auto failed = run_cell(session(), {code, fmt::format("In[{}]", ++cells_), {}}, outputs);
  Ran ran{.text = std::move(outputs.text)};
  if (!failed) return ran;
  const auto& error = failed->error;
  ran.error = fmt::format("{}: {}", kind_name(error.kind), error.message);
  ran.advice = error.advice;
  ran.notes = error.notes;
  if (error.place && error.place->column > 0)
    ran.at = error.place->excerpt.substr(static_cast<std::size_t>(error.place->column) - 1,
                                         static_cast<std::size_t>(error.place->width));
  return ran;
}

std::string Interpreted::shown(const std::string& code) {
  auto ran = run(code);
  EXPECT_EQ(ran.error, "") << code;
  return ran.text;
}

}  // namespace xcuda::interpreter
