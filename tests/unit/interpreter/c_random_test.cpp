#include "interpreter/host/c_random.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace xcuda::interpreter {
namespace {

TEST(CRandom, GivesTheNumbersOfTheCLibrary) {
  CRandom random;
  for (const unsigned seed : {1u, 0u, 2u, 42u, 2006u, 2147483647u, 2147483648u, 4294967295u}) {
    std::srand(seed);
    random.seed(seed);
    for (int i = 0; i < 500; ++i) ASSERT_EQ(random.next(), std::rand()) << seed << ' ' << i;
  }
}

}  // namespace
}  // namespace xcuda::interpreter
