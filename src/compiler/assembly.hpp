// One translation unit put together: which pieces of earlier cells are needed, in which order, and their text.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/compile_output.hpp"
#include "compiler/unit.hpp"
#include "compiler/user_headers.hpp"

namespace xcuda::compiler {

struct PieceAt {
  const Unit* unit = nullptr;
  std::size_t piece = 0;
};
// Pieces that are alive, kernels too, by name.
using PieceIndex = std::unordered_multimap<std::string, PieceAt>;
PieceIndex index_of(const std::vector<const Unit*>& units);

class Assembly {
 public:
  // units: the earlier cells that count, in order. cell: the new one, or null.
  Assembly(std::vector<const Unit*> units, const Unit* cell, const CompileOptions& options);

  // For names in the cell's own text, only these definitions of other cells count.
  void restrict_to(const std::map<std::string, std::string>& used);
  void need_kernel(const PieceAt& kernel);  // for an instance of a template
  void need_text(std::string_view text);    // its identifiers

  // Fills source, headers, include folders and variables; the rest of the request is the caller's.
  CompileRequest finish();
  // Instead of finish(): the definitions of other cells that the unit takes, by name.
  std::map<std::string, std::string> used();

 private:
  const Piece& piece_of(const PieceAt& at) const { return at.unit->pieces[at.piece]; }
  bool is_needed(const Unit& unit, std::size_t piece) const;
  void close();
  void need_name(const std::string& name);
  void need_own_name(const std::string& name);  // a name that the cell's text uses
  bool is_replaced(const Piece& piece) const;   // by what the cell defines
  void need_piece(const PieceAt& at);
  void need_kernels_of(const Unit& unit, const Piece& piece);
  bool is_constant(const Piece& host_constant) const;
  std::vector<const Unit*> ordered() const;

  std::string option_macros() const;
  enum class Includes : std::uint8_t { all, needed };
  std::string includes(const Unit& unit, Includes which);
  bool is_left_out(const Piece& include) const;
  std::string raw_includes(const std::vector<const Unit*>& order);
  std::string body(const Unit& unit);
  std::string live_macros() const;
  std::string cell_text();
  std::string include_line(const Unit& unit, const Piece& piece);
  std::string macro_of(const SeenMacro& macro) const;
  KeptText kept_pieces(const Unit& unit) const;

  std::vector<const Unit*> units_;
  const Unit* cell_;
  const CompileOptions& options_;
  PieceIndex index_;
  std::unordered_set<std::string> names_;                   // seen
  std::unordered_set<std::string> wanted_;                  // of these, whose definitions count
  std::optional<std::unordered_set<std::string>> allowed_;  // see restrict_to
  std::unordered_set<std::string> launched_;                // named where kernels are launched
  std::vector<PieceAt> only_launched_;                      // kernels that are needed for nothing else
  std::vector<std::string> pending_;
  std::unordered_map<const Unit*, std::set<std::size_t>> needed_;
  UserHeaders headers_;
  bool includes_seen_ = false;
};

}  // namespace xcuda::compiler
