#include "models/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "core/host/error.h"

namespace fs = std::filesystem;

namespace warpath::models {

void WholeFile::fail(const char* what) const {
  throw Error(path_.string() + ": cannot be " + what + ": " + std::strerror(errno));
}

WholeFile::WholeFile(fs::path path)
    : path_(std::move(path)), partial_(path_.string() + ".partial") {
  file_ = std::fopen(partial_.c_str(), "wb");
  if (!file_) fail("written");
}

WholeFile::~WholeFile() {
  if (!file_) return;
  std::fclose(file_);
  std::error_code ignored;
  fs::remove(partial_, ignored);
}

void WholeFile::write(const void* data, std::size_t bytes) {
  if (bytes > 0 && std::fwrite(data, 1, bytes, file_) != bytes) fail("written");
}

void WholeFile::finish() {
  if (std::fflush(file_) != 0 || fsync(fileno(file_)) != 0) fail("written");
  const int closed = std::fclose(file_);
  file_ = nullptr;
  if (closed != 0 || std::rename(partial_.c_str(), path_.c_str()) != 0) fail("written");
  sync_folder(path_.parent_path());
}

void write_whole(const fs::path& path, const std::string& text) {
  WholeFile file(path);
  file.write(text.data(), text.size());
  file.finish();
}

std::string read_whole(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(path.string() + ": cannot be opened");
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (in.bad()) throw Error(path.string() + ": cannot be read");
  return text;
}

void sync_folder(const fs::path& folder) {
  const int handle = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (handle < 0) return;  // some file systems have no such handle
  fsync(handle);
  close(handle);
}

}  // namespace warpath::models
