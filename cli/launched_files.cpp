#include "cli/launched_files.h"

#include <map>
#include <regex>
#include <set>
#include <string>

#include "cli/source_text.h"

namespace fs = std::filesystem;

namespace warpath::cli {
namespace {

bool calls(const std::string& code, const std::string& name) {
  for (std::size_t at = 0; (at = find_word(code, name, at)) != code.npos; at += name.size())
    if (code.compare(at + name.size(), 1, "(") == 0) return true;
  return false;
}

// The functions that a file defines under a name with its namespace: void hopper::launch_pairs(const Args& args, …) {
std::set<std::string> qualified_definitions(const std::string& code) {
  static const std::regex definition(R"((?:^|\n)[A-Za-z_][\w:<>&* ]*\b\w+::(\w+)\()");
  std::set<std::string> names;
  for (std::sregex_iterator m(code.begin(), code.end(), definition), end; m != end; ++m)
    names.insert((*m)[1]);
  return names;
}

// The folders of the ops whose headers a file includes: ops/FAMILY/OP.
std::set<fs::path> op_folders(const fs::path& root, const std::string& text) {
  std::set<fs::path> folders;
  for (const fs::path header : includes_of(text)) {
    const fs::path folder = header.parent_path();
    if (folder.parent_path().parent_path() == "ops") folders.insert(root / folder);
  }
  return folders;
}

}  // namespace

std::vector<fs::path> launched_files(const fs::path& root, const fs::path& file) {
  const std::string text = read_text(file);
  std::map<fs::path, std::string> code;  // of each .cu file beside the headers
  for (const fs::path& folder : op_folders(root, text)) {
    std::error_code ignored;
    for (const auto& e : fs::directory_iterator(folder, ignored))
      if (e.path().extension() == ".cu" && !e.path().filename().string().starts_with("peers"))
        code[e.path()] = only_code(read_text(e.path()));
  }
  std::set<fs::path> found;
  std::vector<std::string> open = {only_code(text)};
  const std::set<std::string> own = qualified_definitions(open.front());
  while (!open.empty()) {
    const std::string caller = std::move(open.back());
    open.pop_back();
    for (const auto& [other, its_code] : code) {
      if (found.contains(other) || fs::weakly_canonical(other) == fs::weakly_canonical(file))
        continue;
      for (const std::string& name : qualified_definitions(its_code)) {
        if (own.contains(name) || !calls(caller, name)) continue;
        found.insert(other);
        open.push_back(its_code);
        break;
      }
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace warpath::cli
