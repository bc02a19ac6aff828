#include "kernel/page_styles.hpp"

#include <utility>

#include "display/html.hpp"

namespace xcuda::kernel {

void PageStyles::begin(std::optional<std::string> cell) {
  cell_ = std::move(cell);
  clear();
}

void PageStyles::clear() {
  if (cell_ == holder_) holder_.reset();
}

nlohmann::json PageStyles::dressed(nlohmann::json data) {
  const auto html = data.find(display::kHtmlMime);
  if (!cell_ || html == data.end() || !html->is_string()) return data;
  const auto& text = html->get_ref<const std::string&>();
  auto bare = display::with_styles(text, display::Styles::none);
  if (bare.size() == text.size()) return data;  // it is not of this project
  *html = holder_ ? std::move(bare) : display::with_styles(text, display::Styles::all);
  if (!holder_) holder_ = cell_;
  return data;
}

}  // namespace xcuda::kernel
