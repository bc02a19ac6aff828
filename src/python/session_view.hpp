// The session as Python sees it: its memory, its arrays, its scalars.
#pragma once

#include "base/channel.hpp"
#include "python/python_client.hpp"
#include "session/session.hpp"

namespace xcuda::python {

// Puts "epoch", "pieces", "arrays" and "scalars" into the head, and descriptors of memory that the process does not
// have yet into the files; the arrays are lent from then on. At most 16 pieces travel with one message: `more` says
// that there are others.
struct View {
  Message message;
  bool more = false;
};
View view_of(session::Session& session, Client& client);

// An element's type: "f4", "bfloat16", "V12", or the members of a struct with their offsets.
nlohmann::json type_spec(session::Session& session, const Type& type);

}  // namespace xcuda::python
