#pragma once

// The driver as a program, in a folder of its own with a few files.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "shell.h"

namespace simt_test {

namespace fs = std::filesystem;

class Driver : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("simt-driver-" + std::to_string(getpid()));
    fs::create_directories(folder_ / "tmp");
    write("k.h", "#pragma once\n__device__ int three() { return 3; }\n");
    write("k.cu",
          "#include <cstdio>\n#include \"k.h\"\n"
          "__global__ void k(int* p) { *p = three(); }\n"
          "extern \"C\" int run() { int* p; cudaMallocManaged(&p, 4); k<<<1, 1>>>(p);\n"
          "  cudaDeviceSynchronize(); return *p; }\n");
    write("main.cpp", "extern \"C\" int run();\nint main() { return run(); }\n");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const char* name, const char* text) { std::ofstream(folder_ / name) << text; }

  std::string read(const char* name) { return ::simt_test::read(folder_ / name); }

  // Runs a shell command in the folder; $CC is the driver. Its output is in output_.
  int shell(const std::string& command) {
    const std::string log = folder_ / "log";
    const int status = ::simt_test::shell("cd '" + folder_.string() +
                                          "' && export TMPDIR=\"$PWD/tmp\" CC='" SIMT_CC "' && ( " +
                                          command + " ) > '" + log + "' 2>&1");
    output_ = read("log");
    return status;
  }

  bool temporary_files_left() { return !fs::is_empty(folder_ / "tmp"); }

  fs::path folder_;
  std::string output_;
};

}  // namespace simt_test
