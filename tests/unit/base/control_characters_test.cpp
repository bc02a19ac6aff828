#include "base/control_characters.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace xcuda {
namespace {

TEST(ControlCharacters, BecomePicturesOfTheSameWidth) {
  EXPECT_EQ(show_controls("a\x1b]0;title\x07"
                          "b"),
            "a␛]0;title␇b");
  EXPECT_EQ(show_controls(std::string_view("\0\x7f", 2)), "␀␡");
  EXPECT_EQ(show_controls("over\rwritten"), "over␍written");
  EXPECT_EQ(show_controls("\xC2\x9B"
                          "31m"),
            "\xEF\xBF\xBD"
            "31m");  // CSI in one character
}

TEST(ControlCharacters, LinesTabsAndLettersStay) {
  EXPECT_EQ(show_controls("a\tb\r\nc\n"), "a\tb\r\nc\n");
  EXPECT_EQ(show_controls("é ü \xC2\xA0 日本"), "é ü \xC2\xA0 日本");
  EXPECT_EQ(show_controls("\xC2"), "\xC2");
}

TEST(ControlCharacters, AreNotInHtml) { EXPECT_EQ(html_escape("<a\x01\x1b>\n"), "&lt;a␁␛&gt;\n"); }

}  // namespace
}  // namespace xcuda
