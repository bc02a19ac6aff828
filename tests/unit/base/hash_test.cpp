#include "base/hash.hpp"

#include <gtest/gtest.h>

namespace xcuda {
namespace {

TEST(Hash, KnownDigestAndPartsWithLengths) {
  // The digest of eight zero bytes, the length of an empty part; sha256sum says the same.
  EXPECT_EQ(Sha256().add("").hex(), "af5570f5a1810b7af78caf4bc70a660f0df51e42baf91d4de5b2328de0e83dfc");
  EXPECT_NE(Sha256().add("ab").add("c").hex(), Sha256().add("a").add("bc").hex());
  EXPECT_EQ(Sha256().add(5).hex(), Sha256().add(5).hex());
  EXPECT_NE(Sha256().add(5).hex(), Sha256().add(6).hex());
}

}  // namespace
}  // namespace xcuda
