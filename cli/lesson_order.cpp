#include "cli/lesson_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "cli/op_names.h"
#include "core/host/error.h"

namespace fs = std::filesystem;

namespace warpath::cli {
namespace {

using harness::OpFolder;

// The folders that the ops of this folder come after.
std::set<std::string> predecessors(const harness::Places& places, const OpFolder& folder,
                                   const std::map<std::string, std::string>& folder_of_op) {
  std::set<std::string> before;
  for (const Op* op : harness::open_folder(places, folder.name, "").ops)
    for (const std::string& name : op->contract.after()) {
      const auto at = folder_of_op.find(name);
      if (at == folder_of_op.end())
        throw Error(fmt::format("{} comes after '{}', which is no op", op->contract.name(), name));
      if (at->second != folder.name) before.insert(at->second);
    }
  return before;
}

}  // namespace

std::vector<OpFolder> lesson_order(const fs::path& root) {
  harness::Places places = harness::find_places();
  places.root = root;
  std::vector<OpFolder> rest = harness::op_folders(root);
  std::map<std::string, std::string> folder_of_op;
  for (const OpFolder& f : rest)
    for (const std::string& op : f.ops) folder_of_op[op] = f.name;
  std::map<std::string, std::set<std::string>> before;
  for (const OpFolder& f : rest) before[f.name] = predecessors(places, f, folder_of_op);

  std::vector<OpFolder> ordered;
  std::set<std::string> done;
  while (!rest.empty()) {
    const auto next = std::find_if(rest.begin(), rest.end(), [&](const OpFolder& f) {
      return std::includes(done.begin(), done.end(), before[f.name].begin(), before[f.name].end());
    });
    if (next == rest.end())
      throw Error(fmt::format("{} comes after itself, by way of others", rest.front().name));
    done.insert(next->name);
    ordered.push_back(std::move(*next));
    rest.erase(next);
  }
  return ordered;
}

std::string lesson_list(const fs::path& root, const fs::path& page) {
  const auto link = [&](const std::string& text, const fs::path& folder) {
    return fmt::format("[{}]({})", text,
                       (folder / "README.md").lexically_relative(page).generic_string());
  };
  std::vector<std::string> families;
  std::map<std::string, std::vector<std::string>> lessons;
  for (const OpFolder& f : lesson_order(root)) {
    add_unique(families, f.family);
    lessons[f.family].push_back(link(f.name, f.path));
  }
  std::string text;
  for (const std::string& family : families)
    text += fmt::format("1. {}: {}\n", link(family, root / "ops" / family), join(lessons[family]));
  return text;
}

}  // namespace warpath::cli
