// JPEG by libjpeg. As with libpng (png_file.cpp), what owns memory lives outside of the functions that longjmp leaves.
#include <fmt/format.h>

#include <csetjmp>
#include <cstdio>
#include <cstdlib>

// It needs <cstdio> before it.
#include <jerror.h>
#include <jpeglib.h>

#include "cli/image/files.h"
#include "cli/options.h"

namespace warpath::cli {
namespace {

constexpr int quality = 92;

struct JpegErrors {
  jpeg_error_mgr base;  // first: libjpeg passes a pointer to it
  std::jmp_buf back;
  char text[JMSG_LENGTH_MAX];
};

[[noreturn]] void leave(j_common_ptr info) {
  auto* const errors = reinterpret_cast<JpegErrors*>(info->err);
  info->err->format_message(info, errors->text);
  std::longjmp(errors->back, 1);
}
// A file that is damaged is no error to libjpeg, which draws grey instead. Bytes that nobody needs are no damage.
void refuse_damage(j_common_ptr info, int level) {
  if (level < 0 && info->err->msg_code != JWRN_EXTRANEOUS_DATA) leave(info);
}

jpeg_error_mgr* install(JpegErrors& errors) {
  jpeg_std_error(&errors.base);
  errors.base.error_exit = leave;
  errors.base.emit_message = refuse_damage;
  return &errors.base;
}

struct JpegReader {
  JpegErrors errors{};
  jpeg_decompress_struct info{};
  Picture raw;
  ~JpegReader() { jpeg_destroy_decompress(&info); }
};

bool read_header(JpegReader& r, std::span<const std::uint8_t> file) {
  if (setjmp(r.errors.back)) return false;
  r.info.err = install(r.errors);
  jpeg_create_decompress(&r.info);
  jpeg_mem_src(&r.info, file.data(), static_cast<unsigned long>(file.size()));
  jpeg_save_markers(&r.info, JPEG_APP0 + 1, 0xFFFF);
  jpeg_read_header(&r.info, TRUE);
  return true;
}

bool start(JpegReader& r) {
  if (setjmp(r.errors.back)) return false;
  // libjpeg has no way from CMYK to RGB.
  if (r.info.jpeg_color_space == JCS_CMYK || r.info.jpeg_color_space == JCS_YCCK)
    r.info.out_color_space = JCS_CMYK;
  else
    r.info.out_color_space = r.info.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_start_decompress(&r.info);
  return true;
}

bool read_rows(JpegReader& r) {
  if (setjmp(r.errors.back)) return false;
  while (r.info.output_scanline < r.info.output_height) {
    JSAMPROW row = r.raw.data.data() + r.info.output_scanline * r.raw.row_bytes();
    jpeg_read_scanlines(&r.info, &row, 1);
  }
  jpeg_finish_decompress(&r.info);
  return true;
}

// Printers' inks on white paper. Adobe stores them the other way round.
Picture from_inks(const Picture& inks, bool inverted) {
  Picture p = Picture::of(inks.width, inks.height, 3, 8);
  const auto light = [&](std::int64_t i) { return inverted ? inks.at(i) : 255 - inks.at(i); };
  for (std::int64_t i = 0; i < p.pixels(); ++i)
    for (int c = 0; c < 3; ++c) p.set(3 * i + c, (light(4 * i + c) * light(4 * i + 3) + 127) / 255);
  return p;
}

int orientation_of(const jpeg_decompress_struct& info) {
  constexpr std::string_view mark("Exif\0\0", 6);
  for (jpeg_saved_marker_ptr m = info.marker_list; m != nullptr; m = m->next)
    if (m->data_length > mark.size() && std::memcmp(m->data, mark.data(), mark.size()) == 0)
      return exif_orientation({m->data + mark.size(), m->data_length - mark.size()});
  return 1;
}

struct JpegWriter {
  JpegErrors errors{};
  jpeg_compress_struct info{};
  unsigned char* out = nullptr;
  unsigned long bytes = 0;
  ~JpegWriter() {
    jpeg_destroy_compress(&info);
    std::free(out);
  }
};

bool write_picture(JpegWriter& w, const Picture& picture) {
  if (setjmp(w.errors.back)) return false;
  w.info.err = install(w.errors);
  jpeg_create_compress(&w.info);
  jpeg_mem_dest(&w.info, &w.out, &w.bytes);
  w.info.image_width = static_cast<JDIMENSION>(picture.width);
  w.info.image_height = static_cast<JDIMENSION>(picture.height);
  w.info.input_components = picture.channels;
  w.info.in_color_space = picture.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&w.info);
  jpeg_set_quality(&w.info, quality, TRUE);
  jpeg_start_compress(&w.info, TRUE);
  while (w.info.next_scanline < w.info.image_height) {
    JSAMPROW row = const_cast<JSAMPLE*>(picture.data.data()) +
                   w.info.next_scanline * static_cast<std::size_t>(picture.row_bytes());
    jpeg_write_scanlines(&w.info, &row, 1);
  }
  jpeg_finish_compress(&w.info);
  return true;
}

}  // namespace

Picture decode_jpeg(std::span<const std::uint8_t> file) {
  JpegReader r;
  if (!read_header(r, file)) throw Refusal(r.errors.text);
  check_picture_size(r.info.image_width, r.info.image_height);
  const int orientation = orientation_of(r.info);  // finishing the picture frees its markers
  if (!start(r)) throw Refusal(r.errors.text);
  r.raw = Picture::of(r.info.output_width, r.info.output_height, r.info.output_components, 8);
  if (!read_rows(r)) throw Refusal(r.errors.text);
  const bool inks = r.info.out_color_space == JCS_CMYK;
  return upright(inks ? from_inks(r.raw, r.info.saw_Adobe_marker) : std::move(r.raw), orientation);
}

Bytes encode_jpeg(const Picture& picture) {
  if (picture.width > JPEG_MAX_DIMENSION || picture.height > JPEG_MAX_DIMENSION)
    throw Refusal(fmt::format("a JPEG file has at most {} pixels a side; name the output .png",
                              JPEG_MAX_DIMENSION));
  JpegWriter w;
  if (!write_picture(w, picture)) throw Refusal(w.errors.text);
  return Bytes(w.out, w.out + w.bytes);
}

}  // namespace warpath::cli
