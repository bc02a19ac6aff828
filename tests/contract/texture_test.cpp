// Textures and surfaces, as every device samples them; the fake has none. The reference follows the CUDA C++
// Programming Guide's appendix on texture fetching with exact weights; those of the hardware have 8 bits of fraction.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/half.hpp"
#include "tests/contract/rig.hpp"

namespace xcuda::device::contract {
namespace {

using Channel = TextureRequest::Channel;
constexpr AddressMode all_modes[] = {AddressMode::wrap, AddressMode::clamp, AddressMode::mirror, AddressMode::border};

class Textures : public Contract {
 protected:
  void SetUp() override {
    Contract::SetUp();
    if (IsSkipped()) return;
    load("textures.ptx");
    in_ = add_memory(0);
    out_ = add_memory(1);
  }

  template <class T> TextureRequest texture_of(const std::vector<T>& values, TextureRequest request) {
    write(in_, values);
    request.id = TextureId{1};
    request.address = in_;
    EXPECT_EQ(request.bytes(), values.size() * sizeof(T));
    return request;
  }

  // A launch whose first parameters are these textures.
  template <class... Arguments>
  void launch_with(std::vector<TextureId> textures, const std::string& entry, std::uint32_t threads,
                   const Arguments&... arguments) {
    auto made = request(entry, threads, arguments...);
    for (std::size_t i = 0; i < textures.size(); ++i)
      made.textures.push_back({textures[i], function(entry).parameters[i].offset,
                               entry == "fetch_line" ? TextureUse::fetched : TextureUse::sampled});
    device().post_launch(made);
  }

  Address in_ = 0, out_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Device, Textures, testing::ValuesIn(contract_devices()),
                         [](const auto& info) { return info.param.name; });

constexpr std::uint64_t no_handle = 0;  // the device writes it

std::vector<float> bumpy(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>((i * 37 + i / 5) % 64) / 8;
  return values;
}

// --- The reference --------------------------------------------------------------------------------------------------

int resolve(int index, int size, AddressMode mode) {  // -1 is outside
  if (index >= 0 && index < size) return index;
  if (mode == AddressMode::wrap) return ((index % size) + size) % size;
  if (mode == AddressMode::mirror) {
    const int period = ((index % (2 * size)) + 2 * size) % (2 * size);
    return period < size ? period : 2 * size - 1 - period;
  }
  if (mode == AddressMode::border) return -1;
  return std::clamp(index, 0, size - 1);
}

struct Reference {
  const TextureRequest& request;
  const std::vector<float>& values;
  double texel(int x, int y, int z) const {
    if (x < 0 || y < 0 || z < 0) return 0;
    return values[(static_cast<std::size_t>(z) * request.rows() + static_cast<std::size_t>(y)) * request.width +
                  static_cast<std::size_t>(x)];
  }
  double sample(const std::array<double, 3>& at) const {
    const std::uint64_t sizes[] = {request.width, request.rows(), std::max<std::uint64_t>(request.depth, 1)};
    int first[3] = {}, second[3] = {};
    double weight[3] = {};
    for (int i = 0; i < request.dimensions(); ++i) {
      const int size = static_cast<int>(sizes[i]);
      AddressMode mode = request.address_mode[i];
      double x = at[static_cast<std::size_t>(i)];
      if (request.normalized_coordinates)
        x *= size;
      else if (mode == AddressMode::wrap || mode == AddressMode::mirror)
        mode = AddressMode::clamp;
      if (request.filter == FilterMode::point) {
        first[i] = resolve(static_cast<int>(std::floor(x)), size, mode);
        continue;
      }
      x -= 0.5;
      const int low = static_cast<int>(std::floor(x));
      weight[i] = x - low;
      first[i] = resolve(low, size, mode);
      second[i] = resolve(low + 1, size, mode);
    }
    double sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
      double part = 1;
      int place[3];
      for (int i = 0; i < 3; ++i) {
        const bool far = corner >> i & 1;
        part *= far ? weight[i] : 1 - weight[i];
        place[i] = far ? second[i] : first[i];
      }
      if (part != 0) sum += part * texel(place[0], place[1], place[2]);
    }
    return sum;
  }
};

// --- Reading ---------------------------------------------------------------------------------------------------------

TEST_P(Textures, ALineIsFetchedAndSampled) {
  constexpr int n = 500;
  const auto values = bumpy(n);
  for (const FilterMode filter : {FilterMode::point, FilterMode::linear}) {
    auto request = texture_of(values, {.width = n, .filter = filter});
    device().create_texture(request);
    launch_with({request.id}, "fetch_line", n, no_handle, out_, n);
    launch_with({request.id}, "sample_line", n, no_handle, out_ + 4 * n, -2.295f, 1.01f, n);
    finish_well();
    EXPECT_EQ(this->read<float>(out_, n), values);
    const auto sampled = read<float>(out_ + 4 * n, n);
    for (int i = 0; i < n; ++i)
      ASSERT_NEAR(sampled[static_cast<std::size_t>(i)], (Reference{request, values}.sample({-2.295 + 1.01 * i, 0, 0})),
                  0.04)
          << i;
    device().post_destroy_texture(request.id);
  }
}

// Rows of 96 bytes can be sampled where they are on a GPU; those of 92 cannot.
TEST_P(Textures, APlaneIsSampledInEveryMode) {
  constexpr int n = 40;
  for (const std::uint64_t width : {24, 23})
    for (const FilterMode filter : {FilterMode::point, FilterMode::linear})
      for (const bool normalized : {false, true})
        for (const AddressMode mode : all_modes) {
          const auto values = bumpy(width * 10);
          auto request = texture_of(values, {.width = width,
                                             .height = 10,
                                             .address_mode = {mode, mode, mode},
                                             .filter = filter,
                                             .normalized_coordinates = normalized});
          device().create_texture(request);
          const float start = normalized ? -1.4898f : -3.27f, step = normalized ? 0.1003f : 0.81f;
          launch_with({request.id}, "read_plane", n * n, no_handle, out_, start, step, n);
          finish_well();
          const auto got = read<float>(out_, n * n);
          for (int i = 0; i < n * n; ++i) {
            const double wanted = Reference{request, values}.sample(
                {double{start} + double{step} * (i % n), double{start} + double{step} * (i / n), 0});
            ASSERT_NEAR(got[static_cast<std::size_t>(i)], wanted, filter == FilterMode::point ? 0 : 0.07)
                << "width " << width << " mode " << static_cast<int>(mode) << (normalized ? " normalized " : " ")
                << i % n << ", " << i / n;
          }
          device().post_destroy_texture(request.id);
        }
}

TEST_P(Textures, AVolumeIsSampled) {
  constexpr int n = 12;
  const auto values = bumpy(7 * 6 * 5);
  for (const FilterMode filter : {FilterMode::point, FilterMode::linear}) {
    auto request = texture_of(values, {.width = 7, .height = 6, .depth = 5, .filter = filter});
    device().create_texture(request);
    launch_with({request.id}, "read_volume", n * n * n, no_handle, out_, -0.7f, 0.66f, n);
    finish_well();
    const auto got = read<float>(out_, n * n * n);
    for (int i = 0; i < n * n * n; ++i) {
      const double wanted = Reference{request, values}.sample(
          {-0.7 + 0.66 * (i % n), -0.7 + 0.66 * (i / n % n), -0.7 + 0.66 * (i / n / n)});
      ASSERT_NEAR(got[static_cast<std::size_t>(i)], wanted, filter == FilterMode::point ? 0 : 0.1) << i;
    }
    device().post_destroy_texture(request.id);
  }
}

TEST_P(Textures, LayersAreNotMixed) {
  const auto values = bumpy(9 * 4);
  auto lines = texture_of(values, {.width = 9, .layers = 4, .filter = FilterMode::linear});
  device().create_texture(lines);
  launch_with({lines.id}, "read_lines", 36, no_handle, out_, 4, 9);
  finish_well();
  const auto got = read<float>(out_, 36);
  for (std::size_t i = 0; i < 36; ++i) {
    const double next = values[i % 9 == 8 ? i : i + 1];
    ASSERT_NEAR(got[i], 0.75 * values[i] + 0.25 * next, 0.05) << i;
  }
  device().post_destroy_texture(lines.id);

  const auto more = bumpy(6 * 5 * 4);
  auto planes = texture_of(more, {.width = 6, .height = 5, .layers = 4});
  device().create_texture(planes);
  launch_with({planes.id}, "read_planes", 120, no_handle, out_, 6, 5, 4);
  finish_well();
  EXPECT_EQ(read<float>(out_, 120), more);
}

TEST_P(Textures, CubeMapsAreReadByDirection) {
  std::vector<float> values(24);
  std::iota(values.begin(), values.end(), 0.0f);
  auto cube = texture_of(values, {.width = 2, .height = 2, .layers = 6, .cube = Cube::one});
  device().create_texture(cube);
  launch_with({cube.id}, "read_faces", 24, no_handle, out_);
  finish_well();
  EXPECT_EQ(read<float>(out_, 24), values);
  device().post_destroy_texture(cube.id);

  std::vector<float> faces(2 * 2 * 18);
  for (std::size_t i = 0; i < faces.size(); ++i) faces[i] = static_cast<float>(i / 4);
  auto cubes =
      texture_of(faces, {.width = 2, .height = 2, .layers = 18, .cube = Cube::layers, .filter = FilterMode::linear});
  device().create_texture(cubes);
  launch_with({cubes.id}, "read_cubes", 18, no_handle, out_);
  finish_well();
  std::vector<float> wanted(18);
  std::iota(wanted.begin(), wanted.end(), 0.0f);
  EXPECT_EQ(read<float>(out_, 18), wanted);
  device().post_destroy_texture(cubes.id);
}

TEST_P(Textures, IntegersKeepTheirSign) {
  std::vector<std::int8_t> bytes(8 * 3 * 4);
  std::iota(bytes.begin(), bytes.end(), std::int8_t{-48});
  auto request = texture_of(
      bytes, {.width = 8, .height = 3, .channels = 4, .channel_bits = 8, .channel = Channel::signed_integer});
  device().create_texture(request);
  launch_with({request.id}, "read_signed", 24, no_handle, out_, 8, 24);
  finish_well();
  const auto signs = read<std::int32_t>(out_, bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) ASSERT_EQ(signs[i], bytes[i]) << i;
  device().post_destroy_texture(request.id);

  std::vector<std::uint16_t> words(16 * 2 * 2);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint16_t>(65535 - 999 * i);
  request = texture_of(
      words, {.width = 16, .height = 2, .channels = 2, .channel_bits = 16, .channel = Channel::unsigned_integer});
  device().create_texture(request);
  launch_with({request.id}, "read_unsigned", 32, no_handle, out_, 16, 32);
  finish_well();
  const auto numbers = read<std::uint32_t>(out_, 128);
  for (std::size_t i = 0; i < words.size(); ++i) ASSERT_EQ(numbers[i / 2 * 4 + i % 2], words[i]) << i;
}

TEST_P(Textures, IntegersAndHalvesAreReadAsFloats) {
  std::vector<std::uint8_t> bytes(64);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{190});
  auto request = texture_of(bytes, {.width = 8,
                                    .height = 2,
                                    .channels = 4,
                                    .channel_bits = 8,
                                    .channel = Channel::unsigned_integer,
                                    .read = ReadMode::normalized_float});
  device().create_texture(request);
  launch_with({request.id}, "read_plane4", 16, no_handle, out_, 8, 16);
  finish_well();
  auto got = read<float>(out_, 64);
  for (std::size_t i = 0; i < 64; ++i) ASSERT_NEAR(got[i], bytes[i] / 255.0, 1e-5) << i;
  device().post_destroy_texture(request.id);

  std::vector<std::int16_t> words(64);
  for (std::size_t i = 0; i < 64; ++i) words[i] = static_cast<std::int16_t>(-32768 + 1024 * static_cast<int>(i));
  request = texture_of(words, {.width = 8,
                               .height = 2,
                               .channels = 4,
                               .channel_bits = 16,
                               .channel = Channel::signed_integer,
                               .read = ReadMode::normalized_float});
  device().create_texture(request);
  launch_with({request.id}, "read_plane4", 16, no_handle, out_, 8, 16);
  finish_well();
  got = read<float>(out_, 64);
  for (std::size_t i = 0; i < 64; ++i) ASSERT_NEAR(got[i], std::max(words[i] / 32767.0, -1.0), 1e-5) << i;
  device().post_destroy_texture(request.id);

  std::vector<std::uint16_t> halves(64);
  for (std::size_t i = 0; i < 64; ++i) halves[i] = float_to_half(static_cast<float>(i) / 8 - 3);
  request = texture_of(halves, {.width = 8, .height = 2, .channels = 4, .channel_bits = 16});
  device().create_texture(request);
  launch_with({request.id}, "read_plane4", 16, no_handle, out_, 8, 16);
  finish_well();
  got = read<float>(out_, 64);
  for (std::size_t i = 0; i < 64; ++i) ASSERT_EQ(got[i], half_to_float(halves[i])) << i;
}

TEST_P(Textures, FourElementsAreGathered) {
  std::vector<float> values(8 * 4 * 2);
  std::iota(values.begin(), values.end(), 0.0f);
  auto request = texture_of(values, {.width = 8, .height = 4, .channels = 2, .gather = true});
  device().create_texture(request);
  launch_with({request.id}, "gather_plane", 14, no_handle, out_, out_ + 1024, 7, 14);
  finish_well();
  for (const int channel : {0, 1}) {
    const auto got = read<float>(out_ + 1024 * static_cast<unsigned>(channel), 14 * 4);
    for (int i = 0; i < 14; ++i) {
      const auto at = [&](int x, int y) { return values[static_cast<std::size_t>((y * 8 + x) * 2 + channel)]; };
      const int x = i % 7, y = i / 7;
      const std::vector<float> wanted = {at(x, y + 1), at(x + 1, y + 1), at(x + 1, y), at(x, y)};
      EXPECT_EQ(std::vector<float>(got.begin() + 4 * i, got.begin() + 4 * i + 4), wanted) << i;
    }
  }
}

TEST_P(Textures, SayHowLargeTheyAre) {
  auto request = texture_of(bumpy(24 * 10), {.width = 24, .height = 10});
  device().create_texture(request);
  launch_with({request.id}, "sizes", 1, no_handle, out_);
  finish_well();
  EXPECT_EQ(read<std::uint32_t>(out_, 2), (std::vector<std::uint32_t>{24, 10}));
}

// --- What they see ---------------------------------------------------------------------------------------------------

TEST_P(Textures, SeeWhatTheArrayHoldsNow) {
  for (const std::uint64_t width : {24, 23}) {
    auto request = texture_of(std::vector<float>(width * 10), {.width = width, .height = 10});
    device().create_texture(request);
    launch_with({request.id}, "read_plane", 100, no_handle, out_, 0.5f, 1.0f, 10);
    finish_well();
    EXPECT_EQ(read<float>(out_, 100), std::vector<float>(100));
    const auto values = bumpy(width * 10);
    write(in_, values);
    launch_with({request.id}, "read_plane", 100, no_handle, out_, 0.5f, 1.0f, 10);
    finish_well();
    const auto got = read<float>(out_, 100);
    for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(got[i], values[i / 10 * width + i % 10]) << i;
    device().post_destroy_texture(request.id);
  }
}

TEST_P(Textures, AreThereAfterAFault) {
  if (!supervised()) GTEST_SKIP() << "this device ends with a fault";
  const auto values = bumpy(23 * 10);
  auto request = texture_of(values, {.width = 23, .height = 10});
  device().create_texture(request);
  launch_with({}, "fault", 1);
  const auto completion = finish();
  ASSERT_TRUE(completion.fault);
  ASSERT_TRUE(completion.recovery);
  launch_with({request.id}, "read_plane", 100, no_handle, out_, 0.5f, 1.0f, 10);
  finish_well();
  const auto got = read<float>(out_, 100);
  for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(got[i], values[i / 10 * 23 + i % 10]) << i;
  device().post_destroy_texture(request.id);
}

TEST_P(Textures, AnEndedOneIsRefused) {
  auto request = texture_of(bumpy(24 * 10), {.width = 24, .height = 10});
  device().create_texture(request);
  EXPECT_THROW(device().create_texture(request), Error);
  device().post_destroy_texture(request.id);
  device().post_destroy_texture(request.id);  // gone already
  launch_with({request.id}, "read_plane", 100, no_handle, out_, 0.5f, 1.0f, 10);
  const auto completion = finish();
  EXPECT_FALSE(completion.fault);
  ASSERT_EQ(completion.refused.size(), 1u);
}

// --- Surfaces --------------------------------------------------------------------------------------------------------

TEST_P(Textures, ASurfaceIsWrittenBack) {
  std::vector<std::uint8_t> bytes(20 * 6 * 4);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  auto request = texture_of(bytes, {.width = 20,
                                    .height = 6,
                                    .channels = 4,
                                    .channel_bits = 8,
                                    .channel = Channel::unsigned_integer,
                                    .surface = true});
  device().create_texture(request);
  for (int turn = 0; turn < 2; ++turn) launch_with({request.id}, "invert", 120, no_handle, 20, 6);
  launch_with({request.id}, "invert", 120, no_handle, 20, 6);
  finish_well();
  const auto got = read<std::uint8_t>(in_, bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i)
    ASSERT_EQ(got[i], i % 4 == 0 ? 255 - bytes[i] : i % 4 == 3 ? 7 : bytes[i]) << i;
  device().post_destroy_texture(request.id);

  const auto line = bumpy(300);
  request = texture_of(line, {.width = 300, .surface = true});
  device().create_texture(request);
  launch_with({request.id}, "double_line", 300, no_handle, 300);
  finish_well();
  const auto doubled = read<float>(in_, 300);
  for (std::size_t i = 0; i < 300; ++i) ASSERT_EQ(doubled[i], 2 * line[i]) << i;
}

TEST_P(Textures, SurfacesOfVolumesAndLayers) {
  constexpr int w = 6, h = 5, d = 4;
  const auto values = bumpy(w * h * d);
  auto from = texture_of(values, {.width = w, .height = h, .depth = d, .surface = true});
  auto to = from;
  to.id = TextureId{2};
  to.address = out_;
  device().create_texture(from);
  device().create_texture(to);
  launch_with({from.id, to.id}, "shift_volume", w * h * d, no_handle, no_handle, w, h, d);
  finish_well();
  const auto got = read<float>(out_, w * h * d);
  for (int i = 0; i < w * h * d; ++i) {
    const int x = i % w;
    const float right = values[static_cast<std::size_t>(x == w - 1 ? i : i + 1)],
                left = x == 0 ? 0 : values[static_cast<std::size_t>(i - 1)];
    ASSERT_EQ(got[static_cast<std::size_t>(i)], right + 1000 * left) << i;
  }

  TextureRequest layers{.id = TextureId{3},
                        .address = out_ + 4096,
                        .width = w,
                        .height = h,
                        .layers = d,
                        .channels = 2,
                        .channel = Channel::signed_integer,
                        .surface = true};
  device().create_texture(layers);
  launch_with({layers.id}, "number_layers", w * h * d, no_handle, w, h, d);
  finish_well();
  const auto numbers = read<std::int32_t>(layers.address, 2 * w * h * d);
  for (int i = 0; i < w * h * d; ++i) {
    ASSERT_EQ(numbers[static_cast<std::size_t>(2 * i)], i);
    ASSERT_EQ(numbers[static_cast<std::size_t>(2 * i + 1)], -i);
  }
}

TEST_P(Textures, SurfacesAreReduced) {
  device().unload_module(ModuleId{1});
  load("surfaces.ptx");
  std::vector<std::uint32_t> values(8 * 5), wanted;
  for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i * 0x0101'0101 + 200;
  wanted = values;
  for (std::uint32_t i = 0; i < 96; ++i) {
    const std::uint32_t value = 5 * i + 3, x = i % 8;
    wanted[x] += value;
    wanted[8 + x] = static_cast<std::uint32_t>(
        std::min(static_cast<std::int32_t>(wanted[8 + x]), static_cast<std::int32_t>(value)));
    wanted[16 + x] = std::max(wanted[16 + x], value);
    wanted[24 + x] &= value;
    wanted[32 + x] |= value;
  }
  auto request = texture_of(values, {.width = 8, .height = 5, .channel = Channel::unsigned_integer, .surface = true});
  device().create_texture(request);
  launch_with({request.id}, "reduce_rows", 96, no_handle);
  finish_well();
  EXPECT_EQ(read<std::uint32_t>(in_, values.size()), wanted);
}

TEST_P(Textures, SurfacesSayHowLargeTheyAre) {
  device().unload_module(ModuleId{1});
  load("surfaces.ptx");
  auto request = texture_of(bumpy(24 * 10), {.width = 24, .height = 10, .surface = true});
  device().create_texture(request);
  launch_with({request.id}, "surface_sizes", 1, no_handle, out_);
  finish_well();
  EXPECT_EQ(read<std::uint32_t>(out_, 2), (std::vector<std::uint32_t>{24, 10}));
}

}  // namespace
}  // namespace xcuda::device::contract
