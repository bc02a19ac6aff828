// What rows of the C library and of the CUDA Runtime have in common.
#pragma once

#include <string_view>

#include "language/functions.hpp"
#include "language/type_rules.hpp"

namespace xcuda::language::host_rows {

inline Form nothing_given(Given) { return Form::of(Form::Kind::nothing); }
inline Form status(Given) { return Form::number(Kind::int32); }
inline Form truth(Given) { return Form::number(Kind::boolean); }
inline Form of_what_changes(Given) { return {}; }
inline Form of_float(Given) { return Form::number(Kind::float32); }
inline Form of_llong(Given) { return Form::number(Kind::llong64); }
inline Form of_ulong(Given) { return Form::number(Kind::ulong64); }
inline Form of_ullong(Given) { return Form::number(Kind::ullong64); }
inline Form ticks(Given) { return Form::number(Kind::long64); }
inline Form seconds(Given) { return Form::number(Kind::float64); }
inline Form rest_of_text(Given) { return {}; }  // a text, a pointer or nullptr
inline Form a_text(Given) { return Form::of(Form::Kind::text); }
inline Form memory(Given) {
  auto form = Form::array(type_of(Kind::uint8), Extents(1));
  form.memory = Form::Memory::part;
  return form;
}

constexpr Function row(std::string_view name, Operation operation, std::string_view signature, std::string_view help,
                       std::string_view example, Form (*result)(Given)) {
  return {.name = name,
          .signatures = signature,
          .help = help,
          .example = example,
          .operation = operation,
          .result = result};
}

}  // namespace xcuda::language::host_rows
