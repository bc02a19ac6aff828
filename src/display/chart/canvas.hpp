// The canvas of a chart: lines, paths, words and pictures in pixels from the top left, as SVG or as a page of PDF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace xcuda::display {

struct Ink {
  std::string_view colour = "#808080";
  double width = 1, opacity = 1;
  bool operator==(const Ink&) const = default;
};

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};

// Lines that are joined, dots and bars, which are drawn together.
class Path {
 public:
  struct Step {
    enum class Kind : std::uint8_t { move, line, dot, bar } kind;
    double x = 0, y = 0, to_x = 0, to_y = 0;  // to: the opposite corner of a bar
  };
  // Coordinates are written as whole multiples of it, in pixels.
  double unit = 0.5;

  void add(const Step& step) { steps_.push_back(step); }
  void move(double x, double y) { steps_.push_back({Step::Kind::move, x, y}); }
  void line(double x, double y) { steps_.push_back({Step::Kind::line, x, y}); }
  void dot(double x, double y) { steps_.push_back({Step::Kind::dot, x, y}); }
  void bar(double x, double y, double to_x, double to_y) { steps_.push_back({Step::Kind::bar, x, y, to_x, to_y}); }
  const std::vector<Step>& steps() const { return steps_; }

 private:
  std::vector<Step> steps_;
};

struct Words {
  enum class Anchor : std::uint8_t { start, middle, end } anchor = Anchor::start;
  enum class Face : std::uint8_t { plain, strong, slanted } face = Face::plain;
  enum class Direction : std::uint8_t { across, up } direction = Direction::across;
  double x = 0, y = 0;  // of the anchor, on the base line
  std::string text;
  double size = 11;
};

class Canvas {
 public:
  virtual ~Canvas() = default;
  virtual void line(double x1, double y1, double x2, double y2, const Ink& ink) = 0;
  virtual void stroke(const Path& path, const Ink& ink) = 0;  // round ends: a dot is a disc of the ink's width
  virtual void fill(const Path& path, const Ink& ink) = 0;
  virtual void words(const Words& words) = 0;
  // A file of PNG with a palette; its pixels stay squares of one colour.
  virtual void picture(const Box& box, std::span<const std::byte> png) = 0;
  virtual void begin_clip(const Box& box) = 0;
  virtual void end_clip() = 0;
  virtual std::string finish(double width, double height, std::string_view description) = 0;
};

inline constexpr std::string_view kInk = "#595959", kPaper = "#ffffff";  // of words, and of their background

std::unique_ptr<Canvas> svg_canvas();
// Helvetica, which every reader has: Latin letters and signs, others become question marks.
std::unique_ptr<Canvas> pdf_canvas();

}  // namespace xcuda::display
