#include "language/host/stream_types.hpp"

#include <algorithm>
#include <iterator>

namespace xcuda::language {
namespace {

constexpr ManipulatorRow kManipulators[] = {
    {"std::endl", Manipulator::line_end},
    {"std::flush", Manipulator::flush},
    {"std::ends", Manipulator::null},
    {"std::setw", Manipulator::width},
    {"std::setprecision", Manipulator::precision},
    {"std::setfill", Manipulator::fill},
    {"std::fixed"},
    {"std::scientific"},
    {"std::defaultfloat"},
    {"std::hexfloat"},
    {"std::hex"},
    {"std::dec"},
    {"std::oct"},
    {"std::left"},
    {"std::right"},
    {"std::internal"},
    {"std::boolalpha"},
    {"std::noboolalpha"},
    {"std::showpos"},
    {"std::noshowpos"},
    {"std::showpoint"},
    {"std::noshowpoint"},
    {"std::showbase"},
    {"std::noshowbase"},
    {"std::uppercase"},
    {"std::nouppercase"},
    {"std::unitbuf"},
    {"std::nounitbuf"},
};

}  // namespace

const ManipulatorRow* find_manipulator(std::string_view name) {
  for (const std::string_view scope : {"::", "std::"})
    if (name.starts_with(scope)) name.remove_prefix(scope.size());
  const auto* found = std::find_if(std::begin(kManipulators), std::end(kManipulators),
                                   [&](const auto& row) { return row.name.substr(5) == name; });
  return found == std::end(kManipulators) ? nullptr : found;
}

const ManipulatorRow* manipulator_of(const cell::Expression& expression) {
  if (const auto* name = std::get_if<cell::Name>(&expression.node)) {
    const auto* row = find_manipulator(name->text);
    return row != nullptr && !row->takes_argument() ? row : nullptr;
  }
  const auto* call = std::get_if<cell::Call>(&expression.node);
  const auto* name = call == nullptr ? nullptr : std::get_if<cell::Name>(&call->callee->node);
  const auto* row = name == nullptr || call->arguments.size() != 1 ? nullptr : find_manipulator(name->text);
  return row != nullptr && row->takes_argument() ? row : nullptr;
}

const ManipulatorRow* manipulator_of_member(std::string_view member) {
  if (member == "precision") return find_manipulator("std::setprecision");
  if (member == "width") return find_manipulator("std::setw");
  if (member == "fill") return find_manipulator("std::setfill");
  if (member == "flush") return find_manipulator("std::flush");
  return nullptr;
}

std::optional<StreamName> find_stream(const cell::Expression& expression) {
  const auto* name = std::get_if<cell::Name>(&expression.node);
  if (name == nullptr) return std::nullopt;
  std::string_view text = name->text;
  if (text.starts_with("::")) text.remove_prefix(2);
  if (text == "std::cout") return StreamName::out;
  if (text == "std::cerr" || text == "std::clog") return StreamName::errors;
  return std::nullopt;
}

std::optional<StreamOutput> stream_output(const cell::Binary& binary) {
  std::vector<const cell::Expression*> operands;
  const auto* left = &binary;
  for (;;) {
    if (left->op != cell::BinaryOperator::shift_left) return std::nullopt;
    operands.push_back(left->right.get());
    const auto* inner = std::get_if<cell::Binary>(&left->left->node);
    if (inner == nullptr) break;
    left = inner;
  }
  const auto stream = find_stream(*left->left);
  if (!stream) return std::nullopt;
  std::reverse(operands.begin(), operands.end());
  return StreamOutput{*stream, std::move(operands)};
}

bool is_stream_output(const cell::Binary& binary) { return stream_output(binary).has_value(); }

}  // namespace xcuda::language
