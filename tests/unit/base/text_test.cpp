#include "base/text.hpp"

#include <gtest/gtest.h>

namespace xcuda {
namespace {

TEST(Text, NearestOffersOnlyLikelyTypingErrors) {
  EXPECT_EQ(nearest("lauch", {"launch", "alloc"}), "launch");
  EXPECT_EQ(nearest("xyzzy", {"launch", "alloc"}), "");
}

TEST(Text, InvalidUtf8IsReplacedByteByByte) {
  EXPECT_EQ(valid_utf8("a\xFF"
                       "b"),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(valid_utf8("µ\xC2"), "µ\xEF\xBF\xBD");
  EXPECT_EQ(valid_utf8("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // a surrogate
  EXPECT_EQ(valid_utf8("\xF0\x9F\x98\x80"), "\xF0\x9F\x98\x80");
}

TEST(Text, HtmlHasNoTagsAndNoEndsOfAttributes) {
  EXPECT_EQ(html_escape("a<b>&\"c\" 'd' \xC3\xA9"), "a&lt;b&gt;&amp;&quot;c&quot; &#39;d&#39; \xC3\xA9");
}

TEST(Text, TailOfAnIncompleteCharacter) {
  EXPECT_EQ(incomplete_utf8_tail("abc"), 0u);
  EXPECT_EQ(incomplete_utf8_tail("ab\xF0\x9F\x98"), 3u);
  EXPECT_EQ(incomplete_utf8_tail("ab\xC2\xB5"), 0u);
}

TEST(Text, CodePointsAndBytes) {
  EXPECT_EQ(bytes_of_code_points("aµb", 2), 3u);
  EXPECT_EQ(code_points_of_bytes("aµb", 3), 2u);
  EXPECT_EQ(bytes_of_code_points("ab", 9), 2u);
}

TEST(Text, LineAndColumn) {
  const auto place = line_column("ab\ncd", 4);
  EXPECT_EQ(place.line, 2);
  EXPECT_EQ(place.column, 2);
  EXPECT_EQ(line_text("ab\ncd", 2), "cd");
}

}  // namespace
}  // namespace xcuda
