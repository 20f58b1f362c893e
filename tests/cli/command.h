// Runs the real program in an environment of its own and captures its output.
#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace warpath::testing {

struct Said {
  int status = -1;
  std::string out, err;
  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

// Exit status 2, nothing on stdout, one line on stderr that contains the text.
inline void expect_refusal(const Said& s, const std::string& text) {
  EXPECT_EQ(s.status, 2) << s.err;
  EXPECT_EQ(s.out, "");
  EXPECT_NE(s.err.find(text), std::string::npos) << s.err;
  EXPECT_EQ(std::count(s.err.begin(), s.err.end(), '\n'), 1) << s.err;
}

// A sandbox for one test: a source tree that holds only what the test puts there, and a folder of
// fake libraries.
class Lab {
 public:
  explicit Lab(const std::string& fakes = "cpu")
      : lib_(std::filesystem::path(WARPATH_FAKES) / fakes) {
    std::string name = (std::filesystem::temp_directory_path() / "warpath-cli-XXXXXX").string();
    home_ = mkdtemp(name.data());
    // As the header of the fakes declares them.
    write("ops/toys/toy/toy.h", "op = \"toy\" and op = \"toy_gather\"\n");
  }
  ~Lab() { std::filesystem::remove_all(home_); }
  Lab(const Lab&) = delete;
  Lab& operator=(const Lab&) = delete;

  const std::filesystem::path& home() const { return home_; }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((home_ / name).parent_path());
    std::ofstream(home_ / name) << text;
  }
  std::string read(const std::string& name) const { return slurp(home_ / name); }

  // For all commands from here on; an empty value takes the variable away.
  void set(const std::string& variable, const std::string& value) { more_[variable] = value; }
  // The real source tree and the real libraries, from the sandbox as the current folder.
  void use_real_tree() {
    set("WARPATH_ROOT", WARPATH_TREE);
    set("WARPATH_LIB", "");
  }

  pid_t start(const std::vector<std::string>& words) const {
    const pid_t pid = fork();
    if (pid != 0) return pid;
    setenv("WARPATH_LIB", lib_.c_str(), 1);
    setenv("WARPATH_ROOT", home_.c_str(), 1);
    setenv("WARPATH_COMMIT", "a-commit", 1);
    setenv("TMPDIR", home_.c_str(), 1);
    unsetenv("WARPATH_PROGRESS");
    for (const auto& [variable, value] : more_)
      value.empty() ? unsetenv(variable.c_str()) : setenv(variable.c_str(), value.c_str(), 1);
    redirect(1, "stdout");
    redirect(2, "stderr");
    if (chdir(home_.c_str()) != 0) _exit(126);
    std::vector<char*> argv{const_cast<char*>(WARPATH_PROGRAM)};
    for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }

  Said finish(pid_t pid) const {
    int status = 0;
    waitpid(pid, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read("stdout"),
            read("stderr")};
  }

  Said run(const std::vector<std::string>& words) const { return finish(start(words)); }

 private:
  void redirect(int fd, const char* name) const {
    const int file = open((home_ / name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(file, fd);
    close(file);
  }
  static std::string slurp(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }

  std::filesystem::path lib_, home_;
  std::map<std::string, std::string> more_;
};

}  // namespace warpath::testing
