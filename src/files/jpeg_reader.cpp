#include "files/jpeg_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <vector>

// After <cstdio>, which they take for granted.
#include <jerror.h>
#include <jpeglib.h>

#include "base/error.hpp"
#include "base/units.hpp"
#include "files/byte_source.hpp"

namespace xcuda::files {
namespace {

// libjpeg keeps a pointer to the manager, which finds what belongs to it by being its first member.
struct Failure {
  jpeg_error_mgr manager{};
  std::jmp_buf to{};
  std::string message;
};

[[noreturn]] void leave(j_common_ptr jpeg) {
  auto& failure = *reinterpret_cast<Failure*>(jpeg->err);
  char text[JMSG_LENGTH_MAX];
  jpeg->err->format_message(jpeg, text);
  failure.message = text;
  std::longjmp(failure.to, 1);
}

// Where pixels would be made up, the file is damaged. Other warnings are about bytes that nothing needs.
void warn(j_common_ptr jpeg, int level) {
  if (level < 0 && jpeg->err->msg_code != JWRN_EXTRANEOUS_DATA && jpeg->err->msg_code != JWRN_ADOBE_XFORM &&
      jpeg->err->msg_code != JWRN_JFIF_MAJOR)
    leave(jpeg);
}

void nothing_to_say(j_common_ptr) {}
void begin_bytes(j_decompress_ptr) {}
void end_bytes(j_decompress_ptr) {}

boolean out_of_bytes(j_decompress_ptr jpeg) {
  jpeg->err->msg_code = JERR_INPUT_EOF;
  leave(reinterpret_cast<j_common_ptr>(jpeg));
}

void skip_bytes(j_decompress_ptr jpeg, long count) {
  auto& source = *jpeg->src;
  if (count < 0 || static_cast<std::size_t>(count) > source.bytes_in_buffer) out_of_bytes(jpeg);
  source.next_input_byte += count;
  source.bytes_in_buffer -= static_cast<std::size_t>(count);
}

}  // namespace

struct JpegReader::State {
  explicit State(std::string given) : name(std::move(given)) {
    jpeg.err = jpeg_std_error(&failure.manager);
    failure.manager.error_exit = leave;
    failure.manager.emit_message = warn;
    failure.manager.output_message = nothing_to_say;
  }
  ~State() { jpeg_destroy_decompress(&jpeg); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Error refused(std::string why) const {
    return Error(ErrorKind::value, fmt::format("{} cannot be read as a JPEG file", shown_path(name)))
        .said(std::move(why))
        .advise("Copy it again, or save it anew, as PNG or as JPEG in gray or RGB.");
  }

  // libjpeg leaves these by longjmp: nothing in them has a destructor.
  bool read_header() {
    if (setjmp(failure.to) != 0) return false;
    jpeg_create_decompress(&jpeg);
    jpeg.src = &source;
    jpeg_read_header(&jpeg, TRUE);
    return true;
  }
  bool begin_rows() {
    if (setjmp(failure.to) != 0) return false;
    jpeg_start_decompress(&jpeg);
    return true;
  }
  bool read_row(JSAMPLE* row) {
    if (setjmp(failure.to) != 0) return false;
    jpeg_read_scanlines(&jpeg, &row, 1);
    return true;
  }

  std::string name;
  Failure failure;
  jpeg_source_mgr source{};
  jpeg_decompress_struct jpeg{};
  std::vector<JSAMPLE> row;
  std::size_t taken = 0;  // samples of it
};

JpegReader::JpegReader(std::span<const std::byte> file, std::string name)
    : state_(std::make_unique<State>(std::move(name))) {
  auto& state = *state_;
  state.source.next_input_byte = reinterpret_cast<const JOCTET*>(file.data());
  state.source.bytes_in_buffer = file.size();
  state.source.init_source = begin_bytes;
  state.source.fill_input_buffer = out_of_bytes;
  state.source.skip_input_data = skip_bytes;
  state.source.resync_to_restart = jpeg_resync_to_restart;
  state.source.term_source = end_bytes;
  if (!state.read_header()) throw state.refused(state.failure.message);
  auto& jpeg = state.jpeg;
  if (jpeg.num_components != 1 && jpeg.num_components != 3)
    throw state.refused(fmt::format("it has {} colours{}", jpeg.num_components,
                                    jpeg.num_components == 4 ? " (CMYK); convert it to RGB" : ""));
  // A block of 8 × 8 pixels takes a bit at least; arithmetic coding can be denser.
  const auto pixels = std::uint64_t{jpeg.image_width} * jpeg.image_height;
  constexpr std::uint64_t kMostPixelsOfAByte = 8 * 64;
  if (jpeg.arith_code == FALSE && pixels / kMostPixelsOfAByte > file.size())
    throw state.refused(fmt::format("it declares {} × {} pixels, but its {} cannot hold that", jpeg.image_width,
                                    jpeg.image_height, format_bytes(file.size())));
  if (jpeg_has_multiple_scans(&jpeg) != FALSE)  // 16 bits for each sample until the last scan
    expect_room(shown_path(state.name), 2 * pixels * static_cast<std::uint64_t>(jpeg.num_components), "is progressive",
                "Save it without progressive scans: it can then be unpacked row by row.");
  jpeg.out_color_space = jpeg.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  if (!state.begin_rows()) throw state.refused(state.failure.message);
  facts_ = {type_of(Scalar::uint8), {jpeg.output_height, jpeg.output_width}};
  if (jpeg.num_components == 3) facts_.shape.push_back(3);
  state.row.resize(std::size_t{jpeg.output_width} * static_cast<std::size_t>(jpeg.output_components));
  state.taken = state.row.size();
}

JpegReader::~JpegReader() = default;

void JpegReader::read(std::span<std::byte> samples) {
  auto& state = *state_;
  while (!samples.empty()) {
    if (state.taken == state.row.size()) {
      if (!state.read_row(state.row.data())) throw state.refused(state.failure.message);
      state.taken = 0;
    }
    const auto count = std::min(samples.size(), state.row.size() - state.taken);
    std::memcpy(samples.data(), state.row.data() + state.taken, count);
    state.taken += count;
    samples = samples.subspan(count);
  }
}

}  // namespace xcuda::files
