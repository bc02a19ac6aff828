// A variable that calls of the interpreter's own making name: it is there while this lives, also if an error ends it.
#pragma once

#include <string>
#include <utility>

#include "session/session.hpp"

namespace xcuda::interpreter {

class LentName {
 public:
  // name: with a blank in it, so that no variable of a cell is hidden.
  LentName(session::Session& session, const std::string& name, session::Variable variable) : names_(session.names()) {
    names_.enter();
    names_.declare(name, std::move(variable));
  }
  ~LentName() { names_.leave(); }
  LentName(const LentName&) = delete;
  LentName& operator=(const LentName&) = delete;

 private:
  session::NameTable& names_;
};

}  // namespace xcuda::interpreter
