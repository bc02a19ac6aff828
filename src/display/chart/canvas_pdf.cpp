// One page of PDF 1.4 that needs nothing else: nbconvert's LaTeX takes it as it is, where an SVG would need Inkscape.
// Pictures are the compressed rows of their PNG, which PDF reads with PNG's predictors.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "base/text.hpp"
#include "display/chart/canvas.hpp"
#include "display/chart/deflate.hpp"

namespace xcuda::display {
namespace {

constexpr double kPointsPerPixel = 0.75;

// Helvetica's widths from blank to tilde, in thousandths of its size.
constexpr std::uint16_t kWidths[] = {278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
                                     556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
                                     1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
                                     667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
                                     333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
                                     556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584};

// Windows' code page 1252, in which the fonts are addressed.
std::string encoded(std::string_view text) {
  static constexpr std::pair<std::uint32_t, unsigned char> kSigns[] = {
      {0x2013, 0x96}, {0x2014, 0x97}, {0x2018, 0x91}, {0x2019, 0x92}, {0x201C, 0x93}, {0x201D, 0x94},
      {0x2022, 0x95}, {0x2026, 0x85}, {0x20AC, 0x80}, {0x2212, '-'},  {0x03BC, 0xB5}};
  std::string out;
  const auto valid = valid_utf8(text);
  for (std::size_t at = 0; at < valid.size();) {
    const auto first = static_cast<unsigned char>(valid[at]);
    const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    std::uint32_t code = length == 1 ? first : first & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) code = code << 6 | (static_cast<unsigned char>(valid[at + i]) & 0x3F);
    at += length;
    const auto sign =
        std::find_if(std::begin(kSigns), std::end(kSigns), [&](const auto& known) { return known.first == code; });
    if (sign != std::end(kSigns))
      out += static_cast<char>(sign->second);
    else
      out += (code >= 0x20 && code < 0x7F) || (code >= 0xA0 && code <= 0xFF) ? static_cast<char>(code) : '?';
  }
  return out;
}

double width_of(std::string_view letters, double size) {
  double width = 0;
  for (const char c : letters) width += c >= ' ' && c <= '~' ? kWidths[c - ' '] : 556;
  return width * size / 1000;
}

// A string of PDF, in which brackets and what is not ASCII are escaped.
std::string literal(std::string_view letters) {
  std::string out = "(";
  for (const char c : letters) {
    if (c == '(' || c == ')' || c == '\\')
      out += fmt::format("\\{}", c);
    else if (static_cast<unsigned char>(c) >= 0x80)
      out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + ")";
}

std::string colour_text(std::string_view colour) {
  const auto channel = [&](std::size_t at) {
    return static_cast<double>(std::stoul(std::string(colour.substr(at, 2)), nullptr, 16)) / 255;
  };
  return fmt::format("{:.3g} {:.3g} {:.3g}", channel(1), channel(3), channel(5));
}

struct PngParts {
  std::uint32_t width = 0, height = 0;
  std::string palette, rows;
};
PngParts parts_of(std::span<const std::byte> png) {
  PngParts parts;
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | std::to_integer<std::uint32_t>(png[at + i]);
    return value;
  };
  for (std::size_t at = 8; at + 12 <= png.size();) {  // after the signature: length, name, content, checksum
    const std::size_t length = number(at);
    const std::string_view file(reinterpret_cast<const char*>(png.data()), png.size());
    const auto name = file.substr(at + 4, 4), content = file.substr(at + 8, length);
    if (name == "IHDR") {
      parts.width = number(at + 8);
      parts.height = number(at + 12);
    }
    if (name == "PLTE") parts.palette = content;
    if (name == "IDAT") parts.rows += content;
    at += length + 12;
  }
  return parts;
}

class PdfCanvas final : public Canvas {
 public:
  void line(double x1, double y1, double x2, double y2, const Ink& ink) override {
    Path path;
    path.move(x1, y1);
    path.line(x2, y2);
    page_ += fmt::format("q 0 J {}Q\n", stroked(path, ink));
  }
  void stroke(const Path& path, const Ink& ink) override {
    page_ += fmt::format("q 1 J 1 j {}Q\n", stroked(path, ink));
  }
  void fill(const Path& path, const Ink& ink) override {
    page_ += fmt::format("q {}{} rg\n{}f Q\n", opacity(ink), colour_text(ink.colour), steps_text(path));
  }

  void words(const Words& words) override {
    const auto letters = encoded(words.text);
    const double bold = words.face == Words::Face::strong ? 1.07 : 1;
    const double back = width_of(letters, words.size) * bold *
                        (words.anchor == Words::Anchor::start    ? 0
                         : words.anchor == Words::Anchor::middle ? 0.5
                                                                 : 1);
    const bool up = words.direction == Words::Direction::up;
    const auto at = up ? fmt::format("0 -1 -1 0 {:.1f} {:.1f}", words.x, words.y + back)
                       : fmt::format("1 0 0 -1 {:.1f} {:.1f}", words.x - back, words.y);
    page_ += fmt::format("BT {} rg /F{} {:.1f} Tf {} Tm {} Tj ET\n", colour_text(kInk), static_cast<int>(words.face),
                         words.size, at, literal(letters));
  }

  void picture(const Box& box, std::span<const std::byte> png) override {
    pictures_.push_back(parts_of(png));
    page_ += fmt::format("q {:.1f} 0 0 {:.1f} {:.1f} {:.1f} cm /P{} Do Q\n", box.width, -box.height, box.x,
                         box.y + box.height, pictures_.size() - 1);
  }

  void begin_clip(const Box& box) override {
    page_ += fmt::format("q {:.1f} {:.1f} {:.1f} {:.1f} re W n\n", box.x, box.y, box.width, box.height);
  }
  void end_clip() override { page_ += "Q\n"; }

  std::string finish(double width, double height, std::string_view description) override {
    const double wide = width * kPointsPerPixel, high = height * kPointsPerPixel;
    std::string resources = "/Font <<", shades = "/ExtGState <<", pictures = "/XObject <<";
    static constexpr std::string_view kFonts[] = {"Helvetica", "Helvetica-Bold", "Helvetica-Oblique"};
    for (std::size_t i = 0; i < std::size(kFonts); ++i)
      resources +=
          fmt::format(" /F{} << /Type /Font /Subtype /Type1 /BaseFont /{} /Encoding /WinAnsiEncoding >>", i, kFonts[i]);
    for (const auto& [opacity, name] : opacities_)
      shades += fmt::format(" /{0} << /CA {1:.2f} /ca {1:.2f} >>", name, opacity / 100.0);
    for (std::size_t i = 0; i < pictures_.size(); ++i) pictures += fmt::format(" /P{} {} 0 R", i, 5 + i);
    resources += " >> " + shades + " >> " + pictures + " >>";
    std::vector<std::string> objects = {
        "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        fmt::format("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {:.1f} {:.1f}] /Contents 4 0 R /Resources << {} >> >>",
                    wide, high, resources),
        // Pixels from the top left become points from the bottom left.
        stream("/Filter /FlateDecode",
               deflated(fmt::format("{0} 0 0 -{0} 0 {1:.1f} cm\n", kPointsPerPixel, high) + page_))};
    for (const auto& picture : pictures_) objects.push_back(picture_object(picture));
    objects.push_back(fmt::format("<< /Title {} >>", literal(encoded(description))));

    std::string file = "%PDF-1.4\n%\xE2\xE3\xCF\xD3\n", places;
    for (std::size_t i = 0; i < objects.size(); ++i) {
      places += fmt::format("{:010} 00000 n \n", file.size());
      file += fmt::format("{} 0 obj\n{}\nendobj\n", i + 1, objects[i]);
    }
    const auto count = objects.size() + 1;
    const auto table = file.size();
    return file + fmt::format(
                      "xref\n0 {0}\n0000000000 65535 f \n{1}trailer\n<< /Size {0} /Root 1 0 R /Info {2} 0 R "
                      ">>\nstartxref\n{3}\n%%EOF\n",
                      count, places, objects.size(), table);
  }

 private:
  static std::string stream(std::string_view entries, std::string_view content) {
    return fmt::format("<< {} /Length {} >>\nstream\n{}\nendstream", entries, content.size(), content);
  }

  static std::string picture_object(const PngParts& png) {
    std::string palette;
    for (const char c : png.palette) palette += fmt::format("{:02x}", static_cast<unsigned char>(c));
    // The first colour means NaN and is not painted.
    return stream(fmt::format("/Type /XObject /Subtype /Image /Width {0} /Height {1} /BitsPerComponent 8 /ColorSpace "
                              "[/Indexed /DeviceRGB {2} <{3}>] "
                              "/Mask [0 0] /Filter /FlateDecode /DecodeParms << /Predictor 15 /Colors 1 "
                              "/BitsPerComponent 8 /Columns {0} >>",
                              png.width, png.height, png.palette.size() / 3 - 1, palette),
                  png.rows);
  }

  // Whole units, as in the SVG: they compress better than tenths.
  static std::string steps_text(const Path& path) {
    const auto whole = [unit = path.unit](double pixels) {
      return static_cast<double>(std::lround(pixels / unit)) * unit;
    };
    std::string text;
    for (const auto& step : path.steps()) switch (step.kind) {
        case Path::Step::Kind::move: text += fmt::format("{} {} m\n", whole(step.x), whole(step.y)); break;
        case Path::Step::Kind::line: text += fmt::format("{} {} l\n", whole(step.x), whole(step.y)); break;
        case Path::Step::Kind::dot: text += fmt::format("{0} {1} m {0} {1} l\n", whole(step.x), whole(step.y)); break;
        case Path::Step::Kind::bar:
          text +=
              fmt::format("{:.1f} {:.1f} {:.1f} {:.1f} re\n", step.x, step.y, step.to_x - step.x, step.to_y - step.y);
          break;
      }
    return text;
  }

  std::string stroked(const Path& path, const Ink& ink) {
    return fmt::format("{}{} RG {:.1f} w\n{}S ", opacity(ink), colour_text(ink.colour), ink.width, steps_text(path));
  }

  std::string opacity(const Ink& ink) {
    if (ink.opacity >= 1) return "";
    const int hundredths = static_cast<int>(std::lround(ink.opacity * 100));
    return fmt::format("/{} gs ", opacities_.try_emplace(hundredths, fmt::format("G{}", hundredths)).first->second);
  }

  std::string page_;
  std::vector<PngParts> pictures_;
  std::map<int, std::string> opacities_;  // by hundredths
};

}  // namespace

std::unique_ptr<Canvas> pdf_canvas() { return std::make_unique<PdfCanvas>(); }

}  // namespace xcuda::display
