#include "session/sink.hpp"

#include "base/error.hpp"

namespace xcuda::session {

std::string Sink::ask(const Question&) {
  throw Error(ErrorKind::unsupported, "input() has nobody to ask here")
      .advise("A notebook that runs unattended (nbconvert, papermill) must set the value in a cell.");
}

}  // namespace xcuda::session
