#include "harness/library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

namespace fs = std::filesystem;

namespace warpath::harness {

fs::path Places::device_library(const std::string& backend) const {
  return lib / ("device_" + backend + ".so");
}

fs::path Places::check_library() const {
  return lib / "libsimt_check.so";
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
  // A build folder lies inside the tree, or wherever its owner put it: then the tree it was built
  // from.
  for (fs::path at = p.program.parent_path(); at.has_relative_path(); at = at.parent_path())
    if (fs::exists(at / "core" / "registry.h", ignored) && fs::is_directory(at / "ops", ignored)) {
      p.root = at;
      return p;
    }
  p.root = WARPATH_SOURCE_DIR;
  return p;
}

OpenLibrary open_library(const fs::path& path, const std::string& folder) {
  OpenLibrary l;
  l.path = path;
  l.folder = folder;
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* why = dlerror();
    l.error = why ? why : "cannot be opened";
    return l;
  }
  using Entry = const Library* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(handle, "warpath_library"));
  if (!entry) {
    l.error = path.string() + ": not an op library (it has no warpath_library)";
    return l;
  }
  l.registry = entry();
  return l;
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

std::vector<std::string> source_folders(const Places& places) {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(places.root / "ops", ignored)) {
    const std::string folder = entry.path().filename().string();
    if (fs::exists(entry.path() / (folder + ".h"), ignored)) found.push_back(folder);
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace warpath::harness
