// What the code of a rung is: tells whether a time is of the code that is here.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace warpath::cli {

// A digest of a rung's file, of the other .cu files whose kernels it launches, and of all headers of the source tree that these
// include. Comments, spaces and texts in quotes do not count. Each file is read once.
class SourceDigests {
 public:
  // `every_letter`: comments, spaces and texts count too, for what names the lines of a file.
  explicit SourceDigests(std::filesystem::path root, bool every_letter = false)
      : root_(std::move(root)), every_letter_(every_letter) {}

  // Sixteen hex digits. `file` as its rung was compiled from it, here or in another folder. Empty: it is not in this tree.
  std::string of(const std::string& file);

 private:
  struct Source {
    std::uint64_t code = 0;
    std::set<std::filesystem::path> headers;  // from the root
  };
  const Source& read(const std::filesystem::path& path);
  void collect(const std::filesystem::path& path,
               std::map<std::filesystem::path, std::uint64_t>& into);

  std::filesystem::path root_;
  bool every_letter_;
  std::map<std::filesystem::path, Source> sources_;
};

}  // namespace warpath::cli
