#include "display/chart/simplified.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace xcuda::display {
namespace {

using Step = Path::Step;

// From a point to the nearest one between two others.
double distance(const Step& point, const Step& from, const Step& to) {
  const double dx = to.x - from.x, dy = to.y - from.y, length = dx * dx + dy * dy;
  const double along =
      length > 0 ? std::clamp(((point.x - from.x) * dx + (point.y - from.y) * dy) / length, 0.0, 1.0) : 0;
  return std::hypot(point.x - from.x - along * dx, point.y - from.y - along * dy);
}

// Which of the points from `begin` to `end` (included) stay.
void mark(const std::vector<Step>& steps, std::vector<bool>& stays, std::pair<std::size_t, std::size_t> run,
          double tolerance) {
  std::vector<std::pair<std::size_t, std::size_t>> parts = {run};
  while (!parts.empty()) {
    const auto [begin, end] = parts.back();
    parts.pop_back();
    stays[begin] = stays[end] = true;
    double greatest = tolerance;
    std::size_t farthest = begin;
    for (auto i = begin + 1; i < end; ++i)
      if (const double far = distance(steps[i], steps[begin], steps[end]); far > greatest) {
        greatest = far;
        farthest = i;
      }
    if (farthest == begin) continue;
    parts.emplace_back(begin, farthest);
    parts.emplace_back(farthest, end);
  }
}

}  // namespace

Path simplified(const Path& path, double tolerance) {
  const auto& steps = path.steps();
  std::vector<bool> stays(steps.size());
  for (std::size_t begin = 0; begin < steps.size();) {
    auto end = begin + 1;
    while (end < steps.size() && steps[end].kind == Step::Kind::line) ++end;
    mark(steps, stays, {begin, end - 1}, tolerance);
    begin = end;
  }
  Path fewer;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (stays[i]) fewer.add(steps[i]);
  return fewer;
}

}  // namespace xcuda::display
