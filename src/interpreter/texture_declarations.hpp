// Textures and surfaces: texture t(x, filter = linear, address = wrap, normalized = true); surface s(x);
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cell/tree.hpp"
#include "device/device.hpp"
#include "interpreter/frame.hpp"
#include "session/session.hpp"

namespace xcuda::interpreter {

class TextureDeclarations : public Part {
 public:
  explicit TextureDeclarations(Frame& frame) : Part(frame) {}

  void declare(const cell::Declaration& declaration, const cell::Declarator& declarator);

 private:
  enum class Layers : std::uint8_t { none, by_first_extent };
  struct ArrayUse {
    Layers layers = Layers::none;
    device::Cube faces = device::Cube::none;
    std::uint64_t channels = 0;  // in the last extent; 0: an element's own
    cell::Span span;
  };
  device::TextureRequest texture_of(const Pointer& pointer, const ArrayUse& use);
  void take_layers(std::vector<std::uint64_t>& shape, device::TextureRequest& request, cell::Span span);
  void check_type(const cell::Declaration& declaration, const Pointer& pointer, const device::TextureRequest& request);
  void check_sampler(const device::TextureRequest& request, const std::vector<const cell::Expression*>& given);
};

// The parameters of a declaration, texture t(x, filter = linear), and the words that a parameter takes; none for
// parameters that take numbers.
std::span<const std::string_view> texture_parameters();
std::span<const std::string_view> surface_parameters();
std::vector<std::string_view> texture_choices(std::string_view parameter);

// "texture t: x, float, [64][64], filter linear, address wrap"
std::string description(Session& session, const Texture& texture);

}  // namespace xcuda::interpreter
