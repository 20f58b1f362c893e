#include "harness/backend.h"

#include <cstdlib>
#include <string>

namespace warpath::harness {

// A value that the user has set is kept.
void prepare_worker(int threads, double seconds) {
  setenv("SIMT_SHARED_FILL", "255", 0);
  if (threads > 0) setenv("SIMT_THREADS", std::to_string(threads).c_str(), 0);
  if (seconds > 0) setenv("SIMT_TIMEOUT", std::to_string(seconds).c_str(), 0);
}

std::string where_stopped(const std::string& printed) {
  if (printed.find("was stopped: it ran longer than") == printed.npos) return {};
  const std::string before = " was at ";
  const std::size_t at = printed.find(before);
  if (at == printed.npos) return {};
  const std::size_t begin = at + before.size();
  return printed.substr(begin, printed.find('\n', begin) - begin);
}

bool is_timeout(const std::string& error) {
  return error.find("cudaErrorLaunchTimeout") != error.npos;
}

bool is_deadlock(const std::string& printed) {
  return printed.find(" is deadlocked: ") != printed.npos ||
         printed.find("blocks wait at a grid barrier for blocks that have ended") != printed.npos;
}

}  // namespace warpath::harness
