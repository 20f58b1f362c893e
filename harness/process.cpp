#include "harness/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "core/host/error.h"

namespace fs = std::filesystem;

namespace warpath::harness {
namespace {

// Plain arrays, because a signal handler may touch nothing that allocates or locks.
std::array<std::atomic<pid_t>, 256> children;
struct Doomed {
  std::atomic<bool> used{false};
  char path[1024];
};
std::array<Doomed, 32> doomed;  // files first, then their folder

void doom(const fs::path& path) {
  for (Doomed& d : doomed)
    if (!d.used && path.string().size() < sizeof d.path) {
      std::strcpy(d.path, path.c_str());
      d.used = true;
      return;
    }
}

void kill_all(int signal) {
  for (const auto& child : children)
    if (const pid_t pid = child.load()) kill(-pid, signal);
}

bool any_left() {
  bool left = false;
  for (const auto& child : children)
    if (const pid_t pid = child.load()) left = waitpid(pid, nullptr, WNOHANG) == 0 || left;
  return left;
}

extern "C" void end_everything(int signal) {
  kill_all(SIGTERM);  // a compiler removes its temporary files
  for (int i = 0; i < 20 && any_left(); ++i) {
    const timespec pause{0, 10'000'000};
    nanosleep(&pause, nullptr);
  }
  kill_all(SIGKILL);
  for (auto d = doomed.rbegin(); d != doomed.rend(); ++d)
    if (d->used && unlink(d->path) != 0) rmdir(d->path);
  _exit(128 + signal);
}

// A signal between fork and the registration of the new pid would leave that child behind.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsHeld() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

void forget(pid_t pid) {
  for (auto& child : children) {
    pid_t expected = pid;
    if (child.compare_exchange_strong(expected, 0)) return;
  }
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action = {};
  action.sa_handler = end_everything;
  sigfillset(&action.sa_mask);
  for (const int s : {SIGINT, SIGTERM, SIGHUP}) sigaction(s, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);  // a worker that died is noticed because it does not answer
}

pid_t fork_child() {
  const SignalsHeld held;
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) throw Error(std::string("cannot start a process: ") + std::strerror(errno));
  if (pid == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    for (const int s : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) signal(s, SIG_DFL);
    for (auto& child : children) child = 0;
    for (Doomed& d : doomed) d.used = false;
    return 0;
  }
  setpgid(pid, pid);  // on both sides: whoever comes first
  for (auto& child : children) {
    pid_t none = 0;
    if (child.compare_exchange_strong(none, pid)) break;
  }
  return pid;
}

void kill_child(pid_t pid) {
  kill(-pid, SIGKILL);
  kill(pid, SIGKILL);
  wait_child(pid);
}

int wait_child(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  forget(pid);
  return status;
}

std::string describe_status(int status) {
  if (WIFSIGNALED(status)) {
    std::string text = strsignal(WTERMSIG(status));
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    return "crashed: " + text;
  }
  return "exited with status " + std::to_string(WEXITSTATUS(status));
}

CommandResult run_command(const std::vector<std::string>& command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error(std::string("pipe: ") + std::strerror(errno));
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);

  const pid_t pid = fork_child();
  if (pid == 0) {
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, 0);
    dup2(ends[1], 1);
    dup2(ends[1], 2);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  close(ends[1]);
  CommandResult result;
  char chunk[4096];
  for (ssize_t n; (n = read(ends[0], chunk, sizeof chunk)) != 0;) {
    if (n > 0)
      result.output.append(chunk, static_cast<std::size_t>(n));
    else if (errno != EINTR)
      break;
  }
  close(ends[0]);
  const int status = wait_child(pid);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "warpath-XXXXXX").string();
  if (!mkdtemp(name.data()))
    throw Error("cannot make a folder in " + fs::temp_directory_path().string());
  path_ = name;
  doom(path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  for (Doomed& d : doomed)
    if (d.used && std::string_view(d.path).starts_with(path_.string())) d.used = false;
}

fs::path TemporaryFolder::file(const std::string& name) {
  doom(path_ / name);
  return path_ / name;
}

}  // namespace warpath::harness
