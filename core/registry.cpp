#include "core/registry.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace warpath {

Library& library() {
  static Library l;
  return l;
}

// The stem from its first "NN_" on; "wrong/" is kept so that a wrong kernel never passes for a
// rung.
std::string rung_name(const std::string& file) {
  const std::filesystem::path path(file);
  const std::string stem = path.stem().string();
  if (path.parent_path().filename() == "wrong") return "wrong/" + stem;
  const auto digit = [&](std::size_t i) {
    return std::isdigit(static_cast<unsigned char>(stem[i])) != 0;
  };
  for (std::size_t i = 0; i + 2 < stem.size(); ++i)
    if (digit(i) && digit(i + 1) && stem[i + 2] == '_' && (i == 0 || stem[i - 1] == '_'))
      return stem.substr(i);
  return stem;
}

int rung_arch(const std::string& file) {
  return std::filesystem::path(file).stem().string().ends_with("_sm90") ? 90 : 0;
}

}  // namespace warpath

// Registrars run in an order the linker chooses: sort, so that a ladder always reads from the
// bottom up.
extern "C" __attribute__((visibility("default"))) const warpath::Library* warpath_library() {
  warpath::Library& l = warpath::library();
  std::sort(l.ops.begin(), l.ops.end(),
            [](const auto& a, const auto& b) { return a.contract.name() < b.contract.name(); });
  std::sort(l.rungs.begin(), l.rungs.end(), [](const auto& a, const auto& b) {
    return std::tie(a.op, a.peer, a.name) < std::tie(b.op, b.peer, b.name);
  });
  return &l;
}
