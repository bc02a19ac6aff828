// The page of PDF that a chart has beside its SVG.
#include <gtest/gtest.h>

#include <zlib.h>

#include <charconv>

#include "display/chart/canvas.hpp"
#include "display/chart/chart.hpp"
#include "display/png.hpp"
#include "tests/unit/display/samples.hpp"

namespace xcuda::display {
namespace {

std::size_t number_at(const std::string& text, std::size_t at) {
  std::size_t value = 0;
  std::from_chars(text.data() + at, text.data() + text.size(), value);
  return value;
}

// Every object stands where the table at the end says, and every stream is as long as it says.
void expect_well_formed(const std::string& pdf) {
  ASSERT_TRUE(pdf.starts_with("%PDF-1.4\n"));
  ASSERT_TRUE(pdf.ends_with("%%EOF\n"));
  const auto table = number_at(pdf, pdf.rfind("startxref\n") + 10);
  ASSERT_EQ(pdf.substr(table, 7), "xref\n0 ");
  const auto count = number_at(pdf, table + 7);
  const auto first = pdf.find('\n', table + 5) + 1;
  for (std::size_t i = 1; i < count; ++i) {
    const auto head = std::to_string(i) + " 0 obj\n";
    EXPECT_EQ(
        pdf.substr(number_at(pdf, first + 20 * i + pdf.substr(first + 20 * i).find_first_not_of('0')), head.size()),
        head);
  }
  for (auto at = pdf.find("/Length "); at != std::string::npos; at = pdf.find("/Length ", at + 1)) {
    const auto begin = pdf.find("stream\n", at) + 7;
    EXPECT_EQ(pdf.substr(begin + number_at(pdf, at + 8), 10), "\nendstream");
  }
}

// What the page draws: the first stream.
std::string page_of(const std::string& pdf) {
  const auto at = pdf.find("/Filter /FlateDecode");
  const auto begin = pdf.find("stream\n", at) + 7, length = number_at(pdf, pdf.find("/Length ", at) + 8);
  std::string page(1 << 20, '\0');
  uLongf size = page.size();
  if (uncompress(reinterpret_cast<Bytef*>(page.data()), &size, reinterpret_cast<const Bytef*>(pdf.data() + begin),
                 length) != Z_OK)
    return "not compressed";
  page.resize(size);
  return page;
}

TEST(Pdf, IsWellFormed) {
  for (const auto& chart :
       {samples::lines(), samples::bars(), samples::points(), samples::cells(), samples::logarithmic()})
    expect_well_formed(chart_pdf(chart));
}

TEST(Pdf, HasTheWordsAndThePicture) {
  auto chart = samples::cells();
  chart.title = "a (b) \\ µ ± λ";
  const auto pdf = chart_pdf(chart);
  EXPECT_NE(page_of(pdf).find("(a \\(b\\) \\\\ \\265 \\261 ?) Tj"), std::string::npos);
  EXPECT_NE(pdf.find("/Subtype /Image"), std::string::npos);
  EXPECT_NE(pdf.find("/Mask [0 0]"), std::string::npos);
}

TEST(Pdf, WordsEndAtTheirAnchor) {
  const auto canvas = pdf_canvas();
  canvas->words({.anchor = Words::Anchor::end, .x = 100, .y = 50, .text = "000", .size = 10});
  canvas->words(
      {.anchor = Words::Anchor::middle, .direction = Words::Direction::up, .x = 10, .y = 50, .text = "00", .size = 10});
  const auto pdf = page_of(canvas->finish(200, 100, "two words"));
  EXPECT_NE(pdf.find("1 0 0 -1 83.3 50.0 Tm (000) Tj"), std::string::npos);  // three digits of 5.56
  EXPECT_NE(pdf.find("0 -1 -1 0 10.0 55.6 Tm (00) Tj"), std::string::npos);
}

TEST(Pdf, StandsInTheBundle) {
  const auto bundle = chart_bundle(samples::lines());
  EXPECT_TRUE(bundle.data.at(kPdfMime).get<std::string>().starts_with("JVBERi0xLjQK"));  // %PDF-1.4 in base64
}

}  // namespace
}  // namespace xcuda::display
