// Whatever ends the program, no process and no file is left behind.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "command.h"

using warpath::testing::Lab;
using warpath::testing::Said;
namespace fs = std::filesystem;

namespace {

// Processes whose parent is or was this program, found by the temporary folder in their
// environment.
std::vector<pid_t> processes_of(const Lab& lab) {
  std::vector<pid_t> found;
  for (const auto& e : fs::directory_iterator("/proc")) {
    const std::string name = e.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream in(e.path() / "environ", std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    if (text.str().find("WARPATH_ROOT=" + lab.home().string()) != std::string::npos)
      found.push_back(std::stoi(name));
  }
  return found;
}

bool wait_for(const std::function<bool()>& condition) {
  for (int i = 0; i < 300; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

class Interrupt : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Signals, Interrupt, testing::Values(SIGINT, SIGTERM, SIGHUP, SIGKILL),
                         [](const auto& i) { return "signal" + std::to_string(i.param); });

TEST_P(Interrupt, LeavesNoProcessBehind) {
  const Lab lab;
  const pid_t pid = lab.start({"check", "unruly", "--rung", "hang", "-j", "2"});
  ASSERT_TRUE(wait_for([&] { return processes_of(lab).size() >= 2; })) << "the worker hangs";
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  kill(pid, GetParam());
  const Said s = lab.finish(pid);
  EXPECT_EQ(s.status, 128 + GetParam());
  EXPECT_TRUE(wait_for([&] { return processes_of(lab).empty(); }));
}

// A stand-in for the compiler that would run for an hour, with a child process.
TEST(Interrupt, EndsACompilationAndRemovesItsFolder) {
  const Lab lab("gpu");
  lab.write("slow-nvcc", "#!/bin/sh\nsleep 3600 &\nwait\n");
  fs::permissions(lab.home() / "slow-nvcc", fs::perms::owner_all);
  lab.write("mine.cu", "");
  setenv("NVCC", (lab.home() / "slow-nvcc").c_str(), 1);
  const pid_t pid = lab.start({"check", "mine.cu"});
  unsetenv("NVCC");
  ASSERT_TRUE(wait_for([&] { return processes_of(lab).size() >= 3; }));
  kill(pid, SIGINT);
  EXPECT_EQ(lab.finish(pid).status, 128 + SIGINT);
  EXPECT_TRUE(wait_for([&] { return processes_of(lab).empty(); }));
  for (const auto& e : fs::directory_iterator(lab.home()))
    EXPECT_FALSE(e.path().filename().string().starts_with("warpath-")) << e.path();
}

}  // namespace
