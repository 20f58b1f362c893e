#include "messages/lacking_cub.h"

#include <cstdlib>
#include <set>
#include <sstream>

namespace simt::cc {
namespace {

// `# 12 "file" 1 3`: line 12 of the file follows; 1: it is entered.
struct Marker {
  unsigned line = 0;
  std::string file;
  bool enters = false;
};

bool read_marker(const std::string& text, Marker& marker) {
  if (text.rfind("# ", 0) != 0) return false;
  const std::size_t open = text.find('"'), close = text.rfind('"');
  if (open == text.npos || close == open) return false;
  marker = {static_cast<unsigned>(std::strtoul(text.c_str() + 2, nullptr, 10)),
            text.substr(open + 1, close - open - 1), text.find(" 1", close) != text.npos};
  return true;
}

bool is_below(const std::string& file, const std::string& folder) {
  return !folder.empty() && file.rfind(folder + "/", 0) == 0;
}

std::set<std::string> files_with_errors(const std::string& messages) {
  std::set<std::string> files;
  std::istringstream lines(messages);
  for (std::string text; std::getline(lines, text);) {
    if (text.find(" error: ") != text.npos) files.insert(text.substr(0, text.find(':')));
  }
  return files;
}

}  // namespace

std::vector<CubHeader> failing_cub(const std::string& preprocessed, const std::string& messages,
                                   const std::string& cccl, const std::string& include) {
  std::vector<CubHeader> found;
  const std::set<std::string> failing = files_with_errors(messages);
  const auto is_program = [&](const std::string& file) {
    return !is_below(file, cccl) && !is_below(file, include);
  };
  std::istringstream lines(preprocessed);
  SourceLocation here{"", 0, 0};
  CubHeader header;
  bool inside = false, told = false;
  Marker marker;
  for (std::string text; std::getline(lines, text); ++here.line) {
    if (!read_marker(text, marker)) continue;
    if (marker.enters && is_program(here.file) && is_below(marker.file, cccl + "/cub")) {
      header = {here, marker.file.substr(cccl.size() + 1)};
      inside = true;
      told = false;
    } else if (marker.file == header.included_at.file) {
      inside = false;
    }
    if (inside && !told && failing.contains(marker.file)) {
      found.push_back(header);
      told = true;
    }
    here = {marker.file, marker.line - 1, 0};
  }
  return found;
}

}  // namespace simt::cc
