// Directions to places on the six faces of a cube map, as the CUDA C++ Programming Guide's table of cube maps has them:
// the face is that of the coordinate of greatest magnitude, m, and the place is ((s / m + 1) / 2, (t / m + 1) / 2).
#include <array>
#include <cmath>

#include "device/cpu/run/texture.hpp"

namespace xcuda::device::cpu {
namespace {

struct Face {
  std::size_t m, s, t;  // axes
  float m_sign, s_sign, t_sign;
};
constexpr Face kFaces[] = {{0, 2, 1, 1, -1, -1}, {0, 2, 1, -1, 1, -1}, {1, 0, 2, 1, 1, 1},
                           {1, 0, 2, -1, 1, -1}, {2, 0, 1, 1, 1, -1},  {2, 0, 1, -1, -1, -1}};

std::uint32_t face_towards(const float (&direction)[3]) {
  const float x = std::fabs(direction[0]), y = std::fabs(direction[1]), z = std::fabs(direction[2]);
  const std::size_t axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
  return static_cast<std::uint32_t>(2 * axis + (direction[axis] < 0 ? 1 : 0));
}

}  // namespace

FacePoint face_point(const float (&direction)[3]) {
  FacePoint point{face_towards(direction), {}};
  const Face& face = kFaces[point.face];
  const float m = face.m_sign * direction[face.m];
  point.at[0] = (face.s_sign * direction[face.s] / m + 1) / 2;
  point.at[1] = (face.t_sign * direction[face.t] / m + 1) / 2;
  return point;
}

std::array<float, 3> direction_of(const FacePoint& point) {
  const Face& face = kFaces[point.face];
  std::array<float, 3> direction{};
  direction[face.m] = face.m_sign;
  direction[face.s] = face.s_sign * (2 * point.at[0] - 1);
  direction[face.t] = face.t_sign * (2 * point.at[1] - 1);
  return direction;
}

std::array<float, 2> face_gradient(const float (&direction)[3], std::uint32_t which, const float (&gradient)[3]) {
  const Face& face = kFaces[which];
  const float m = face.m_sign * direction[face.m], change = face.m_sign * gradient[face.m];
  const auto along = [&](std::size_t axis, float sign) {
    return sign * (gradient[axis] * m - direction[axis] * change) / (2 * m * m);
  };
  return {along(face.s, face.s_sign), along(face.t, face.t_sign)};
}

}  // namespace xcuda::device::cpu
