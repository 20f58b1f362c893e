#include "harness/device_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace warpath::harness {
namespace {

int depth = 0;  // of the locks in this process; only its main thread takes them

// The Python package takes the same file (python/warpath/_timing.py). Where it cannot be opened,
// nobody waits for anybody.
int lock_file() {
  static const int file =
      open((std::filesystem::temp_directory_path() / "warpath-gpu.lock").c_str(),
           O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  return file;
}

// A record lock belongs to the process: a forked worker does not inherit it, and it ends with the
// process that holds it.
void set_lock(short kind) {
  struct flock whole {};
  whole.l_type = kind;
  whole.l_whence = SEEK_SET;
  while (fcntl(lock_file(), F_SETLKW, &whole) < 0 && errno == EINTR) {
  }
}

}  // namespace

DeviceLock::DeviceLock(bool wanted) : held_(wanted) {
  if (held_ && depth++ == 0) set_lock(F_WRLCK);
}

DeviceLock::~DeviceLock() {
  if (held_ && --depth == 0) set_lock(F_UNLCK);
}

}  // namespace warpath::harness
