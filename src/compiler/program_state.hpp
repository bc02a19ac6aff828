// What a Program keeps, for the files that implement it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/assembly.hpp"
#include "compiler/program.hpp"
#include "compiler/unit.hpp"

namespace xcuda::compiler {

struct Program::State {
  std::vector<std::unique_ptr<Unit>> units;
  std::vector<std::unique_ptr<Unit>> headers;  // the users' own that units include: for look-ups alone
  int next_id = 1;
  std::uint64_t revision = 1;

  const Unit* unit_of(const Origin& origin) const;  // null: of an instance
  std::map<std::string, std::string> used_now(const Origin& origin) const;
  static void see_macros(Unit& unit, const std::vector<const Unit*>& others);
  const Unit* unit_of_cell(const std::string& cell_id) const;
  std::vector<const Unit*> known() const;  // headers, then units: the newest last
  bool is_header(const Unit* unit) const;
  std::vector<const Unit*> all_but(const Unit* left_out) const;
  std::vector<PieceAt> kernel_templates(std::string_view name) const;
};

}  // namespace xcuda::compiler
