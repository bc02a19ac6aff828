#include "cell/line_accesses.hpp"

#include <gtest/gtest.h>

#include <string>

namespace xcuda::cell {
namespace {

std::string text_of(std::string_view line, Span span) {
  return std::string(line.substr(span.begin, span.end - span.begin));
}

// "r x[i]", "w out[i]", "rw s[t]", "a atomicAdd(&n, 1)" of a line; names alone are left out.
std::vector<std::string> accesses(std::string_view line) {
  std::vector<std::string> found;
  for (const auto& access : accesses_of_line(line)) {
    if (access.kind == LineAccess::Kind::name) continue;
    const auto role = access.kind == LineAccess::Kind::atomic
                          ? "a"
                          : std::string(access.reads ? "r" : "") + (access.writes ? "w" : "");
    found.push_back(role + " " + text_of(line, access.span));
  }
  return found;
}
using Found = std::vector<std::string>;

TEST(LineAccesses, SubscriptsAreReadOrWritten) {
  EXPECT_EQ(accesses("  out[i] = a * x[i] + y[i - 1];  // z[i]"), (Found{"w out[i]", "r x[i]", "r y[i - 1]"}));
  EXPECT_EQ(accesses("if (t < k) s[t] += s[t + k];"), (Found{"rw s[t]", "r s[t + k]"}));
  EXPECT_EQ(accesses("tile[y][x + 1] >>= 1; ++count[b]; n[0]--;"),
            (Found{"rw tile[y][x + 1]", "rw count[b]", "rw n[0]"}));
  EXPECT_EQ(accesses("if (x[i] >= 2 && y[i] == 1) return;"), (Found{"r x[i]", "r y[i]"}));
  EXPECT_EQ(accesses("x[where[i]] = 1;"), (Found{"w x[where[i]]", "r where[i]"}));
}

TEST(LineAccesses, MembersAndPointersAreFollowed) {
  EXPECT_EQ(accesses("p[i].v.x = node->next->v[2].y;"), (Found{"w p[i].v.x", "r node->next->v[2].y"}));
  EXPECT_EQ(accesses("*out += *(x + i) * 2;"), (Found{"rw *out", "r *(x + i)"}));
  EXPECT_EQ(accesses("return *p++;"), (Found{"r *p++"}));
  EXPECT_EQ(accesses("float* p = x + a * b;"), Found{});
  EXPECT_EQ(accesses("*(int*)(c + 1) = 3; v = *(float*)&p[i];"),
            (Found{"w *(int*)(c + 1)", "r *(float*)&p[i]", "r p[i]"}));
  EXPECT_EQ(accesses("*reinterpret_cast<int4*>(c + i) = v;"), (Found{"w *reinterpret_cast<int4*>(c + i)"}));
  EXPECT_EQ(accesses("y[i] = x[i].length();"), (Found{"w y[i]", "r x[i]"}));
  EXPECT_EQ(accesses("load(&x[i], y & z[i]);"), (Found{"rw x[i]", "r z[i]"}));
}

TEST(LineAccesses, AnAtomicIsItsWholeCall) {
  EXPECT_EQ(accesses("if (!t) atomicAdd(&bins[b], part[i]);"), (Found{"a atomicAdd(&bins[b], part[i])", "r part[i]"}));
  EXPECT_EQ(accesses("ref.fetch_add(x[i]);"), (Found{"a ref.fetch_add(x[i])", "r x[i]"}));
}

TEST(LineAccesses, BrokenLinesAreReadAsFarAsTheyGo) {
  EXPECT_EQ(accesses("x[i] = y[f(1,"), (Found{"w x[i]", "r y[f(1,"}));
  EXPECT_EQ(accesses("*"), Found{});
  EXPECT_EQ(accesses("#define A x[i] = 1"), Found{});
  EXPECT_EQ(accesses(""), Found{});
}

TEST(LineAccesses, CallsAndCode) {
  constexpr std::string_view kLine = "  if (t < 32) block.sync(); else __syncthreads();  // both";
  const auto calls = calls_of_line(kLine, "__sync");
  ASSERT_EQ(calls.size(), 1);
  EXPECT_EQ(text_of(kLine, calls[0]), "__syncthreads()");
  ASSERT_EQ(calls_of_line(kLine, "sync").size(), 1);
  EXPECT_EQ(text_of(kLine, calls_of_line(kLine, "sync")[0]), "block.sync()");
  EXPECT_EQ(text_of(kLine, code_of_line(kLine)), "if (t < 32) block.sync(); else __syncthreads();");
  EXPECT_EQ(code_of_line("  "), Span{});
}

}  // namespace
}  // namespace xcuda::cell
