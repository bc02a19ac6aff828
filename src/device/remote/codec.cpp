#include "device/remote/codec.hpp"

#include <iterator>
#include <string_view>
#include <utility>

#include "device/remote/protocol.hpp"

namespace xcuda::device::remote {

namespace {

struct VerbText {
  std::string_view name, phrase;
};

constexpr VerbText kVerbTexts[] = {
#define XCUDA_VERB(name, phrase) {#name, phrase},
#include "device/remote/verbs.def"
#undef XCUDA_VERB
};

// A byte from the wire may not be a verb.
VerbText text_of(Verb verb) {
  const auto at = static_cast<std::size_t>(verb);
  return at < std::size(kVerbTexts) ? kVerbTexts[at] : VerbText{"unknown", "do something unknown"};
}

}  // namespace

std::string_view verb_name(Verb verb) { return text_of(verb).name; }
std::string_view verb_phrase(Verb verb) { return text_of(verb).phrase; }

ErrorText to_text(const Error& error) {
  return {error.kind, error.message, error.library, error.advice, error.notes, error.place};
}

Error to_error(ErrorText text) {
  Error error(text.kind, std::move(text.message));
  error.library = std::move(text.library);
  error.advice = std::move(text.advice);
  error.notes = std::move(text.notes);
  error.place = std::move(text.place);
  return error;
}

}  // namespace xcuda::device::remote
