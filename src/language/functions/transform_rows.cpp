// Fourier transforms and related functions.
#include "language/functions.hpp"
#include "language/type_rules.hpp"

namespace xcuda::language {
namespace {

// Transforms of float and complex<float> have single precision, those of double and integers double precision; calls
// refuse 16-bit elements when they run.
bool is_single(const Type& type) {
  const auto kind = kind_of(type);
  return kind && (*kind == Kind::float32 || *kind == Kind::complex64);
}
Form to_complex(Given given) {
  return Form::array(type_of(is_single(given[0].type) ? Kind::complex64 : Kind::complex128));
}
Form to_real(Given given) { return Form::array(type_of(is_single(given[0].type) ? Kind::float32 : Kind::float64)); }
Form frequencies(Given) { return Form::array(type_of(Kind::float64)); }
Form shifted(Given given) { return Form::array(given[0].type, given[0].extents); }

#define XCUDA_NORM "const char* norm = \"backward\"|\"ortho\"|\"forward\""
#define XCUDA_TRANSFORM(name_, parameters_, help_, example_, rule_)                                        \
  {                                                                                                        \
    .name = #name_, .signatures = "array " #name_ "(array x [" parameters_ XCUDA_NORM "])", .help = help_, \
    .example = example_, .operation = Operation::name_, .result = rule_                                    \
  }
#define XCUDA_LINE ", size_t n, int axis = -1, "
#define XCUDA_PLANE ", extents s, extents axes, "

constexpr Function kTransforms[] = {
    XCUDA_TRANSFORM(fft, XCUDA_LINE,
                    "Discrete Fourier transform along an axis, of n elements: fewer are padded with zeros; norm "
                    "\"backward\", \"ortho\" or \"forward\"",
                    "fft(x)", to_complex),
    XCUDA_TRANSFORM(ifft, XCUDA_LINE, "The inverse of fft(), divided by n", "ifft(fft(x))", to_complex),
    XCUDA_TRANSFORM(rfft, XCUDA_LINE,
                    "fft() of real numbers: its first n / 2 + 1 elements; the others are their conjugates", "rfft(x)",
                    to_complex),
    XCUDA_TRANSFORM(irfft, XCUDA_LINE, "The inverse of rfft(): n real numbers, an even number unless n says otherwise",
                    "irfft(rfft(x))", to_real),
    XCUDA_TRANSFORM(fft2, XCUDA_PLANE, "fft() along the last two axes, or two others", "fft2(reshape(x, 2, 3))",
                    to_complex),
    XCUDA_TRANSFORM(ifft2, XCUDA_PLANE, "The inverse of fft2()", "ifft2(fft2(reshape(x, 2, 3)))", to_complex),
    XCUDA_TRANSFORM(rfft2, XCUDA_PLANE, "fft2() of real numbers: the first n / 2 + 1 elements of the last axis",
                    "rfft2(reshape(x, 2, 3))", to_complex),
    XCUDA_TRANSFORM(irfft2, XCUDA_PLANE, "The inverse of rfft2()", "irfft2(rfft2(reshape(x, 3, 2)))", to_real),
    XCUDA_TRANSFORM(fftn, XCUDA_PLANE, "fft() along all axes, or those that are named", "fftn(reshape(x, 1, 2, 3))",
                    to_complex),
    XCUDA_TRANSFORM(ifftn, XCUDA_PLANE, "The inverse of fftn()", "ifftn(fftn(reshape(x, 1, 2, 3)))", to_complex),
    XCUDA_TRANSFORM(rfftn, XCUDA_PLANE, "fftn() of real numbers: the first n / 2 + 1 elements of the last axis",
                    "rfftn(reshape(x, 1, 2, 3))", to_complex),
    XCUDA_TRANSFORM(irfftn, XCUDA_PLANE, "The inverse of rfftn()", "irfftn(rfftn(reshape(x, 1, 3, 2)))", to_real),
    {.name = "fftfreq",
     .signatures = "array fftfreq(size_t n [, double d = 1])",
     .help = "The frequencies of the elements of fft() of n samples that are d apart",
     .example = "fftfreq(6)",
     .operation = Operation::fftfreq,
     .result = frequencies},
    {.name = "rfftfreq",
     .signatures = "array rfftfreq(size_t n [, double d = 1])",
     .help = "The frequencies of the elements of rfft() of n samples that are d apart",
     .example = "rfftfreq(6)",
     .operation = Operation::rfftfreq,
     .result = frequencies},
    {.name = "fftshift",
     .signatures = "array fftshift(array x [, extents axes])",
     .help = "With the frequency 0 in the middle, along all axes or those that are named",
     .example = "fftshift(fftfreq(6))",
     .operation = Operation::fftshift,
     .result = shifted},
    {.name = "ifftshift",
     .signatures = "array ifftshift(array x [, extents axes])",
     .help = "The inverse of fftshift()",
     .example = "ifftshift(fftshift(x))",
     .operation = Operation::ifftshift,
     .result = shifted},
};

#undef XCUDA_PLANE
#undef XCUDA_LINE
#undef XCUDA_TRANSFORM
#undef XCUDA_NORM

}  // namespace

std::span<const Function> functions_of_transforms() { return kTransforms; }

}  // namespace xcuda::language
