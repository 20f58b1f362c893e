// The op libraries beside the program, opened at run time: one a folder and backend.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/registry.h"

namespace warpath::harness {

// An opened library, never closed: what it registered is pointed to until the program ends.
struct OpenLibrary {
  std::filesystem::path path;
  std::string folder;  // of ops/
  const Library* registry = nullptr;
  std::string error;  // why it could not be opened
  bool ok() const { return registry != nullptr; }
};

// Where the program finds its parts. WARPATH_LIB and WARPATH_ROOT override, for a program that was
// moved.
struct Places {
  std::filesystem::path program;  // this executable
  std::filesystem::path lib;      // ../lib beside it
  std::filesystem::path root;     // of the source tree: ops/, core/
  std::filesystem::path device_library(const std::string& backend) const;
  std::filesystem::path check_library() const;  // of simt, for rungs built with checks
  std::filesystem::path op_library(const std::string& folder, const std::string& backend,
                                   bool wrong) const;
};
Places find_places();

OpenLibrary open_library(const std::filesystem::path& path, const std::string& folder);

// Folders for which the backend has a library, sorted.
std::vector<std::string> built_folders(const Places& places, const std::string& backend,
                                       bool wrong = false);
// Folders of ops/ in the source tree that hold something, sorted.
std::vector<std::string> source_folders(const Places& places);

}  // namespace warpath::harness
