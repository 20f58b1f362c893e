// The op libraries beside the program, opened at run time, and the tree of ops they are built from.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/host/registry.h"

namespace warpath::harness {

// An opened library. It is never closed, because pointers to what it registered live until the
// program ends.
struct OpenLibrary {
  const Library* registry = nullptr;
  std::string error;    // why it could not be opened
  bool loaded = false;  // it is a library, whatever it holds
  bool ok() const { return registry != nullptr; }
};
OpenLibrary open_library(const std::filesystem::path& path);

// ops/FAMILY/NAME of the source tree.
struct OpFolder {
  std::string family, name;
  std::filesystem::path path;
  std::vector<std::string> ops;  // that its header declares: softmax, softmax_backward
};

// Where the program finds its parts. WARPATH_LIB and WARPATH_ROOT override it, for a program that
// was moved.
struct Places {
  std::filesystem::path program;  // this executable
  std::filesystem::path lib;      // ../lib beside it
  std::filesystem::path root;     // of the source tree: ops/, core/
  std::filesystem::path device_library(const std::string& backend) const;
  std::filesystem::path check_library() const;  // for rungs built with checks
  std::filesystem::path op_library(const std::string& folder, const std::string& backend,
                                   bool wrong = false) const;
};
Places find_places();

// The folders of the source tree, by family and name.
std::vector<OpFolder> op_folders(const std::filesystem::path& root);
// The one of that name, or the one whose header declares an op of that name.
std::optional<OpFolder> find_folder(const std::filesystem::path& root, const std::string& name);

// Names of folders for which the backend has a library, sorted. Backend "host": the libraries
// without kernels.
std::vector<std::string> built_folders(const Places& places, const std::string& backend,
                                       bool wrong = false);

// The ops of one folder, from its host library, and the rungs of one backend; no backend: only the
// ops. A library that has no host library beside it may define its ops itself.
struct OpenFolder {
  std::vector<const Op*> ops;
  std::vector<const Rung*> rungs;  // of each op in ladder order, peers last
  std::string error;
  bool ok() const { return error.empty(); }
};
OpenFolder open_folder(const Places& places, const std::string& folder, const std::string& backend,
                       bool wrong = false);

}  // namespace warpath::harness
