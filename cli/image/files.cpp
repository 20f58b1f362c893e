#include "cli/image/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "cli/options.h"

namespace warpath::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t most_file_bytes = std::uintmax_t{2} << 30;

Bytes read_bytes(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found)
    throw Refusal(fmt::format("{}: no such file", file.string()));
  if (fs::is_directory(status))
    throw Refusal(fmt::format("{} is a folder; name a PNG or JPEG file in it", file.string()));
  if (!fs::is_regular_file(status))
    throw Refusal(fmt::format("{} is not a plain file", file.string()));
  const std::uintmax_t size = fs::file_size(file, error);
  if (error || size > most_file_bytes)
    throw Refusal(fmt::format("{}: {}", file.string(),
                              error ? error.message() : "more than 2 GiB is not read"));
  const auto close = [](std::FILE* f) { std::fclose(f); };
  const std::unique_ptr<std::FILE, decltype(close)> opened(std::fopen(file.c_str(), "rb"), close);
  if (!opened)
    throw Refusal(fmt::format("cannot read {}: {}", file.string(), std::strerror(errno)));
  Bytes bytes(size);
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), opened.get()));
  if (std::ferror(opened.get()))
    throw Refusal(fmt::format("cannot read {}: {}", file.string(), std::strerror(errno)));
  return bytes;
}

bool begins(const Bytes& bytes, std::initializer_list<std::uint8_t> with) {
  return bytes.size() >= with.size() && std::equal(with.begin(), with.end(), bytes.begin());
}

[[noreturn]] void cannot_write(const fs::path& file, int error) {
  throw Refusal(fmt::format("cannot write {}: {}; --output names another place", file.string(),
                            std::strerror(error)));
}

// 0, or the error.
int write_all(int descriptor, const Bytes& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : ENOSPC;
    done += static_cast<std::size_t>(n);
  }
  return 0;
}

}  // namespace

void check_picture_size(std::uint64_t width, std::uint64_t height) {
  if (width == 0 || height == 0) throw Refusal("it has no pixels");
  if (width > std::uint64_t{most_side} || height > std::uint64_t{most_side} ||
      width * height > std::uint64_t{most_pixels})
    throw Refusal(
        fmt::format("{} x {} pixels are too many; at most {} a side and {} million in all", width,
                    height, most_side, most_pixels / 1'000'000));
}

Format format_of(const fs::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".png") return Format::png;
  if (ending == ".jpg" || ending == ".jpeg") return Format::jpeg;
  throw Refusal(
      fmt::format("--output {}: the name must end with .png, .jpg or .jpeg", file.string()));
}

ReadPicture read_picture(const fs::path& file) {
  const Bytes bytes = read_bytes(file);
  const bool png = begins(bytes, {0x89, 'P', 'N', 'G', 0x0D, 0x0A, 0x1A, 0x0A});
  if (!png && !begins(bytes, {0xFF, 0xD8, 0xFF}))
    throw Refusal(fmt::format("{} is {}", file.string(),
                              bytes.empty() ? "empty" : "neither a PNG nor a JPEG file"));
  try {
    return {png ? decode_png(bytes) : decode_jpeg(bytes), png ? Format::png : Format::jpeg};
  } catch (const std::exception& e) {
    throw Refusal(fmt::format("{} is not a whole {} file: {}", file.string(), png ? "PNG" : "JPEG",
                              e.what()));
  }
}

Bytes encode(const Picture& picture, Format format) {
  return format == Format::png ? encode_png(picture) : encode_jpeg(picture);
}

void write_file(const fs::path& file, const Bytes& bytes) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored))
    throw Refusal(fmt::format("--output {} is a folder; name a file in it", file.string()));
  // A device or a pipe is written to as it is. A file is replaced by a whole one, or stays as it was.
  const bool plain = !fs::exists(file, ignored) || fs::is_regular_file(file, ignored);
  const fs::path to = plain ? fs::path(fmt::format("{}.{}.part", file.string(), getpid())) : file;
  const int descriptor = ::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) cannot_write(file, errno);
  int error = write_all(descriptor, bytes);
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0 && plain && std::rename(to.c_str(), file.c_str()) != 0) error = errno;
  if (error == 0) return;
  if (plain) ::unlink(to.c_str());
  cannot_write(file, error);
}

fs::path write_new_file(const fs::path& stem, Format format, const Bytes& bytes) {
  for (int n = 1;; ++n) {
    fs::path file = stem;
    if (n > 1) file += fmt::format("-{}", n);
    file += format == Format::png ? ".png" : ".jpg";
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == EEXIST) continue;
    if (descriptor < 0) cannot_write(file, errno);
    int error = write_all(descriptor, bytes);
    if (::close(descriptor) != 0 && error == 0) error = errno;
    if (error == 0) return file;
    ::unlink(file.c_str());
    cannot_write(file, error);
  }
}

int exif_orientation(std::span<const std::uint8_t> tiff) {
  const auto is = [&](std::size_t at, char c) { return tiff[at] == static_cast<std::uint8_t>(c); };
  if (tiff.size() < 8 || !((is(0, 'I') && is(1, 'I')) || (is(0, 'M') && is(1, 'M')))) return 1;
  const bool little = is(0, 'I');
  const auto number = [&](std::size_t at, std::size_t bytes) {
    std::uint32_t v = 0;
    for (std::size_t i = 0; i < bytes; ++i) v = v << 8 | tiff[at + (little ? bytes - 1 - i : i)];
    return v;
  };
  constexpr std::uint32_t orientation = 0x0112;
  const std::size_t directory = number(4, 4);
  if (directory > tiff.size() - 2) return 1;
  const std::size_t entries = number(directory, 2);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t at = directory + 2 + 12 * i;
    if (at + 12 > tiff.size()) return 1;
    if (number(at, 2) == orientation) return static_cast<int>(number(at + 8, 2));
  }
  return 1;
}

}  // namespace warpath::cli
