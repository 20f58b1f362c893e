#include "driver/cccl.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace simt::cc {
namespace {

namespace fs = std::filesystem;

// Present since CCCL 2.5, which is in CUDA 12.5; older ones ask for nvcc in every header.
constexpr const char* newest_marker = "cuda/std/__cccl/compiler.h";

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_toolkit(const fs::path& folder) {
  return is_there(folder / "cuda_runtime.h") || is_there(folder / "cub/cub.cuh") ||
         is_there(folder / newest_marker);
}

bool has_cccl(const fs::path& folder) {
  return is_there(folder / newest_marker) && is_there(folder / "thrust/version.h");
}

// Entries of a folder whose names begin with `prefix`, the last in the alphabet first.
std::vector<fs::path> entries(const fs::path& folder, const std::string& prefix) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().filename().string().rfind(prefix, 0) == 0) found.push_back(entry.path());
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

void add_environment(std::vector<fs::path>& folders, const char* name, const char* below) {
  const char* const value = std::getenv(name);
  if (value != nullptr && *value != '\0') folders.push_back(fs::path(value) / below);
}

// pip puts the package nvidia-cuda-cccl here, under a name that depends on its version.
void add_python(std::vector<fs::path>& folders, const fs::path& prefix) {
  for (const fs::path& python : entries(prefix / "lib", "python3")) {
    for (const char* packages : {"site-packages", "dist-packages"}) {
      const fs::path nvidia = python / packages / "nvidia";
      for (const fs::path& version : entries(nvidia, "cu")) folders.push_back(version / "include");
    }
  }
}

}  // namespace

std::vector<std::string> take_toolkit_folders(std::vector<std::string>& flags) {
  std::vector<std::string> taken, kept;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const bool separate = (flags[i] == "-I" || flags[i] == "-isystem") && i + 1 < flags.size();
    const bool joined = !separate && flags[i].rfind("-I", 0) == 0;
    const std::string folder = separate ? flags[i + 1] : joined ? flags[i].substr(2) : "";
    if (!folder.empty() && is_toolkit(folder)) {
      taken.push_back(folder);
    } else {
      kept.push_back(flags[i]);
      if (separate) kept.push_back(flags[i + 1]);
    }
    if (separate) ++i;
  }
  flags = kept;
  return taken;
}

std::string find_cccl(const std::vector<std::string>& given) {
  std::vector<fs::path> folders(given.begin(), given.end());
  // Whoever sets this means this one.
  if (const char* const home = std::getenv("CCCL_HOME"); home != nullptr && *home != '\0') {
    return has_cccl(home) ? home : "";
  }
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) add_environment(folders, name, "include");
  folders.push_back("/usr/local/cuda/include");
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') add_python(folders, value);
  }
  if (const char* const home = std::getenv("HOME")) add_python(folders, fs::path(home) / ".local");
  for (const char* prefix : {"/usr/local", "/usr"}) add_python(folders, prefix);
  for (const fs::path& toolkit : entries("/usr/local", "cuda-")) {
    folders.push_back(toolkit / "include");
  }
  for (const fs::path& folder : folders) {
    for (const fs::path& place : {folder / "cccl", folder}) {
      if (has_cccl(place)) return place;
    }
  }
  return "";
}

std::string missing_cccl_hint(const std::string& source_text) {
  const bool thrust = source_text.find("thrust/") != std::string::npos;
  if (!thrust && source_text.find("cuda/ptx") == std::string::npos) return "";
  return std::string(thrust ? "<thrust/...>" : "<cuda/ptx>") +
         " comes from NVIDIA's CCCL 2.5 or newer, which is not here: pip install "
         "nvidia-cuda-cccl, or set CCCL_HOME to its include folder";
}

}  // namespace simt::cc
