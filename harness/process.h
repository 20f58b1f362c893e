// Child processes that never outlive this one, whatever ends it.
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace warpath::harness {

// SIGINT, SIGTERM and SIGHUP kill every child's process group, remove temporary files and end the
// program.
void install_signal_handlers();

// Forks into a process group of its own that dies with its parent. 0 in the child, as fork.
pid_t fork_child();
// Kills the group and waits for it.
void kill_child(pid_t pid);
// Waits for a child that ends by itself; returns the status of waitpid.
int wait_child(pid_t pid);

// "crashed: segmentation fault", "exited with status 3"
std::string describe_status(int status);

struct CommandResult {
  int status = -1;     // exit status; 128 + signal; 127: not found
  std::string output;  // stdout and stderr together
};
// Runs a program and takes its output.
CommandResult run_command(const std::vector<std::string>& command);

// A folder under the temporary directory. It and the files announced in it are removed at the end,
// also after Ctrl-C.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path file(const std::string& name);  // announces a file that will be made here

 private:
  std::filesystem::path path_;
};

}  // namespace warpath::harness
