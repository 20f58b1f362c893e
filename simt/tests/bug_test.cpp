// Compiles with --check and runs every bugs/NAME.cu, whose report must contain the lines of
// NAME.expect and whose exit status must not be 0, and every bugs/right/NAME.cu, which must be silent.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

int shell(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
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
  void compile_and_run(const fs::path& folder) {
    const std::string program = folder / "program", err = folder / "err";
    ASSERT_EQ(shell("'" SIMT_CC "' --check '" + source_.string() + "' -o '" + program + "' 2> '" +
                    err + "'"),
              0)
        << read(err);
    const int status = shell("timeout 120 '" + program + "' > /dev/null 2> '" + err + "'");
    const std::string report = read(err);
    if (right_) {
      EXPECT_EQ(status, 0);
      EXPECT_EQ(report, "");
      return;
    }
    EXPECT_EQ(status, 1);
    std::istringstream lines(read(fs::path(source_).replace_extension(".expect")));
    unsigned count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      EXPECT_NE(report.find(line), std::string::npos) << "missing: " << line << "\nin:\n" << report;
    }
    EXPECT_GT(count, 0u) << "no lines are expected";
  }

  fs::path source_;
  bool right_;
};

void add_folder(const fs::path& folder, const char* suite, bool right) {
  std::vector<fs::path> sources;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".cu") sources.push_back(entry.path());
  }
  std::sort(sources.begin(), sources.end());
  for (const fs::path& source : sources) {
    testing::RegisterTest(
        suite, source.stem().c_str(), nullptr, nullptr, __FILE__, __LINE__,
        [source, right]() -> testing::Test* { return new Checked(source, right); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  add_folder(SIMT_BUGS, "Bug", false);
  add_folder(SIMT_BUGS "/right", "Right", true);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
