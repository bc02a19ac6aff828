// %save
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>

#include "base/units.hpp"
#include "command/examples.hpp"
#include "command/invocation.hpp"
#include "command/rows.hpp"
#include "files/array_writer.hpp"

namespace xcuda::command {
namespace {

constexpr std::size_t kMostSaved = 1000;  // arrays in a file

// Those that are named, or all for a file that is given alone.
std::vector<const session::Array*> arrays_of(const Invocation& call) {
  const auto words = std::span(call.arguments.operands).first(call.arguments.operands.size() - 1);
  std::vector<const session::Array*> arrays;
  if (words.empty())
    for (const auto& array : call.session.arrays().all()) arrays.push_back(&array);
  if (words.empty() && arrays.empty())
    throw call.error(ErrorKind::value, "there are no arrays to save", call.arguments.operands.back());
  for (const auto& word : words) {
    const auto& array = call.array(word);
    if (std::find(arrays.begin(), arrays.end(), &array) != arrays.end())
      throw call.error(ErrorKind::value, fmt::format("{} is named twice", word.text), word);
    arrays.push_back(&array);
  }
  return arrays;
}

void run_save(Invocation& call) {
  const auto& words = call.arguments.operands;
  const bool several = !words.empty() && files::file_kind(words.back().text) == files::FileKind::npz;
  call.expect_operands(several ? 1 : 2, kMostSaved + 1);
  const auto& path = words.back();
  if (words.size() > 2 && !several)
    throw call
        .error(ErrorKind::value, fmt::format("{} holds one array, but {} are named", path.text, words.size() - 1),
               words[1])
        .advise("A .npz file holds several: %save x y both.npz");
  const auto arrays = arrays_of(call);
  call.session.submission().synchronize();
  std::optional<files::ArrayWriter> writer;
  std::vector<std::string> saved;
  std::uint64_t bytes = 0;
  for (const auto* array : arrays) {
    const files::SavedArray next{array->type, array->shape, array->name};
    call.run.current = path.span;
    if (writer)
      writer->next(next);
    else
      writer.emplace(path.text, next);
    call.session.submission().read({array->address, array->bytes()},
                                   [&](std::span<const std::byte> piece) { writer->write(piece); });
    saved.push_back(declaration_text(*array));
    bytes += array->bytes();
  }
  writer->commit();
  call.show(
      display::text_bundle(fmt::format("{} saved to {}: {}", fmt::join(saved, ", "), path.text, format_bytes(bytes))));
}

}  // namespace

Command save_command() {
  return {
      .name = "save",
      .operand = Operand::arrays_and_path,
      .usage = "%save [x y ...] file",
      .summary = "Write an array to a NumPy file, an image or a text file",
      .details =
          "The file's extension is the format: .npy and .npz are NumPy's, .csv, .tsv and .txt text, .png, .jpg, .bmp, "
          ".pgm "
          "and .ppm images. load(\"file.npy\") in a declaration reads the file, and so does numpy.load.\n\n"
          "A .npz file holds several arrays under their names: %save x y both.npz, then load(\"both.npz\", \"x\"). "
          "%save all.npz saves all arrays of the session. "
          "Text holds one or two dimensions of numbers, a line for each row, as numpy.savetxt writes it; numpy.loadtxt "
          "returns the same bits. An image is unsigned char [rows][columns], or [rows][columns][3] for RGB, or [4] for "
          "RGBA (.png, .bmp); .png, .pgm and .ppm hold unsigned short, too. JPEG changes samples a little.\n\n"
          "The file replaces an older one only when it is complete, and keeps the older one's mode. A symbolic link is "
          "followed.",
      .setup = kScaleSetup,
      .example = "%save x scaled.npy\n",
      .run = run_save,
  };
}

}  // namespace xcuda::command
