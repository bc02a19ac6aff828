// Golden files: tests/golden/display/<sample>.txt holds all MIME types of a bundle. XCUDA_APPROVE=1 writes them anew;
// XCUDA_NOTEBOOK=file.ipynb writes a notebook with all of them, to be looked at.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "base/text.hpp"
#include "tests/places.hpp"
#include "tests/unit/display/small_samples.hpp"

namespace xcuda::display {
namespace {

std::vector<samples::Sample> every_sample() {
  auto samples = samples::all();
  for (auto& one : samples::small()) samples.push_back(std::move(one));
  return samples;
}

// The style sheet is the same everywhere; what differs stands behind it.
std::string without_style(std::string html) {
  const auto begin = html.find("<style>"), end = html.find("</style>");
  if (begin == std::string::npos || end == std::string::npos) return html;
  return html.erase(begin, end + 9 - begin);  // with the newline
}

// One tag a line makes a difference readable.
std::string lines_of_tags(std::string html) {
  for (const std::string tag : {"<tr", "<div", "<table", "<details"})
    for (std::size_t at = html.find(tag, 1); at != std::string::npos; at = html.find(tag, at + 2))
      html.insert(at, 1, '\n');
  return html;
}

std::string golden_text(const Bundle& bundle) {
  std::string text;
  for (const auto& [mime, content] : bundle.data.items()) {
    text += "=== " + mime + "\n";
    if (mime == kPdfMime) continue;  // the drawing of the SVG once more, in base64: Pdf has tests of its own
    text += mime == kHtmlMime     ? lines_of_tags(without_style(content))
            : content.is_string() ? content.get<std::string>()
                                  : content.dump(1);
    text += "\n";
  }
  return text;
}

void expect_golden(const std::string& name, const std::string& text) {
  const auto path = test::source_file("tests/golden/display/") + name + ".txt";
  if (std::getenv("XCUDA_APPROVE") != nullptr) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  ASSERT_TRUE(file) << path << " is missing: approve it with XCUDA_APPROVE=1";
  std::stringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(text, expected.str()) << path << ": if this is right, approve it with XCUDA_APPROVE=1";
}

TEST(Golden, EachKindOfValue) {
  for (const auto& sample : every_sample()) expect_golden(sample.name, golden_text(sample.bundle));
}

// A program that reads a notebook finds each value in JSON, whose schema it can tell.
TEST(Golden, JsonFormsHaveASchema) {
  const std::set<std::string> text_only = {"image_legend", "listing", "machine_code", "ptx", "sass"};
  for (const auto& sample : every_sample()) {
    std::size_t forms = 0;
    for (const auto& [mime, content] : sample.bundle.data.items()) {
      if (!mime.starts_with("application/vnd.xcuda.")) continue;
      ++forms;
      EXPECT_TRUE(mime.ends_with("+json")) << mime;
      EXPECT_EQ(content.value("schema", 0), 1) << sample.name << ", " << mime;
    }
    EXPECT_EQ(forms, text_only.contains(sample.name) ? 0 : 1) << sample.name;
  }
}

TEST(Golden, ColoursOfErrors) {
  std::string text;
  for (const auto& view : {samples::compile_error(), samples::device_fault(), samples::race(), samples::name_error()}) {
    const auto rendered = render_error(view);
    text += rendered.ename + " / " + rendered.evalue + "\n";
    for (const auto& line : rendered.traceback) text += line + "\n";
  }
  for (std::size_t at = text.find('\x1b'); at != std::string::npos; at = text.find('\x1b', at))
    text.replace(at, 1, "^");
  expect_golden("error_colours", text);
}

TEST(Golden, NotebookToLookAt) {
  auto cells = nlohmann::json::array();
  for (const auto& sample : every_sample()) {
    auto data = sample.bundle.data;
    cells.push_back(
        {{"cell_type", "code"},
         {"execution_count", 1},
         {"metadata", nlohmann::json::object()},
         {"source", "// " + sample.name},
         {"outputs", {{{"output_type", "display_data"}, {"metadata", nlohmann::json::object()}, {"data", data}}}}});
  }
  for (const auto& view : {samples::compile_error(), samples::device_fault()}) {
    const auto error = render_error(view);
    cells.push_back({{"cell_type", "code"},
                     {"execution_count", 1},
                     {"metadata", nlohmann::json::object()},
                     {"source", "// " + error.ename},
                     {"outputs",
                      {{{"output_type", "error"},
                        {"ename", error.ename},
                        {"evalue", error.evalue},
                        {"traceback", error.traceback}}}}});
  }
  const nlohmann::json notebook = {
      {"nbformat", 4}, {"nbformat_minor", 4}, {"metadata", nlohmann::json::object()}, {"cells", cells}};
  std::string text;
  ASSERT_NO_THROW(text = notebook.dump(1));
  if (const char* path = std::getenv("XCUDA_NOTEBOOK")) std::ofstream(path) << text;
}

TEST(Bundles, EveryBundleHasPlainTextAndNoScript) {
  for (const auto& sample : every_sample()) {
    EXPECT_FALSE(plain(sample.bundle).empty()) << sample.name;
    const auto html = sample.bundle.data.value(kHtmlMime, std::string());
    EXPECT_EQ(html.find("<script"), std::string::npos) << sample.name;
    for (const auto& [mime, content] : sample.bundle.data.items()) {
      if (!mime.starts_with("application/vnd.xcuda.")) continue;
      EXPECT_EQ(content.value("schema", 0), 1) << sample.name << " " << mime;
    }
  }
}

TEST(Bundles, WhatUsersNameIsEscaped) {
  auto array = samples::big_array();
  array.name = "<script>&";
  array.type.name = "std::pair<int, \"x\">";
  array.type.scalar = Scalar::none;
  const auto html = array_bundle(array).data[kHtmlMime].get<std::string>();
  EXPECT_EQ(html.find("<script>"), std::string::npos);
  EXPECT_NE(html.find("&lt;script&gt;&amp;"), std::string::npos);
  EXPECT_NE(html.find("std::pair&lt;int, &quot;x&quot;&gt;"), std::string::npos);
}

TEST(Bundles, InvalidTextNeverReachesJson) {
  ErrorView view(Error(ErrorKind::value, "bad \xFF byte")
                     .said("\xC3(")
                     .at({.source = "In[1]",
                          .line = 1,
                          .column = 1,
                          .width = 3,
                          .excerpt = "\xFF\xFE"
                                     "x"}));
  EXPECT_NO_THROW(render_error(view).bundle.data.dump());
  const auto rendered = render_error(view);
  EXPECT_NO_THROW(nlohmann::json(rendered.traceback).dump());
  EXPECT_NO_THROW(nlohmann::json(rendered.evalue).dump());
  EXPECT_NO_THROW(text_bundle("\xFF").data.dump());
  EXPECT_NO_THROW(listing_bundle("\xFF", "\xFF").data.dump());
}

std::string excerpt_text(const Place& place) { return styled_excerpt(place, Style::error).text(Colours::none); }

TEST(Excerpts, CaretsStandBelowWhatTheyMark) {
  EXPECT_EQ(excerpt_text({.line = 3, .column = 5, .width = 2, .excerpt = "µ  ab c"}), "   3 | µ  ab c\n     |    ^~\n");
  EXPECT_EQ(excerpt_text({.line = 3, .column = 2, .width = 1, .excerpt = "\tf();"}), "   3 | \tf();\n     | \t^\n");
  EXPECT_EQ(excerpt_text({.line = 1, .column = 99, .width = 9, .excerpt = "ab"}), "   1 | ab\n     |   ^\n");
  EXPECT_EQ(excerpt_text({.line = 1, .column = 1}), "");
}

TEST(Excerpts, LongLinesAreCutAroundThePlace) {
  const std::string line = std::string(500, 'a') + "HERE" + std::string(500, 'b');
  const auto text = excerpt_text({.line = 1, .column = 501, .width = 4, .excerpt = line});
  const auto mark = text.substr(text.rfind('|') + 2);
  const auto shown = text.substr(7, text.find('\n') - 7);
  EXPECT_LT(shown.size(), 160u);
  EXPECT_EQ(mark, std::string(81, ' ') + "^~~~\n");
  EXPECT_EQ(shown.substr(std::string("…").size() + 80, 4), "HERE");
}

// Bytes that are not characters, as of a file that is not UTF-8.
TEST(Excerpts, ALongLineOfBrokenTextIsCutToo) {
  for (const int column : {1, 82, 90, 120, 180}) {
    const auto text = excerpt_text({.line = 1, .column = column, .width = 4, .excerpt = std::string(180, '\x95')});
    EXPECT_LT(text.find('\n'), 10u + 3 * 142) << column;  // each byte is shown as one character of three
    EXPECT_NE(text.find('^'), text.npos) << column;
  }
}

TEST(Diagnostics, TheFirstOnesTell) {
  const auto one = samples::diagnostic(compiler::Severity::error, "again", {});
  const auto text = styled_diagnostics(std::vector<compiler::Diagnostic>(100, one)).text(Colours::none);
  EXPECT_EQ(split_lines(text).size(), 21u);
  EXPECT_EQ(split_lines(text).back(), "... and 80 more diagnostics");
}

TEST(Types, ConstIsWrittenInFront) {
  EXPECT_EQ(declared_type("float const*"), "const float*");
  EXPECT_EQ(declared_type("demo::P const&"), "const demo::P&");
  EXPECT_EQ(declared_type("float*"), "float*");
  EXPECT_EQ(declared_type("float* const*"), "float* const*");
  EXPECT_EQ(declared_type("unsigned long"), "unsigned long");
}

}  // namespace
}  // namespace xcuda::display
