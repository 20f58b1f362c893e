// PNG by libpng. It leaves a failed call by longjmp, which runs no destructors: between setjmp and the call there are only
// plain values, and what owns memory lives in a struct outside.
#include <fmt/format.h>
#include <png.h>

#include <bit>
#include <csetjmp>

#include "cli/image/files.h"
#include "cli/options.h"

namespace warpath::cli {
namespace {

struct PngState {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::span<const std::uint8_t> in;  // what is not read yet
  Bytes out;
  Picture picture;
  std::vector<png_bytep> rows;
  int orientation = 1;
  std::string error;
};

void keep_error(png_structp png, png_const_charp text) {
  static_cast<PngState*>(png_get_error_ptr(png))->error = text;
  png_longjmp(png, 1);
}
void ignore_warning(png_structp, png_const_charp) {}

void take_bytes(png_structp png, png_bytep to, std::size_t count) {
  auto& in = static_cast<PngState*>(png_get_io_ptr(png))->in;
  if (count > in.size()) png_error(png, "it ends too early");
  std::memcpy(to, in.data(), count);
  in = in.subspan(count);
}
void add_bytes(png_structp png, png_bytep from, std::size_t count) {
  Bytes& out = static_cast<PngState*>(png_get_io_ptr(png))->out;
  out.insert(out.end(), from, from + count);
}
void flush_nothing(png_structp) {}

// Up to the first row. False: an error, kept in the state.
bool read_header(PngState& s) {
  if (setjmp(png_jmpbuf(s.png))) return false;
  png_set_read_fn(s.png, &s, take_bytes);
  png_set_user_limits(s.png, 0x7fffffff,
                      0x7fffffff);  // this program's limits are told in its words
  png_read_info(s.png, s.info);
  return true;
}

// Palettes become colours, transparent colours become alpha, fewer than 8 bits become 8.
bool set_transforms(PngState& s) {
  if (setjmp(png_jmpbuf(s.png))) return false;
  png_set_expand(s.png);
  if constexpr (std::endian::native == std::endian::little) png_set_swap(s.png);
  png_set_interlace_handling(s.png);
  png_read_update_info(s.png, s.info);
  return true;
}

bool read_rows(PngState& s) {
  if (setjmp(png_jmpbuf(s.png))) return false;
  png_read_image(s.png, s.rows.data());
  png_read_end(s.png, s.info);
#ifdef PNG_eXIf_SUPPORTED
  png_uint_32 size = 0;
  png_bytep exif = nullptr;
  if (png_get_eXIf_1(s.png, s.info, &size, &exif))
    s.orientation = exif_orientation({exif, static_cast<std::size_t>(size)});
#endif
  return true;
}

bool write_picture(PngState& s) {
  if (setjmp(png_jmpbuf(s.png))) return false;
  constexpr int colours[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                             PNG_COLOR_TYPE_RGB_ALPHA};
  png_set_write_fn(s.png, &s, add_bytes, flush_nothing);
  png_set_IHDR(s.png, s.info, static_cast<png_uint_32>(s.picture.width),
               static_cast<png_uint_32>(s.picture.height), s.picture.bits,
               colours[s.picture.channels - 1], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(s.png, s.info);
  if constexpr (std::endian::native == std::endian::little) png_set_swap(s.png);
  png_write_image(s.png, s.rows.data());
  png_write_end(s.png, nullptr);
  return true;
}

void point_rows(PngState& s) {
  const std::int64_t bytes = s.picture.row_bytes();
  for (std::int64_t y = 0; y < s.picture.height; ++y)
    s.rows.push_back(s.picture.data.data() + y * bytes);
}

void must(const PngState& s, bool ok) {
  if (!ok) throw Refusal(s.error);
}

}  // namespace

Picture decode_png(std::span<const std::uint8_t> file) {
  PngState s;
  s.in = file;
  s.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &s, keep_error, ignore_warning);
  if (s.png) s.info = png_create_info_struct(s.png);
  struct Release {
    PngState& s;
    ~Release() { png_destroy_read_struct(&s.png, &s.info, nullptr); }
  } release{s};
  if (!s.info) throw Refusal("libpng has no memory");
  must(s, read_header(s));
  check_picture_size(png_get_image_width(s.png, s.info), png_get_image_height(s.png, s.info));
  must(s, set_transforms(s));
  s.picture = Picture::of(png_get_image_width(s.png, s.info), png_get_image_height(s.png, s.info),
                          png_get_channels(s.png, s.info), png_get_bit_depth(s.png, s.info));
  point_rows(s);
  must(s, read_rows(s));
  return upright(std::move(s.picture), s.orientation);
}

Bytes encode_png(const Picture& picture) {
  PngState s;
  s.picture = picture;
  s.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &s, keep_error, ignore_warning);
  if (s.png) s.info = png_create_info_struct(s.png);
  struct Release {
    PngState& s;
    ~Release() { png_destroy_write_struct(&s.png, &s.info); }
  } release{s};
  if (!s.info) throw Refusal("libpng has no memory");
  point_rows(s);
  must(s, write_picture(s));
  return std::move(s.out);
}

}  // namespace warpath::cli
