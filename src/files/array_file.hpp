// Files that load() reads: NumPy's, PNG images, and raw elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "files/npy.hpp"

namespace xcuda::files {

// By the ending of the name: .npy, .png, and everything else. Error(unsupported) for .csv.
enum class FileKind : std::uint8_t { npy, png, raw };
FileKind file_kind(const std::string& path);

// An array with its type and shape: of a PNG file unsigned char or unsigned short, rows × columns, with a third extent
// for the colours of an image that is not gray. Errors: io, value; Error(type) for a raw file, which says neither.
NpyArray read_array_file(const std::string& path);

// Exactly so many bytes. Errors: io, value.
std::vector<std::byte> read_raw_file(const std::string& path, std::uint64_t bytes);

}  // namespace xcuda::files
