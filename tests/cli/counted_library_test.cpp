// A rung that was compiled to be counted is taken again as long as nothing that it is made of has changed.
#include "cli/counted_library.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "harness/library.h"

namespace fs = std::filesystem;
using warpath::cli::counted_library;

namespace {

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

// A source tree with one rung, and a build folder.
struct Tree {
  fs::path root = fs::temp_directory_path() / ("counted_library_test." + std::to_string(getpid()));
  fs::path rung = root / "ops/layout/copy/01_naive.cu";
  warpath::harness::Places places{root / "build/bin/warpath", root / "build/lib", root};

  Tree() {
    write(rung, "#include \"ops/layout/copy/tile.cuh\"\n__global__ void copy() {}\n");
    write(root / "ops/layout/copy/tile.cuh", "// One.\n");
    write(root / "simt/include/cuda_runtime.h", "");
    write(root / "build/bin/warpath-cc", "a compiler");
  }
  ~Tree() { fs::remove_all(root); }
  fs::path name(const std::string& type = "f32") const {
    return counted_library(places, rung, type);
  }
};

}  // namespace

TEST(CountedLibrary, ItsNameChangesWithWhatItIsMadeOf) {
  const Tree tree;
  const fs::path first = tree.name();
  EXPECT_EQ(first, tree.name());
  EXPECT_EQ(first.parent_path(), tree.root / "build/xray/counted");
  EXPECT_TRUE(first.filename().string().starts_with("copy_01_naive_f32."));
  // A comment too: the counts name lines.
  write(tree.root / "ops/layout/copy/tile.cuh", "// One\n// more.\n");
  const fs::path second = tree.name();
  EXPECT_NE(first, second);
  write(tree.root / "build/bin/warpath-cc", "another compiler");
  const fs::path third = tree.name();
  EXPECT_NE(second, third);
  write(tree.root / "simt/include/cuda_runtime.h", "// longer\n");
  EXPECT_NE(third, tree.name());
}

TEST(CountedLibrary, OnlyOfRungsOfTheTree) {
  const Tree tree;
  write(tree.root / "mine.cu", "__global__ void copy() {}\n");
  EXPECT_TRUE(counted_library(tree.places, tree.root / "mine.cu", "f32").empty());
}

TEST(CountedLibrary, TheOlderOneGoes) {
  const Tree tree;
  const fs::path built = tree.root / "built.so", first = tree.name(), other = tree.name("");
  write(built, "library");
  ASSERT_TRUE(warpath::cli::keep_counted_library(built, first));
  ASSERT_TRUE(warpath::cli::keep_counted_library(built, other));
  write(tree.rung, "__global__ void copy() {}\n");
  const fs::path second = tree.name();
  ASSERT_NE(first, second);
  ASSERT_TRUE(warpath::cli::keep_counted_library(built, second));
  EXPECT_FALSE(fs::exists(first));
  EXPECT_TRUE(fs::exists(second));
  EXPECT_TRUE(fs::exists(other));  // of all types
}
