#include "driver/inputs.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "messages/nearest.h"

namespace simt::cc {
namespace {

namespace fs = std::filesystem;

// The compiler would answer a file that is no text with pages of it. Text holds no zero bytes, but
// in UTF-16, which no CUDA compiler takes.
std::string problem_of_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return "cannot read '" + path + "'";
  std::string head(64 * 1024, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  const std::string_view start(head);
  const bool utf16 = start.substr(0, 2) == "\xff\xfe" || start.substr(0, 2) == "\xfe\xff";
  if (utf16) return "'" + path + "' is UTF-16 text; save it as UTF-8";
  if (start.find('\0') != start.npos) return "'" + path + "' is no source: it holds binary data";
  return "";
}

// Of the files in its folder that end as it does.
std::string did_you_mean_beside(const fs::path& path) {
  std::vector<std::string> beside;
  std::error_code ignored;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == path.extension())
      beside.push_back((path.parent_path() / entry.path().filename()).string());
  }
  std::sort(beside.begin(), beside.end());
  return did_you_mean(path.string(), beside);
}

}  // namespace

std::string problem_of_input(const std::string& path, bool is_source) {
  if (!fs::exists(path)) return "no such file: '" + path + "'" + did_you_mean_beside(path);
  if (fs::is_directory(path)) return "'" + path + "' is a folder";
  return is_source ? problem_of_text(path) : "";
}

std::string problem_of_output(const std::string& path) {
  if (path.empty() || path == "-") return "";
  if (fs::is_directory(path)) return "cannot write '" + path + "': it is a folder";
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : ".";
  if (!fs::is_directory(folder)) {
    return "cannot write '" + path + "': there is no folder '" + folder.string() + "'";
  }
  const std::string target = fs::exists(path) ? path : folder.string();
  if (access(target.c_str(), W_OK) != 0) return "cannot write '" + path + "': not allowed";
  return "";
}

}  // namespace simt::cc
