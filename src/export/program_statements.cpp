// Statements of an exported program.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "base/type.hpp"
#include "export/program_calls.hpp"
#include "export/program_writer.hpp"

namespace xcuda::exporter {
void ProgramWriter::statement(const cell::Statement& statement) {
  struct Visitor {
    ProgramWriter& self;
    cell::Span span;
    void operator()(const cell::Declaration& s) const { self.declaration(s, span); }
    void operator()(const cell::Launch& s) const { self.launch(s); }
    void operator()(const cell::ExpressionStatement& s) const {
      s.shown ? self.shown(*s.expression) : self.evaluate(*s.expression);
    }
    void operator()(const cell::Block& s) const {
      self.line("{");
      self.scopes_.emplace_back();
      ++self.indent_;
      for (const auto& one : s.statements) self.statement(*one);
      --self.indent_;
      self.scopes_.pop_back();
      self.line("}");
    }
    void operator()(const cell::If& s) const {
      self.line(fmt::format("if ({}) {{", self.host(*s.condition)));
      self.body(*s.then);
      if (s.otherwise != nullptr) {
        self.line("} else {");
        self.body(*s.otherwise);
      }
      self.line("}");
    }
    void operator()(const cell::For& s) const {
      // Its declarations are seen by the loop alone.
      self.scopes_.emplace_back();
      std::string init;
      if (s.init != nullptr) {
        auto before = std::exchange(self.main_, "");
        self.statement(*s.init);
        init = std::exchange(self.main_, std::move(before));
      }
      const bool one_line = std::count(init.begin(), init.end(), '\n') <= 1;
      if (!one_line) {
        self.line("{");
        self.main_ += init;
        init.clear();
      }
      auto head = std::string(trim(init));
      if (!head.ends_with(';')) head += ';';
      std::string step;
      if (s.step != nullptr) step = " " + self.host(*s.step);
      self.line(
          fmt::format("for ({}{};{}) {{", head, s.condition != nullptr ? " " + self.host(*s.condition) : "", step));
      self.body(*s.body);
      self.line("}");
      if (!one_line) self.line("}");
      self.scopes_.pop_back();
    }
    void operator()(const cell::While& s) const {
      self.line(fmt::format("while ({}) {{", self.host(*s.condition)));
      self.body(*s.body);
      self.line("}");
    }
    void operator()(const cell::DoWhile& s) const {
      self.line("do {");
      self.body(*s.body);
      self.line(fmt::format("}} while ({});", self.host(*s.condition)));
    }
    void operator()(const cell::OnDevice&) const {
      throw self.cannot("statements for one of several devices", span, "An exported program has one device.");
    }
    void operator()(const cell::Try& s) const { self.attempt(s); }
    void operator()(const cell::Break&) const { self.line("break;"); }
    void operator()(const cell::Continue&) const { self.line("continue;"); }
    void operator()(const cell::Empty&) const {}
    void operator()(const cell::Magic& s) const { self.write_magic(s, span, ProgramWriter::MagicOf::line); }
    void operator()(const cell::Shell&) const { self.comment(span, "a shell command"); }
    void operator()(const cell::Help&) const { self.comment(span, "help"); }
    void operator()(const cell::RangeFor&) const {
      throw self.cannot("a loop over the elements of an array", span, "Write for (int i = 0; i < n; ++i).");
    }
    void operator()(const cell::Switch& s) const {
      self.line(fmt::format("switch ({}) {{", self.host(*s.value)));
      self.scopes_.emplace_back();
      ++self.indent_;
      auto label = s.labels.begin();
      for (std::size_t i = 0; i <= s.statements.size(); ++i) {
        for (; label != s.labels.end() && label->before == i; ++label)
          self.line(label->last != nullptr
                        ? fmt::format("case {} ... {}:", self.host(*label->value), self.host(*label->last))
                    : label->value != nullptr ? fmt::format("case {}:", self.host(*label->value))
                                              : "default:");
        if (i < s.statements.size()) self.statement(*s.statements[i]);
      }
      self.line(";");
      --self.indent_;
      self.scopes_.pop_back();
      self.line("}");
    }
    void operator()(const cell::Return&) const {
      throw self.cannot("return", span, "It ends only its cell, not the program: leave it out.");
    }
  };
  std::visit(Visitor{*this, statement.span}, statement.node);
}

void ProgramWriter::body(const cell::Statement& one) {
  scopes_.emplace_back();
  ++indent_;
  if (const auto* block = std::get_if<cell::Block>(&one.node))
    for (const auto& inner : block->statements) statement(*inner);
  else
    statement(one);
  --indent_;
  scopes_.pop_back();
}

// --- Launches ------------------------------------------------------------------------------------------------------

std::string ProgramWriter::dimensions(const cell::Expression& expression) {
  const auto* list = std::get_if<cell::List>(&expression.node);
  if (list == nullptr) return host(expression);
  std::string parts;
  for (const auto& one : list->elements) parts += (parts.empty() ? "" : ", ") + host(*one);
  return fmt::format("dim3({})", parts);
}

bool ProgramWriter::is_kernel(std::string_view name) const {
  const auto kernels = session_.code().program().kernel_names();
  const std::string base(name.substr(0, name.find('<')));
  return std::any_of(kernels.begin(), kernels.end(), [&](const std::string& one) {
    return one.substr(0, one.find('<')) == base || one.ends_with("::" + base);
  });
}

std::string ProgramWriter::launched(const cell::Launch& launch) {
  if (launch.callee != nullptr) return host(*launch.callee);
  const auto& name = launch.kernel.text;
  if (const auto* symbol = find(name); symbol != nullptr && symbol->kind == Kind::kernel) return symbol->spelling;
  if (!is_kernel(name))
    throw cannot(fmt::format("{}, a kernel that no C++ cell defines now", name.substr(0, name.find('<'))),
                 launch.kernel_span, "Define it in CUDA C++, or %reset and run the cells without it.");
  return name;
}

// scale, &scale, table[i], {scale, shift}
std::string ProgramWriter::pointed(const cell::Expression& kernel) {
  if (const auto* list = std::get_if<cell::List>(&kernel.node)) {
    std::string all;
    for (const auto& one : list->elements) all += (all.empty() ? "" : ", ") + pointed(*one);
    return "{" + all + "}";
  }
  const auto* unary = std::get_if<cell::Unary>(&kernel.node);
  const bool address = unary != nullptr && unary->op == cell::UnaryOperator::address;
  const auto& place = address ? *unary->operand : kernel;
  const auto* name = std::get_if<cell::Name>(&place.node);
  if (name == nullptr || find(name->text) != nullptr) return host(place);
  if (is_kernel(name->text) || name->text == "nullptr") return name->text;
  throw cannot(fmt::format("a pointer to {}", name->text), kernel.span, "A program has pointers to kernels only.");
}

void ProgramWriter::launch(const cell::Launch& launch) {
  const auto& configuration = launch.configuration;
  const auto kernel = launched(launch);
  need("launch");
  std::string arguments;
  for (const auto& argument : launch.arguments) arguments += (arguments.empty() ? "" : ", ") + host(*argument.value);
  const auto* cover = configuration.empty() ? nullptr : std::get_if<cell::Call>(&configuration[0]->node);
  if (!calls(cover, language::Operation::cover)) cover = nullptr;
  auto shared = configuration.size() > 2 ? host(*configuration[2]) : style_.shared;
  const auto stream = configuration.size() > 3 ? host(*configuration[3]) : style_.stream;
  std::string grid, block;
  const bool braces = (cover != nullptr && configuration.size() == 1) || timed_;
  if (braces) {
    line("{");
    ++indent_;
  }
  if (cover != nullptr) {
    std::string extents;
    for (const auto& argument : cover->arguments) extents += ", " + host(*argument.value);
    if (configuration.size() > 1) {
      block = dimensions(*configuration[1]);
      grid = fmt::format("xcuda::grid_of({}{})", block, extents);
    } else {
      line(fmt::format("const auto shape = xcuda::cover({}{});", kernel, extents));
      grid = "shape.grid", block = "shape.block";
    }
  } else {
    grid = dimensions(*configuration[0]);
    block = configuration.size() > 1 ? dimensions(*configuration[1]) : "1";
  }
  const bool large = !shared.empty() && (shared.find_first_not_of("0123456789") != std::string::npos ||
                                         shared.size() > 5 || std::stoi(shared) > 49152);
  if (large) line(fmt::format("xcuda::allow_shared({}, {});", kernel, shared));
  if (timed_) line("const xcuda::Timer timer;");
  if (style_.cooperative || !style_.cluster.empty()) {
    line(fmt::format("xcuda::launch({{{}, {}, {}, {}, {{{}}}, {}}}, {}{}{});", grid, block,
                     shared.empty() ? "0" : shared, stream.empty() ? "nullptr" : stream,
                     style_.cluster.empty() ? "0" : style_.cluster, style_.cooperative, kernel,
                     arguments.empty() ? "" : ", ", arguments));
  } else {
    std::string rest;
    if (!shared.empty() || !stream.empty()) rest = ", " + (shared.empty() ? "0" : shared);
    if (!stream.empty()) rest += ", " + stream;
    line(fmt::format("{}<<<{}, {}{}>>>({});", kernel, grid, block, rest, arguments));
  }
  if (timed_) line(fmt::format("std::fprintf(stderr, \"{}: %.3f ms\\n\", timer.milliseconds());", kernel));
  if (braces) {
    --indent_;
    line("}");
  }
  ++launches_;
}

// --- Values --------------------------------------------------------------------------------------------------------

void ProgramWriter::shown(const cell::Expression& given) {
  const auto& expression = as_call(given);
  const auto* call = std::get_if<cell::Call>(&expression.node);
  if (call != nullptr && call_statement(*call, expression)) return;
  const auto* step = std::get_if<cell::Unary>(&expression.node);
  if (step != nullptr && !cell::is_step(step->op)) step = nullptr;
  const auto* assignment = std::get_if<cell::Assignment>(&expression.node);
  if (step != nullptr || assignment != nullptr) {
    const auto& target = step != nullptr ? *step->operand : *assignment->target;
    if (form(target).is_array()) return evaluate(expression);  // shows nothing
    const bool before = step != nullptr && cell::is_after(step->op);
    if (!before) evaluate(expression);
    shown(target);
    return before ? evaluate(expression) : void();
  }
  if (std::holds_alternative<cell::StringLiteral>(expression.node))
    return line(fmt::format("std::puts({});", text(expression.span)));
  const auto* named = root(expression);
  const auto* symbol = named == nullptr ? nullptr : find(named->text);
  const auto opaque = [&](const std::string& type) { return !type.empty() && !xcuda::find_type(type); };
  const auto lanes = [&](const std::string& type) {
    const auto known = xcuda::find_type(type);
    return known && (known->lanes > 1 || known->scalar >= Scalar::complex64);
  };
  const auto known = form(expression);
  const bool plain_symbol = symbol != nullptr && std::holds_alternative<cell::Name>(expression.node);
  if (symbol != nullptr && (opaque(symbol->type) || lanes(symbol->type)) &&
      !std::holds_alternative<cell::Member>(expression.node))
    return comment(expression.span, "a struct is shown");
  if (plain_symbol && (symbol->kind == Kind::stream || symbol->kind == Kind::event))
    return comment(expression.span, "a stream or an event is shown");
  if (plain_symbol && symbol->kind == Kind::dimensions)
    return line(fmt::format("std::printf(\"dim3{{%u, %u, %u}}\\n\", {0}.x, {0}.y, {0}.z);", symbol->spelling));
  if (plain_symbol && symbol->kind == Kind::number && symbol->type.empty())
    return comment(expression.span, "a struct is shown");
  if (!known.is_array() && lanes(known.type.name))
    return comment(expression.span, "a complex number or a vector is shown");
  need("show");
  if (!known.is_array()) return line(fmt::format("xcuda::show({});", host(expression)));
  // As the session names what it shows: an array, or a view of one.
  const bool of_array = known.memory != language::Form::Memory::none;
  line(fmt::format("xcuda::show({}, {});", in_quotes(of_array ? snippet(source_, expression.span) : ""),
                   operand(expression)));
}

void ProgramWriter::evaluate(const cell::Expression& expression) {
  if (const auto* assignment = std::get_if<cell::Assignment>(&expression.node)) return assign(*assignment, expression);
  if (const auto* call = std::get_if<cell::Call>(&expression.node);
      call != nullptr && call_statement(*call, expression))
    return;
  if (const auto* unary = std::get_if<cell::Unary>(&expression.node); unary != nullptr && cell::is_step(unary->op))
    return change(*unary->operand, std::string(cell::spelling(unary->op)), "");
  if (const auto* binary = std::get_if<cell::Binary>(&expression.node);
      binary != nullptr && binary->op == cell::BinaryOperator::comma) {
    evaluate(*binary->left);
    return evaluate(*binary->right);
  }
  if (form(expression).is_array()) return comment(expression.span, "its value is not used");
  line(host(expression) + ";");
}

// Writes to a scalar, an element of an array, a member of one, or a variable of the device: `before` target `after`.
void ProgramWriter::change(const cell::Expression& target, const std::string& before, const std::string& after) {
  const auto* named = root(target);
  const auto* symbol = named == nullptr ? nullptr : find(named->text);
  const bool on_device =
      symbol == nullptr ? named != nullptr && variable(named->text) != nullptr : symbol->kind == Kind::array;
  if (!on_device) return line(fmt::format("{}{}{};", before, host(target), after));
  // The members and their subscripts after the element, or all subscripts of a variable of the device.
  std::string rest;
  const auto* at = &target;
  const cell::Expression* place = nullptr;
  const auto subscripts = [&](const cell::Index& index) {
    std::string result;
    for (const auto& subscript : index.subscripts) result += fmt::format("[{}]", host(*subscript.start));
    return result;
  };
  const auto has_member = [](const cell::Expression& expression) {
    const auto* inner = &expression;
    for (;;) {
      if (std::holds_alternative<cell::Member>(inner->node)) return true;
      const auto* index = std::get_if<cell::Index>(&inner->node);
      if (index == nullptr) return false;
      inner = index->base.get();
    }
  };
  while (place == nullptr) {
    if (const auto* member = std::get_if<cell::Member>(&at->node)) {
      rest = "." + member->member + rest;
      at = member->base.get();
    } else if (const auto* index = std::get_if<cell::Index>(&at->node);
               index != nullptr && (symbol == nullptr || has_member(*at))) {
      rest = subscripts(*index) + rest;
      at = index->base.get();
    } else {
      place = at;
    }
  }
  if (symbol == nullptr) {
    need("symbol");
    return line(fmt::format("xcuda::change_symbol({}, [&](auto& value) {{ {}value{}{}; }});", named->text, before, rest,
                            after));
  }
  const auto element = std::holds_alternative<cell::Name>(place->node) ? operand(*place) + ".part(0)" : part(*place);
  if (rest.empty() && before.empty() && after.starts_with(" = "))
    return line(fmt::format("{}.set({});", element, after.substr(3)));
  line(fmt::format("{}.change([&](auto& value) {{ {}value{}{}; }});", element, before, rest, after));
}

void ProgramWriter::assign(const cell::Assignment& assignment, const cell::Expression& whole) {
  const auto& target = *assignment.target;
  const auto known = form(target);
  const auto op = fmt::format("{}=", assignment.op ? cell::spelling(*assignment.op) : "");
  const auto* held = root(target) == nullptr ? nullptr : find(root(target)->text);
  if (held != nullptr && held->kind == Kind::kernel)
    return line(fmt::format("{} = {};", host(target), pointed(*assignment.value)));
  if (!known.is_array()) {
    if (const auto* inner = std::get_if<cell::Assignment>(&assignment.value->node)) {  // a = b = 0
      evaluate(*assignment.value);
      return change(target, "", fmt::format(" {} {}", op, host(*inner->target)));
    }
    return change(target, "", fmt::format(" {} {}", op, host(*assignment.value)));
  }
  const auto* name = std::get_if<cell::Name>(&target.node);
  const auto* piece = name == nullptr || find(name->text) != nullptr ? nullptr : variable(name->text);
  if (piece != nullptr) {  // coef = {1, 2, 3};
    const auto* list = std::get_if<cell::List>(&assignment.value->node);
    if (list == nullptr || assignment.op)
      throw cannot(fmt::format("{} of the whole variable {}", op, name->text), whole.span,
                   "Assign a list, or element by element.");
    need("symbol");
    return line(fmt::format("xcuda::assign_symbol({}, {{{}}});", name->text, list_elements(*list)));
  }
  if (const auto* root_name = root(target);
      root_name != nullptr && find(root_name->text) == nullptr && variable(root_name->text) != nullptr)
    throw cannot(fmt::format("a part of the variable {}", root_name->text), whole.span, "Assign element by element.");
  need("elements");
  const auto left = operand(target);
  if (assignment.op) return line(fmt::format("{} = {};", left, compound(target, *assignment.op, *assignment.value)));
  if (const auto* list = std::get_if<cell::List>(&assignment.value->node))
    return line(fmt::format("{}.assign({{{}}});", left, list_elements(*list)));
  line(fmt::format("{} = {};", left, host(*assignment.value)));
}

bool ProgramWriter::call_statement(const cell::Call& call, const cell::Expression& whole) {
  using language::Operation;
  const auto* callee = std::get_if<cell::Name>(&call.callee->node);
  const auto argument = [&](std::size_t i) -> const cell::Expression& { return *call.arguments[i].value; };
  if (calls(&call, Operation::print)) {
    std::string arguments;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      auto value = host(argument(i));
      if (i > 0 && form(argument(i)).is_array()) value = fmt::format("static_cast<void*>({}.data())", value);
      if (i > 0 && is_special(argument(i)) && !form(argument(i)).is_array())
        value = fmt::format("static_cast<float>({})", value);
      arguments += (arguments.empty() ? "" : ", ") + value;
    }
    line(fmt::format("std::printf({});", arguments));
  } else if (calls(&call, Operation::assertion)) {
    need("launch");
    // assert(x > 0 && "x is positive"): the text is in what is shown, and no operand of elements.
    const auto* condition = &argument(0);
    const auto* both = std::get_if<cell::Binary>(&condition->node);
    if (both != nullptr && both->op == cell::BinaryOperator::logical_and &&
        std::holds_alternative<cell::StringLiteral>(both->right->node))
      condition = both->left.get();
    auto holds = host(*condition);
    if (form(*condition).is_array()) need("reduce"), holds = fmt::format("xcuda::all({})", holds);
    line(fmt::format("xcuda::require({}, {}, {});", holds, in_quotes(place_text(whole.span)),
                     in_quotes(text(argument(0).span))));
  } else if (calls(&call, Operation::exchange)) {
    const bool arrays = form(argument(0)).is_array();
    line(fmt::format("{}swap({}, {});", arrays ? "" : "std::", host(argument(0)), host(argument(1))));
  } else if (calls(&call, Operation::record)) {
    line(fmt::format("xcuda::check(cudaEventRecord({}{}), \"recording an event\");", host(argument(0)),
                     call.arguments.size() > 1 ? ", " + host(argument(1)) : ""));
  } else if (calls(&call, Operation::wait)) {
    const auto stream = call.arguments.size() > 1 ? host(argument(0)) : std::string("nullptr"),
               event = host(argument(call.arguments.size() - 1));
    line(fmt::format("xcuda::check(cudaStreamWaitEvent({}, {}), \"waiting for an event\");", stream, event));
  } else if (callee != nullptr && callee->text == "cudaDeviceSynchronize") {
    line("xcuda::check(cudaDeviceSynchronize(), \"cudaDeviceSynchronize\");");
    need("array");
  } else {
    return false;
  }
  return true;
}

}  // namespace xcuda::exporter
