#include "harness/worker.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <utility>

#include "core/host/error.h"
#include "harness/process.h"

using nlohmann::json;

namespace warpath::harness {
namespace {

bool inside = false;

bool write_all(int fd, const void* data, std::size_t n) {
  const char* at = static_cast<const char*>(data);
  while (n > 0) {
    const ssize_t done = ::send(fd, at, n, MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    n -= static_cast<std::size_t>(done);
  }
  return true;
}

bool read_all(int fd, void* data, std::size_t n) {
  char* at = static_cast<char*>(data);
  while (n > 0) {
    const ssize_t done = read(fd, at, n);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    n -= static_cast<std::size_t>(done);
  }
  return true;
}

bool write_message(int fd, const json& message) {
  // Kernel output quoted in a reason need not be UTF-8.
  const std::string text = message.dump(-1, ' ', false, json::error_handler_t::replace);
  const auto size = static_cast<std::uint32_t>(text.size());
  return write_all(fd, &size, sizeof size) && write_all(fd, text.data(), text.size());
}

std::optional<json> read_message(int fd) {
  std::uint32_t size = 0;
  if (!read_all(fd, &size, sizeof size) || size > (64u << 20)) return std::nullopt;
  std::string text(size, '\0');
  if (!read_all(fd, text.data(), size)) return std::nullopt;
  json message = json::parse(text, nullptr, false);
  if (message.is_discarded()) return std::nullopt;
  return message;
}

[[noreturn]] void serve(int socket, int printed, const std::function<Worker::Serve()>& start) {
  dup2(printed, STDOUT_FILENO);
  dup2(printed, STDERR_FILENO);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const rlimit enough{
      1 << 30, 1 << 30};  // a kernel that never stops printing fills its file, not the machine
  setrlimit(RLIMIT_FSIZE, &enough);
  signal(SIGXFSZ, SIG_IGN);
  try {
    const Worker::Serve answer = start();
    while (const std::optional<json> command = read_message(socket)) {
      const json reply = answer(*command);
      std::fflush(nullptr);  // what a kernel printed belongs to this command
      if (!write_message(socket, reply)) break;
    }
  } catch (const std::exception& e) {
    write_message(socket, {{"status", "failed"}, {"reason", e.what()}});
  }
  std::fflush(nullptr);
  _exit(0);  // no destructors: they belong to the parent
}

}  // namespace

void Worker::stay_in_this_process() {
  inside = true;
}
bool Worker::in_this_process() {
  return inside;
}

off_t Worker::printed_so_far() {
  if (inside) return 0;
  std::fflush(nullptr);
  return lseek(STDOUT_FILENO, 0, SEEK_CUR);
}

Worker::Worker(const std::function<Serve()>& start) {
  if (inside) {
    serve_ = start();
    socket_ =
        eventfd(1, EFD_CLOEXEC);  // always readable: the answer is there before anyone waits for it
    return;
  }
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error(std::string("socketpair: ") + std::strerror(errno));
  printed_ = memfd_create("warpath", MFD_CLOEXEC);
  if (printed_ < 0) throw Error(std::string("memfd_create: ") + std::strerror(errno));
  std::fflush(nullptr);  // or the child would print our half-written line again
  pid_ = fork_child();
  if (pid_ == 0) {
    close(ends[0]);
    serve(ends[1], printed_, start);
  }
  close(ends[1]);
  socket_ = ends[0];
}

Worker::~Worker() {
  close(socket_);
  if (printed_ >= 0) close(printed_);
  if (pid_ > 0) kill_child(pid_);
}

void Worker::send(const json& command) {
  if (serve_) {
    answer_ = serve_(command);
    return;
  }
  struct stat s {};
  if (fstat(printed_, &s) == 0) printed_before_ = s.st_size;
  write_message(socket_, command);  // a dead child shows at receive
}

std::optional<json> Worker::receive() {
  if (serve_) return std::exchange(answer_, std::nullopt);
  return read_message(socket_);
}

bool Worker::wait(double seconds) const {
  pollfd p{socket_, POLLIN, 0};
  int ready;
  while ((ready = poll(&p, 1, static_cast<int>(seconds * 1e3))) < 0 && errno == EINTR) {
  }
  return ready > 0;
}

std::optional<json> Worker::ask(const json& command, double seconds) {
  send(command);
  return wait(seconds) ? receive() : std::nullopt;
}

std::string Worker::end() {
  if (pid_ <= 0) return "ended";
  const int status = wait_child(pid_);
  pid_ = 0;
  return describe_status(status);
}

std::string Worker::output(off_t to) const {
  if (printed_ < 0) return {};
  constexpr std::size_t shown = 4000, counted = 16 << 20;
  if (struct stat s{}; to == 0 && fstat(printed_, &s) == 0) to = s.st_size;
  const off_t all = std::max<off_t>(to - printed_before_, 0);
  std::string text(std::min(static_cast<std::size_t>(all), counted), '\0');
  const ssize_t n = pread(printed_, text.data(), text.size(), printed_before_);
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  if (text.size() <= shown) return text;
  const std::size_t line = text.rfind('\n', shown);
  const std::size_t cut = line == text.npos ? shown : line + 1;
  const auto more = std::count(text.begin() + static_cast<std::ptrdiff_t>(cut), text.end(), '\n');
  const bool too_long = static_cast<std::size_t>(all) > counted;
  return text.substr(0, cut) +
         fmt::format("… and {}{} more lines\n", too_long ? "more than " : "", more);
}

}  // namespace warpath::harness
