#include "driver/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

namespace simt::cc {
namespace {

// Plain memory, so that a signal handler can walk it.
constexpr std::size_t max_temporaries = 256;
std::array<char[PATH_MAX], max_temporaries> temporaries;
volatile std::sig_atomic_t temporary_count = 0;
volatile pid_t child = 0;

void on_signal(int signal) {
  if (child > 0) {
    // It removes its own files first; what it has written for us goes after that.
    kill(child, signal);
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  for (int i = 0; i < temporary_count; ++i) unlink(temporaries[static_cast<std::size_t>(i)]);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

// A pipe that programs started later do not inherit.
bool open_pipe(int (&ends)[2]) {
  if (pipe(ends) != 0) return false;
  for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
  return true;
}

std::filesystem::path this_program() {
#ifdef __APPLE__
  char path[PATH_MAX];
  std::uint32_t size = sizeof path;
  if (_NSGetExecutablePath(path, &size) != 0) throw std::runtime_error("cannot find this program");
  return std::filesystem::canonical(path);
#else
  return std::filesystem::read_symlink("/proc/self/exe");
#endif
}

}  // namespace

void clean_up_on_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, &on_signal);
}

int run(const std::vector<std::string>& command, std::string* messages) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  int ends[2] = {-1, -1};
  if (messages != nullptr && !open_pipe(ends)) {
    throw std::runtime_error("cannot start '" + command[0] + "'");
  }
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("cannot start '" + command[0] + "'");
  if (pid == 0) {
    if (messages != nullptr) dup2(ends[1], STDERR_FILENO);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  child = pid;
  if (messages != nullptr) {
    close(ends[1]);
    char part[4096];
    for (ssize_t count; (count = read(ends[0], part, sizeof part)) != 0;) {
      if (count > 0) messages->append(part, static_cast<std::size_t>(count));
      if (count < 0 && errno != EINTR) break;
    }
    close(ends[0]);
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  child = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string quoted(const std::vector<std::string>& command) {
  std::string line;
  for (const std::string& word : command) {
    if (!line.empty()) line += ' ';
    const bool plain =
        !word.empty() && word.find_first_of(" '\"\\$`()<>|&;*?#~") == std::string::npos;
    if (plain) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

std::string temporary_file(const std::string& stem, const std::string& suffix) {
  std::error_code none;
  const std::string folder = std::filesystem::temp_directory_path(none).string();
  if (none) throw std::runtime_error("there is no folder for temporary files; set TMPDIR");
  std::string path = folder + "/simt-" + stem + "-XXXXXX" + suffix;
  const int file = mkstemps(path.data(), static_cast<int>(suffix.size()));
  if (file < 0) throw std::runtime_error("cannot write in '" + folder + "'");
  close(file);
  const auto slot = static_cast<std::size_t>(temporary_count);
  if (slot < max_temporaries && path.size() < PATH_MAX) {
    std::strcpy(temporaries[slot], path.c_str());
    temporary_count = temporary_count + 1;
  }
  return path;
}

void remove_temporary_files() {
  for (int i = 0; i < temporary_count; ++i) unlink(temporaries[static_cast<std::size_t>(i)]);
  temporary_count = 0;
}

Installation find_installation() {
  namespace fs = std::filesystem;
  const char* given = std::getenv("SIMT_HOME");
  const fs::path home =
      given != nullptr ? fs::path(given) : this_program().parent_path().parent_path();
  // Installed, the headers have a folder of their own beside others'; a build tree names the
  // source tree's in a note.
  std::string include = home / "include" / "simt-cuda";
  if (fs::exists(home / "simt-headers.txt")) {
    include = read_file(home / "simt-headers.txt");
    while (!include.empty() && include.back() == '\n') include.pop_back();
  }
  for (const char* folder : {"lib", "lib64"}) {
    const bool complete = fs::exists(home / folder / library_file("libsimt")) &&
                          fs::exists(fs::path(include) / "cuda_runtime.h");
    if (complete) return {include, home / folder};
  }
  throw std::runtime_error(
      "cannot find simt's headers and libsimt.so; set SIMT_HOME to where it is installed");
}

std::string library_file(const std::string& name) {
#ifdef __APPLE__
  return name + ".dylib";
#else
  return name + ".so";
#endif
}

std::string read_file(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) throw std::runtime_error("cannot read '" + path + "'");
  std::string text;
  std::fseek(file, 0, SEEK_END);
  const long size = std::ftell(file);
  std::rewind(file);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  const std::size_t got = std::fread(text.data(), 1, text.size(), file);
  std::fclose(file);
  text.resize(got);
  return text;
}

void write_file(const std::string& path, const std::string& text) {
  std::FILE* file = path == "-" ? stdout : std::fopen(path.c_str(), "wb");
  if (file == nullptr) throw std::runtime_error("cannot write '" + path + "'");
  const bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = file == stdout || std::fclose(file) == 0;
  if (!good || !closed) throw std::runtime_error("cannot write '" + path + "'");
}

}  // namespace simt::cc
