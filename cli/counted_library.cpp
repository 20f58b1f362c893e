#include "cli/counted_library.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

#include "cli/source_digest.h"

namespace fs = std::filesystem;

namespace warpath::cli {
namespace {

// "1234@5678": how long a file is and when it was written.
std::string stamp(const fs::path& file) {
  std::error_code ignored;
  const auto size = fs::file_size(file, ignored);
  return fmt::format("{}@{}", size, fs::last_write_time(file, ignored).time_since_epoch().count());
}

// Of the compiler, of what it links, and of the headers that it puts in place of CUDA's.
std::string compiler_stamp(const harness::Places& places) {
  std::string all;
  std::vector<fs::path> files = {places.program.parent_path() / "warpath-cc",
                                 places.lib / "libsimt_xray.so", places.lib / "libwarpath_rung.a",
                                 places.root / "core/host/one_float.cuh"};
  std::error_code ignored;
  for (const auto& e : fs::recursive_directory_iterator(places.root / "simt/include", ignored))
    if (e.is_regular_file(ignored)) files.push_back(e.path());
  for (const fs::path& file : files) all += stamp(file) + ' ';
  return all;
}

std::string short_digest(const std::string& text) {
  std::uint64_t h = 0xcbf29ce484222325;  // FNV-1a
  for (const unsigned char c : text) h = (h ^ c) * 0x100000001b3;
  return fmt::format("{:016x}", h);
}

}  // namespace

fs::path counted_library(const harness::Places& places, const fs::path& source,
                         const std::string& one_float) {
  const std::string from_root = source.lexically_relative(places.root).string();
  if (!from_root.starts_with("ops/")) return {};
  const std::string text = SourceDigests(places.root, true).of(source.string());
  if (text.empty()) return {};
  const std::string name =
      fmt::format("{}_{}_{}", source.parent_path().filename().string(), source.stem().string(),
                  one_float.empty() ? "all" : one_float);
  const std::string key = short_digest(text + source.string() + compiler_stamp(places));
  return places.lib.parent_path() / "xray" / "counted" / fmt::format("{}.{}.so", name, key);
}

bool keep_counted_library(const fs::path& built, const fs::path& kept) try {
  fs::create_directories(kept.parent_path());
  // Another process may do the same: each renames a copy of its own.
  const fs::path copy = fmt::format("{}.{}", kept.string(), getpid());
  fs::copy_file(built, copy, fs::copy_options::overwrite_existing);
  fs::rename(copy, kept);
  const std::string name = kept.stem().stem().string() + '.';
  for (const auto& e : fs::directory_iterator(kept.parent_path()))
    if (e.path().filename().string().starts_with(name) && e.path() != kept &&
        e.path().extension() == ".so")
      fs::remove(e.path());
  return true;
} catch (const fs::filesystem_error&) {
  return false;
}

}  // namespace warpath::cli
