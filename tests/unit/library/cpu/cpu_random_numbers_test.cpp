#include "library/cpu/cpu_random_numbers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "library/cpu/normal_quantile.hpp"

namespace xcuda::library {
namespace {

// What the host generators of cuRAND 10.4.0 give for seed 1234: numbers of 100,000 at some places. `far` are words from
// offset 300,000 on.
struct Golden {
  Generator generator;
  std::vector<std::size_t> places;
  std::vector<std::uint32_t> words;
  std::vector<float> singles;
  std::vector<double> doubles;
  std::vector<float> normals;
  std::vector<double> wide_normals;
  std::vector<std::uint32_t> far;
};
const std::vector<Golden>& golden() {
  static const std::vector<Golden> list = {
      // clang-format off
{Generator::philox,
 {0, 1, 2, 4095, 4096, 65537, 81921, 99999},
 {0x2090b348, 0xda7cf0ab, 0x4401906f, 0x3aad5500, 0x7a6635c0, 0x876776ab, 0x6651d88e, 0xd0162565},
 {0x1.04859ap-3F, 0x1.b4f9e2p-1F, 0x1.100642p-2F, 0x1.d56aa8p-3F, 0x1.e998d8p-2F, 0x1.0eceeep-1F, 0x1.994762p-2F, 0x1.a02c4ap-1F},
 {0x1.b4f9e35f0b348p-1, 0x1.97948a5c19070p-1, 0x1.cbe178b76f1acp-4, 0x1.9e18af1fe18d8p-1, 0x1.b9a579298d702p-3, 0x1.d25d658d66bccp-1, 0x1.79679a818b2bdp-2, 0x1.d25c0b91d1195p-2},
 {-1.61649048F, 1.22915542F, -1.56054044F, 0.0742003247F, 1.18662775F, -0.515581667F, -0.610327959F, 0.555158079F},
 {-0.53952669590731883, 0.16063334644202293, 1.0081967077372695, 0.10187815007924603, -1.4806033316311182, 0.95622934612700694, -0.9181124451586794, -0.51742855457339143},
 {0x9b661d4c, 0xd1b398e3, 0x5c24684b, 0xeee11787, 0x555e7498, 0x8768e64c, 0x3032ef3a, 0xc8d8e3d7}},
{Generator::xorwow,
 {0, 1, 2, 4095, 4096, 65537, 81921, 99999},
 {0x253d5e15, 0xd1f7605a, 0x8ce6f6f8, 0xe5dcbada, 0x6f558604, 0x57bbdb70, 0x21f19a29, 0x4caa267e},
 {0x1.29eaf0p-3F, 0x1.a3eec0p-1F, 0x1.19cdeep-1F, 0x1.cbb976p-1F, 0x1.bd5618p-2F, 0x1.5eef6ep-2F, 0x1.0f8cd2p-3F, 0x1.32a89ap-2F},
 {0x1.bd561cb7abc2bp-2, 0x1.da53518d7605ap-1, 0x1.9faa2cee6f6f8p-1, 0x1.f9f6378fcbadap-1, 0x1.d216d58cdb5e5p-2, 0x1.fab717ad8a566p-1, 0x1.f26ccad5adcb1p-2, 0x1.17420bfdc315ep-1},
 {0.780973554F, -1.80157816F, -0.280848563F, 1.29743934F, 1.93902695F, -1.58108199F, 0.346150696F, -1.37628675F},
 {0.35873979852445503, -1.239592503223552, -0.091495399773608627, 0.20635353954514107, 1.4438503460964678, 1.1875675527302569, 0.85187399506300776, -0.94283939579750764},
 {0xadb9d548, 0x9f5658bc, 0x39fd4d4f, 0xc9cfb852, 0x9daa8815, 0xacf8750f, 0x91bd4b68, 0x9ca6f51b}},
{Generator::mrg32k3a,
 {0, 1, 2, 4095, 4096, 65537, 81921, 99999},
 {0xc96891f0, 0x26f0d612, 0xef269080, 0xa85b4ff8, 0x9dda211d, 0x222c1537, 0xac5068d7, 0x1373dac0},
 {0x1.92d124p-1F, 0x1.3786b0p-3F, 0x1.de4d22p-1F, 0x1.50b6a0p-1F, 0x1.3bb442p-1F, 0x1.1160aap-3F, 0x1.58a0d2p-1F, 0x1.373dacp-4F},
 {0x1.92d123e0dcbe5p-1, 0x1.3786b09654f63p-3, 0x1.de4d21007cf80p-1, 0x1.50b69ff0e518ap-1, 0x1.3bb4423bbe2a2p-1, 0x1.1160a9bf2feaap-3, 0x1.58a0d1af5b4b3p-1, 0x1.373dac0e19598p-4},
 {-0.360653788F, -0.591281295F, -1.7185365F, 1.30085957F, 0.0452207141F, 0.152860895F, -0.611063361F, -1.55622637F},
 {-0.36065364611174472, -0.59128140374174409, -1.718536061653114, 1.3008596332329811, 0.045220713831235264, 0.1528606011592519, -0.61106336961405983, -1.5562266412426042},
 {0x3a5506fe, 0xc692b781, 0x1616b014, 0xbd44b879, 0xb0f2a009, 0x5db331b8, 0xda78f712, 0xb4390fe0}},
{Generator::mt19937,
 {0, 1, 8, 9, 1000, 1001, 1998, 1999},
 {0x31076b2f, 0x116e000a, 0x6f27143c, 0x22b56bf0, 0xb3649cfd, 0xca4ad444, 0x2866413d, 0x8abaeb4c},
 {0x1.883b5ap-3F, 0x1.16e000p-4F, 0x1.bc9c50p-2F, 0x1.15ab60p-3F, 0x1.66c93ap-1F, 0x1.9495a8p-1F, 0x1.43320ap-3F, 0x1.1575d6p-1F},
 {0x1.883b597c00000p-3, 0x1.16e000a800000p-4, 0x1.bc9c50f200000p-2, 0x1.15ab5f8400000p-3, 0x1.66c939fb00000p-1, 0x1.9495a88900000p-1, 0x1.433209ec00000p-3, 0x1.1575d69900000p-1},
 {-0.872310698F, -1.49020839F, -0.165716484F, -1.10039151F, 0.526570261F, 0.807130337F, -1.0034982F, 0.105258539F},
 {-0.87231070254400211, -1.4902084377231493, -0.16571645244171371, -1.1003915719624495, 0.52657029098600117, 0.80713033810287238, -1.0034981476669058, 0.10525851452784196},
 {}},
{Generator::sobol,
 {0, 1, 2, 4095, 4096, 65537, 81921, 99999},
 {0x00000000, 0x80000000, 0xc0000000, 0x00100000, 0x00180000, 0x80018000, 0x80078000, 0x0ba28000},
 {0x1.000000p-33F, 0x1.000000p-1F, 0x1.800000p-1F, 0x1.000008p-12F, 0x1.800008p-12F, 0x1.000300p-1F, 0x1.000f00p-1F, 0x1.745000p-5F},
 {0x1.000000p-32, 0x1.0000000200000p-1, 0x1.8000000200000p-1, 0x1.000010p-12, 0x1.800010p-12, 0x1.0003000200000p-1, 0x1.000f000200000p-1, 0x1.7450002000000p-5},
 {-6.33795738F, 0.0F, 0.674489737F, -3.48710418F, -3.37714577F, 5.73721663e-05F, 0.000286860828F, -1.69068694F},
 {-6.3379577545537904, 2.9180993729166229e-10, 0.67448975056242511, -3.4871039765916922, -3.3771458188450807, 5.7372459992450955e-05, 0.0002868611364994005, -1.6906869571218086},
 {0x085b6000, 0x885b6000, 0xc85b6000, 0x0c4f6000, 0x084f6000, 0x885ae000, 0x885ce000, 0x02e8a000}}
      // clang-format on
  };
  return list;
}

class RandomNumbers : public testing::Test {
 protected:
  template <class T> std::vector<T> draw(Random random, Scalar type, std::uint64_t count) {
    std::vector<T> numbers(count);
    Call call;
    call.operation = Operation::random;
    call.operands = {{reinterpret_cast<std::uint64_t>(numbers.data()), type, {count}, {1}}};
    call.random = random;
    numbers_.run(call);
    return numbers;
  }
  std::vector<std::uint32_t> words(Random random, std::uint64_t count) {
    random.distribution = Distribution::bits;
    return draw<std::uint32_t>(random, Scalar::uint32, count);
  }
  static Random random_of(const Golden& one, Distribution distribution) {
    return {.generator = one.generator,
            .distribution = distribution,
            .seed = one.generator == Generator::sobol ? 0U : 1234U};
  }

  cpu::RandomNumbers numbers_{2};
};

TEST_F(RandomNumbers, BitsAndUniformNumbersAreCurands) {
  for (const auto& one : golden()) {
    SCOPED_TRACE(generator_names()[static_cast<std::size_t>(one.generator)]);
    const auto count = one.generator == Generator::mt19937 ? 2000 : 100000;  // of mt19937 a stream takes long
    const auto bits = words(random_of(one, Distribution::bits), count);
    const auto singles = draw<float>(random_of(one, Distribution::uniform), Scalar::float32, count);
    const auto doubles = draw<double>(random_of(one, Distribution::uniform), Scalar::float64, count);
    for (std::size_t i = 0; i < one.places.size(); ++i) {
      EXPECT_EQ(bits[one.places[i]], one.words[i]) << one.places[i];
      EXPECT_EQ(singles[one.places[i]], one.singles[i]) << one.places[i];
      EXPECT_EQ(doubles[one.places[i]], one.doubles[i]) << one.places[i];
    }
    if (one.far.empty()) continue;
    auto later = random_of(one, Distribution::bits);
    later.offset = 300000;
    const auto far = words(later, count);
    for (std::size_t i = 0; i < one.places.size(); ++i) EXPECT_EQ(far[one.places[i]], one.far[i]) << one.places[i];
  }
}

TEST_F(RandomNumbers, NormalNumbersDifferFromCurandsByRounding) {
  for (const auto& one : golden()) {
    SCOPED_TRACE(generator_names()[static_cast<std::size_t>(one.generator)]);
    const auto count = one.generator == Generator::mt19937 ? 2000 : 100000;
    const auto singles = draw<float>(random_of(one, Distribution::normal), Scalar::float32, count);
    const auto doubles = draw<double>(random_of(one, Distribution::normal), Scalar::float64, count);
    auto moments = random_of(one, Distribution::lognormal);
    moments.first = 0.5;
    moments.second = 2;
    const auto exponents = draw<double>(moments, Scalar::float64, count);
    for (std::size_t i = 0; i < one.places.size(); ++i) {
      EXPECT_NEAR(singles[one.places[i]], one.normals[i], 6e-7 * std::max(1.0F, std::abs(one.normals[i])));
      EXPECT_NEAR(doubles[one.places[i]], one.wide_normals[i], 6e-15 * std::max(1.0, std::abs(one.wide_normals[i])));
      EXPECT_NEAR(std::log(exponents[one.places[i]]), 0.5 + 2 * one.wide_normals[i], 1e-13);
    }
  }
}

TEST_F(RandomNumbers, DimensionsAndOrderingsOfCurand) {
  Random points{.generator = Generator::sobol, .dimensions = 3};
  const auto sobol = words(points, 3000);
  const std::vector<std::uint32_t> expected = {0, 0x80000000, 0x28400000, 0, 0x80000000, 0x58800000, 0x14c00000};
  std::size_t next = 0;
  for (const std::size_t i : {0, 1, 999, 1000, 1001, 2500, 2999}) EXPECT_EQ(sobol[i], expected[next++]) << i;
  Random legacy{.generator = Generator::mrg32k3a, .ordering = Ordering::legacy, .seed = 1234};
  const auto old = words(legacy, 100000);
  EXPECT_EQ(old[4096], 0x9650c684U);
  EXPECT_EQ(old[99999], 0x89863210U);
}

TEST_F(RandomNumbers, WhatTheCpuDeviceLacksIsSaid) {
  const auto message = [&](const Random& random) {
    try {
      words(random, 12);
    } catch (const Error& error) {
      return error.message;
    }
    return std::string();
  };
  EXPECT_EQ(message({.generator = Generator::xorwow, .ordering = Ordering::seeded}),
            "random numbers of xorwow: the CPU device does not have the ordering \"seeded\"");
  EXPECT_EQ(message({.generator = Generator::sobol, .dimensions = 5}),
            "random numbers of sobol: 12 elements cannot be divided evenly among 5 dimensions");
}

TEST(Random, WhatNoDeviceGives) {
  EXPECT_EQ(refusal({.generator = Generator::xorwow}, 5), "");
  EXPECT_NE(refusal({.generator = Generator::sobol, .seed = 1}, 5).find("no seed"), std::string::npos);
  EXPECT_NE(refusal({.generator = Generator::philox, .ordering = Ordering::seeded}, 5).find("only xorwow"),
            std::string::npos);
  EXPECT_NE(refusal({.generator = Generator::mt19937, .offset = 4}, 5).find("skip"), std::string::npos);
  EXPECT_NE(refusal({.generator = Generator::philox, .offset = 3}, 5).find("multiple of 4"), std::string::npos);
  EXPECT_NE(refusal({.generator = Generator::xorwow, .dimensions = 2}, 4).find("no dimensions"), std::string::npos);
}

TEST(NormalQuantile, IsTheInverseOfTheDistribution) {
  for (const double p : {1e-10, 1e-4, 0.05, 0.3, 0.5, 0.6, 0.99, 0.999999})
    EXPECT_NEAR(0.5 * std::erfc(-cpu::normal_quantile(p) / std::sqrt(2.0)), p, 4e-16 + 1e-14 * p);
}

}  // namespace
}  // namespace xcuda::library
