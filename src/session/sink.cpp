#include "session/sink.hpp"

#include "base/error.hpp"

namespace xcuda::session {

std::string Sink::ask(const Question&) {
  throw Error(ErrorKind::unsupported, "input() cannot ask anybody here")
      .advise("A notebook that runs without its user (nbconvert, papermill) has to give the value in a cell.");
}

}  // namespace xcuda::session
