// Pictures from and to files: PNG by libpng, JPEG by libjpeg.
#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cli/image/picture.h"

namespace warpath::cli {

using Bytes = std::vector<std::uint8_t>;

// More than any camera has. A small file can claim to be huge, and its pixels must fit into memory.
inline constexpr std::int64_t most_pixels = std::int64_t{1} << 28, most_side = (1 << 20) - 1;
// Refuses a size of nothing, or beyond those limits.
void check_picture_size(std::uint64_t width, std::uint64_t height);

enum class Format { png, jpeg };
// By the name's ending; refuses others.
Format format_of(const std::filesystem::path& file);

struct ReadPicture {
  Picture picture;
  Format format;
};
// Refuses in one line whatever is not a whole picture.
ReadPicture read_picture(const std::filesystem::path& file);

// JPEG has neither alpha nor 16 bits: the picture must have none.
Bytes encode(const Picture& picture, Format format);

// Replaces a file that is there.
void write_file(const std::filesystem::path& file, const Bytes& bytes);
// Never does: STEM.png, or the first of STEM-2.png, STEM-3.png… that is free. Returns its name.
std::filesystem::path write_new_file(const std::filesystem::path& stem, Format format,
                                     const Bytes& bytes);

// Each in a file of its own. They throw Refusal with what the library says.
Picture decode_png(std::span<const std::uint8_t> file);
Bytes encode_png(const Picture& picture);
Picture decode_jpeg(std::span<const std::uint8_t> file);
Bytes encode_jpeg(const Picture& picture);
// Of a TIFF header with its tags, as JPEG and PNG carry it; 1 where there is none.
int exif_orientation(std::span<const std::uint8_t> tiff);

}  // namespace warpath::cli
