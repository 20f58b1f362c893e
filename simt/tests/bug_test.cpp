// Compiles with --check and runs every bugs/NAME.cu, whose report must contain the lines of
// NAME.expect and whose exit status must not be 0, and every bugs/right/NAME.cu, which must be silent.
// The programs of programs/ and conformance/ must be silent too, but those with a NAME.check: its lines
// must be reported. NAME.plain says why a program is not run here.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "shell.h"

namespace {

namespace fs = std::filesystem;

using simt_test::read;
using simt_test::shell;

bool has(const fs::path& source, const char* suffix) {
  return fs::exists(fs::path(source).replace_extension(suffix));
}

// A line of an .expect may be "this || that": compilers differ in what they know of a pointer.
bool has_either(const std::string& report, const std::string& line) {
  constexpr std::string_view either = " || ";
  std::size_t begin = 0;
  for (std::size_t end; (end = line.find(either, begin)) != std::string::npos;
       begin = end + either.size())
    if (report.find(line.substr(begin, end - begin)) != std::string::npos) return true;
  return report.find(line.substr(begin)) != std::string::npos;
}

class Checked : public testing::Test {
 public:
  Checked(fs::path source, bool right) : source_(std::move(source)), right_(right) {}

  void TestBody() override {
    const fs::path folder = fs::temp_directory_path() /
                            ("simt-bug-" + std::to_string(getpid()) + source_.stem().string());
    fs::create_directories(folder);
    compile_and_run(folder);
    fs::remove_all(folder);
  }

 private:
  fs::path beside(const char* suffix) const { return fs::path(source_).replace_extension(suffix); }

  void compile_and_run(const fs::path& folder) {
    const std::string program = folder / "program", err = folder / "err";
    std::string flags = read(beside(".flags"));
    std::replace(flags.begin(), flags.end(), '\n', ' ');
    ASSERT_EQ(
        shell("cd '" + source_.parent_path().string() + "' && '" SIMT_CC "' --check " +
              source_.filename().string() + " " + flags + " -o '" + program + "' 2> '" + err + "'"),
        0)
        << read(err);
    const int status = shell("timeout 120 '" + program + "' > /dev/null 2> '" + err + "'");
    const std::string report = read(err);
    if (right_) {
      EXPECT_EQ(status, 0);
      // Nothing at all, but for a program whose own message is expected: then no finding.
      const char* const silent = has(source_, ".err") ? "simt check" : "simt";
      std::istringstream lines(report);
      for (std::string line; std::getline(lines, line);) {
        if (line.find("simt check: warning: ") == 0) continue;  // of leaks
        EXPECT_EQ(line.find(silent), std::string::npos) << report;
      }
      return;
    }
    EXPECT_NE(status, 0);
    const fs::path wanted = fs::exists(beside(".expect")) ? beside(".expect") : beside(".check");
    std::istringstream lines(read(wanted));
    unsigned count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      EXPECT_TRUE(has_either(report, line)) << "missing: " << line << "\nin:\n" << report;
    }
    EXPECT_GT(count, 0u) << "no lines are expected";
  }

  fs::path source_;
  bool right_;
};

void add_folder(const fs::path& folder, const char* suite) {
  std::vector<fs::path> sources;
  for (const auto& entry : fs::directory_iterator(folder)) {
#ifndef SIMT_HAS_CCCL
    const std::string file = entry.path().filename();
    if (file.rfind("thrust_", 0) == 0 || file.rfind("cccl_", 0) == 0) continue;
#endif
#ifndef SIMT_HAS_CUBLAS
    if (entry.path().filename().string().rfind("cublas_", 0) == 0) continue;
#endif
    if (entry.path().extension() == ".cu" && !has(entry.path(), ".fail") &&
        !has(entry.path(), ".plain"))
      sources.push_back(entry.path());
  }
  std::sort(sources.begin(), sources.end());
  for (const fs::path& source : sources) {
    const bool right = !has(source, ".expect") && !has(source, ".check");
    testing::RegisterTest(
        suite, source.stem().c_str(), nullptr, nullptr, __FILE__, __LINE__,
        [source, right]() -> testing::Test* { return new Checked(source, right); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  setenv("SIMT_SLOW", "0", 1);  // on a busy machine a kernel may take its time
  add_folder(SIMT_BUGS, "Bug");
  add_folder(SIMT_BUGS "/right", "Right");
  add_folder(SIMT_PROGRAMS, "CheckedProgram");
  add_folder(SIMT_CONFORMANCE, "CheckedConformance");
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
