// What xcuda-files does: decodes files that others made, for the session, which gives it their descriptors.
//
// Verbs: buffer {bytes} with a descriptor, which is not answered: two halves of memory, where elements go. open {kind,
// name, member, scalar, extents} (those of an ArrayRequest) with a descriptor, answered with {type, shape}; it closes
// the file before. read {}, answered with {half,
// bytes}: which half holds the next elements; the other one is filled while the session takes them. module {name,
// source, architecture, kind} with PTX or a CUBIN in the body, answered with a CompileOutput. Any answer may be
// {error}.
#pragma once

#include "base/channel.hpp"

namespace xcuda::files {

void serve(Channel& channel);

}  // namespace xcuda::files
