#include "cli/ladder_files.h"

#include <algorithm>
#include <cctype>
#include <fstream>

#include "core/host/registry.h"

namespace fs = std::filesystem;

namespace warpath::cli {

std::vector<fs::path> ladder_of(const fs::path& rung) {
  const std::string stem = rung.stem().string(), name = rung_name(rung.string());
  const std::string part = stem.substr(0, stem.size() - name.size());  // "backward_"
  std::vector<fs::path> ladder;
  std::error_code ignored;
  for (const auto& e : fs::directory_iterator(rung.parent_path(), ignored)) {
    const std::string file = e.path().stem().string(), other = rung_name(e.path().string());
    if (e.path().extension() == ".cu" && file == part + other &&
        std::isdigit(static_cast<unsigned char>(other[0])) != 0)
      ladder.push_back(e.path());
  }
  std::sort(ladder.begin(), ladder.end());
  return ladder;
}

fs::path next_on_ladder(const fs::path& root, const fs::path& rung) {
  // ops/FAMILY/OP/RUNG.cu
  if (rung.parent_path().parent_path().parent_path() != root / "ops") return {};
  const std::vector<fs::path> ladder = ladder_of(rung);
  const auto at = std::find(ladder.begin(), ladder.end(), rung);
  return at == ladder.end() || at + 1 == ladder.end() ? fs::path() : *(at + 1);
}

std::string head_line(const fs::path& file) {
  std::ifstream in(file);
  std::string text;
  for (std::string line;
       !text.ends_with('.') && std::getline(in, line) && line.starts_with("//");) {
    const std::size_t begin = line.find_first_not_of("/ ");
    if (begin == line.npos) break;
    text += (text.empty() ? "" : " ") + line.substr(begin);
  }
  return text;
}

}  // namespace warpath::cli
