// A child process that answers commands. Whatever a kernel does to its process harms no other.
#pragma once
#include <sys/types.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace warpath::harness {

class Worker {
 public:
  using Serve = std::function<nlohmann::json(const nlohmann::json& command)>;

  // For debuggers and profilers, which work best with one process: from here on, workers run in
  // this process. Then nothing is isolated, no time limit holds, and what a kernel prints is shown.
  static void stay_in_this_process();
  static bool in_this_process();
  // In the child: how much it has printed.
  static off_t printed_so_far();

  // `start` runs in the child and returns the function that answers its commands. The child's
  // output is kept, not shown.
  explicit Worker(const std::function<Serve()>& start);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void send(const nlohmann::json& command);
  // The answer; empty when the child ended, and then `end()` says how.
  std::optional<nlohmann::json> receive();
  int descriptor() const { return socket_; }  // readable when an answer or the end is there

  bool wait(double seconds) const;  // false: the seconds have passed without an answer
  // send, wait, receive; also empty when the seconds have passed.
  std::optional<nlohmann::json> ask(const nlohmann::json& command, double seconds);

  std::string end();  // waits for a child that closed its side: "crashed: segmentation fault"
  // What the child has printed since the last command, up to this place of all it has printed (0:
  // to the end). Of a long text the first lines, and how many more there are.
  std::string output(off_t to = 0) const;

 private:
  Serve serve_;  // only when workers run in this process
  std::optional<nlohmann::json> answer_;
  pid_t pid_ = 0;
  int socket_ = -1;
  int printed_ = -1;  // a file in memory
  off_t printed_before_ = 0;
};

}  // namespace warpath::harness
