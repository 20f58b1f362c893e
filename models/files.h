// Files that are there whole or not at all.
#pragma once
#include <cstdio>
#include <filesystem>
#include <string>

namespace warpath::models {

// Written beside its place, synced and moved there by finish(); without that nothing is left.
class WholeFile {
 public:
  explicit WholeFile(std::filesystem::path path);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  void write(const void* data, std::size_t bytes);
  void finish();

 private:
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path path_, partial_;
  std::FILE* file_ = nullptr;
};

void write_whole(const std::filesystem::path& path, const std::string& text);
std::string read_whole(const std::filesystem::path& path);

// What was renamed or made in a folder is there after a crash, too.
void sync_folder(const std::filesystem::path& folder);

}  // namespace warpath::models
