#include "harness/library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <tuple>

#include "harness/backend.h"

namespace fs = std::filesystem;

namespace warpath::harness {

fs::path Places::device_library(const std::string& backend) const {
  return lib / ("device_" + backend + ".so");
}

fs::path Places::check_library() const {
  return lib / check_library_file;
}

fs::path Places::op_library(const std::string& folder, const std::string& backend,
                            bool wrong) const {
  return lib / (folder + (wrong ? "_wrong_" : "_") + backend + ".so");
}

Places find_places() {
  Places p;
  std::error_code ignored;
  p.program = fs::read_symlink("/proc/self/exe", ignored);
  const char* lib = std::getenv("WARPATH_LIB");
  p.lib = lib && *lib ? fs::path(lib) : p.program.parent_path().parent_path() / "lib";
  if (const char* root = std::getenv("WARPATH_ROOT"); root && *root) {
    p.root = root;
    return p;
  }
  // A build folder is inside the tree. If it is elsewhere, the tree it was built from is used.
  for (fs::path at = p.program.parent_path(); at.has_relative_path(); at = at.parent_path())
    if (fs::exists(at / "core" / "host" / "registry.h", ignored) &&
        fs::is_directory(at / "ops", ignored)) {
      p.root = at;
      return p;
    }
  p.root = WARPATH_SOURCE_DIR;
  return p;
}

OpenLibrary open_library(const fs::path& path) {
  OpenLibrary l;
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* why = dlerror();
    l.error = why ? why : "cannot be opened";
    return l;
  }
  l.loaded = true;
  using Entry = const Library* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(handle, "warpath_library"));
  if (!entry) {
    l.error = path.string() + ": not an op library (it has no warpath_library)";
    return l;
  }
  l.registry = entry();
  return l;
}

namespace {

// What a header declares: static constexpr const char* op = "softmax".
std::vector<std::string> declared_ops(const fs::path& header) {
  std::ifstream in(header);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  static const std::string declaration = "op = \"";
  std::vector<std::string> names;
  for (std::size_t at = text.find(declaration); at != text.npos;
       at = text.find(declaration, at + 1)) {
    const bool whole =
        at == 0 || !(std::isalnum(static_cast<unsigned char>(text[at - 1])) || text[at - 1] == '_');
    const std::size_t begin = at + declaration.size(), end = text.find('"', begin);
    if (whole && end != text.npos && end > begin) names.push_back(text.substr(begin, end - begin));
  }
  return names;
}

}  // namespace

std::vector<OpFolder> op_folders(const fs::path& root) {
  std::vector<OpFolder> found;
  std::error_code ignored;
  for (const auto& family : fs::directory_iterator(root / "ops", ignored))
    for (const auto& folder : fs::directory_iterator(family.path(), ignored)) {
      const std::string name = folder.path().filename().string();
      const fs::path header = folder.path() / (name + ".h");
      if (fs::exists(header, ignored))
        found.push_back(
            {family.path().filename().string(), name, folder.path(), declared_ops(header)});
    }
  std::sort(found.begin(), found.end(), [](const OpFolder& a, const OpFolder& b) {
    return std::tie(a.family, a.name) < std::tie(b.family, b.name);
  });
  return found;
}

std::optional<OpFolder> find_folder(const fs::path& root, const std::string& name) {
  const std::vector<OpFolder> all = op_folders(root);
  for (const OpFolder& f : all)
    if (f.name == name) return f;
  for (const OpFolder& f : all)
    if (std::find(f.ops.begin(), f.ops.end(), name) != f.ops.end()) return f;
  return std::nullopt;
}

OpenFolder open_folder(const Places& places, const std::string& folder, const std::string& backend,
                       bool wrong) {
  OpenFolder found;
  const auto open = [&](const fs::path& path) -> const Library* {
    const OpenLibrary l = open_library(path);
    if (!l.ok() && found.ok()) found.error = l.error;
    return l.registry;
  };
  const fs::path host = places.op_library(folder, "host");
  std::error_code ignored;
  const bool has_host = fs::exists(host, ignored);
  if (has_host || backend.empty())
    if (const Library* l = open(host))
      for (const Op& op : l->ops) found.ops.push_back(&op);
  if (backend.empty()) return found;
  if (!has_host)
    if (const Library* l = open(places.op_library(folder, backend)))
      for (const Op& op : l->ops) found.ops.push_back(&op);
  if (const Library* l = open(places.op_library(folder, backend, wrong)))
    for (const Rung& r : l->rungs) found.rungs.push_back(&r);
  return found;
}

std::vector<std::string> built_folders(const Places& places, const std::string& backend,
                                       bool wrong) {
  const std::string tail = (wrong ? "_wrong_" : "_") + backend + ".so";
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(places.lib, ignored)) {
    std::string file = entry.path().filename().string();
    if (!file.ends_with(tail)) continue;
    file.resize(file.size() - tail.size());
    if (file == "device" || (!wrong && file.ends_with("_wrong"))) continue;
    found.push_back(file);
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace warpath::harness
