#include "display/bundle.hpp"

#include "base/control_characters.hpp"
#include "base/text.hpp"
#include "display/html.hpp"

namespace xcuda::display {

Bundle text_bundle(std::string_view text) {
  Bundle bundle;
  bundle.data[kTextMime] = show_controls(valid_utf8(text));
  return bundle;
}

Bundle listing_bundle(std::string_view title, std::string_view text) {
  Bundle bundle = text_bundle(title.empty() ? std::string(text) : std::string(title) + "\n\n" + std::string(text));
  bundle.data[kHtmlMime] =
      html_output((title.empty() ? "" : heading(title, {})) + element("pre", "xc-block", valid_utf8(text)));
  return bundle;
}

std::string plain(const Bundle& bundle) { return bundle.data.value(kTextMime, std::string()); }

}  // namespace xcuda::display
