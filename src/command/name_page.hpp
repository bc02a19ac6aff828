// The pages that name? and editors show: of a command, a name of the cells, a name of CUDA.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "command/scope.hpp"
#include "display/bundle.hpp"
#include "reference/builtins.hpp"
#include "session/settings.hpp"

namespace xcuda::command {

enum class Detail : std::uint8_t { summary, source };  // name? and name??

std::optional<display::Bundle> name_page(std::string_view name, Detail detail, const Scope& scope);
// The page of a function or kernel whose arguments are being written, with the parameter of this argument marked.
std::optional<display::Bundle> call_page(std::string_view name, std::size_t argument, const Scope& scope);
// The page of a name among a call's arguments: the called function with its parameter marked, then the name's page.
display::Bundle argument_page(std::string_view called, std::size_t argument, display::Bundle page, const Scope& scope);
// The page of an option such as "--repeat" of a command, or of any command where none is named, or of a compile.
std::optional<display::Bundle> option_page(std::string_view name, std::string_view command);
display::Bundle member_page(const reference::Builtin& member, std::string_view type);
display::Bundle setting_page(const session::Setting& setting);

}  // namespace xcuda::command
