// Compiles every programs/NAME.cu and conformance/NAME.cu with the real driver, runs it, and compares
// what it does:
//   NAME.out    its whole standard output          NAME.rc     its exit status (default 0)
//   NAME.err    lines that must occur in its standard error
//   NAME.flags  more arguments for the driver, relative to the programs' folder
//   NAME.fail   the program must not compile: lines that must occur in the driver's messages
// Programs named split_* run once more on fibers (SIMT_SPLIT=0), with the same results; all their kernels
// must be loops the first time.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "shell.h"

namespace {

namespace fs = std::filesystem;

using simt_test::read;
using simt_test::shell;

void expect_lines(const std::string& text, const fs::path& wanted) {
  std::istringstream lines(read(wanted));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_NE(text.find(line), std::string::npos) << "missing: " << line << "\nin:\n" << text;
  }
}

class Program : public testing::Test {
 public:
  explicit Program(fs::path source) : source_(std::move(source)) {}

  void TestBody() override {
    const fs::path folder =
        fs::temp_directory_path() / ("simt-test-" + std::to_string(getpid()) + "-" + name());
    fs::create_directories(folder);
    compile_and_run(folder);
    fs::remove_all(folder);
  }

 private:
  std::string name() const { return source_.stem(); }
  fs::path beside(const char* suffix) const { return fs::path(source_).replace_extension(suffix); }

  void compile_and_run(const fs::path& folder) {
    const std::string program = folder / "program";
    std::string flags = read(beside(".flags"));
    std::replace(flags.begin(), flags.end(), '\n', ' ');
    const bool split = name().rfind("split_", 0) == 0;
    if (split) flags += " -v";
    const std::string messages = folder / "messages";
    const int compiled = shell("cd '" + source_.parent_path().string() + "' && '" SIMT_CC "' " +
                               source_.filename().string() + " " + flags + " -o '" + program +
                               "' 2> '" + messages + "'");
    if (fs::exists(beside(".fail"))) {
      EXPECT_NE(compiled, 0) << "it must not compile";
      expect_lines(read(messages), beside(".fail"));
      return;
    }
    ASSERT_EQ(compiled, 0) << read(messages);
    run(folder, "");
    if (!split) return;
    for (const char* other : {"fibers: ", "once more, without loops"}) {
      EXPECT_EQ(read(messages).find(other), std::string::npos) << read(messages);
    }
    run(folder, "SIMT_SPLIT=0 ");
  }

  void run(const fs::path& folder, const std::string& environment) {
    const std::string out = folder / "out", err = folder / "err";
    const int status = shell("cd '" + folder.string() + "' && " + environment +
                             "timeout 120 ./program > '" + out + "' 2> '" + err + "'");
    const std::string wanted = read(beside(".rc"));
    EXPECT_EQ(status, wanted.empty() ? 0 : std::stoi(wanted)) << read(out) << read(err);
    if (fs::exists(beside(".out"))) {
      EXPECT_EQ(read(out), read(beside(".out")));
    }
    if (fs::exists(beside(".err"))) expect_lines(read(err), beside(".err"));
  }

  fs::path source_;
};

void add_folder(const fs::path& folder, const char* suite) {
  std::vector<fs::path> sources;
  for (const auto& entry : fs::directory_iterator(folder)) {
#ifndef SIMT_HAS_CUBLAS
    if (entry.path().filename().string().rfind("cublas_", 0) == 0) continue;
#endif
#ifndef SIMT_HAS_CCCL
    const std::string file = entry.path().filename();
    if (file.rfind("thrust_", 0) == 0 || file.rfind("cccl_", 0) == 0) continue;
#endif
    if (entry.path().extension() == ".cu") sources.push_back(entry.path());
  }
  std::sort(sources.begin(), sources.end());
  for (const fs::path& source : sources) {
    testing::RegisterTest(suite, source.stem().c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [source]() -> testing::Test* { return new Program(source); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  add_folder(SIMT_PROGRAMS, "Program");
  add_folder(SIMT_CONFORMANCE, "Conformance");
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
