// The rungs of an op for one backend, opened when they are first needed. Kernel libraries are large and need a CUDA
// runtime or simt; contracts are in small host libraries.
#pragma once
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "core/host/registry.h"

namespace warpath::python {

enum Backend { simt, cuda };
inline const char* const backend_names[] = {"simt", "cuda"};

// runtime.cu of one backend.
struct Runtime {
  int (*arch)(int device) = nullptr;
  int (*devices)() = nullptr;
  const char* (*recover)(const char** text) = nullptr;
  const char* (*zero)(void* data, std::int64_t bytes, void* stream) = nullptr;
  bool (*lend)(void* data, std::int64_t bytes) = nullptr;
  void (*take_back)(void* data) = nullptr;
  // Only simt has these two: users' own checked kernels may be in the process too, and to their checks torch's
  // memory is no device memory.
  bool (*pause_checks)() = nullptr;
  void (*resume_checks)() = nullptr;
  // Of simt too: the reports of kernels' faults, and Ctrl-C while kernels run.
  const char* (*take_reports)() = nullptr;
  bool (*begin_interruptible)() = nullptr;
  bool (*end_interruptible)() = nullptr;

  // Waits for all work on simt's device. Returns what went wrong, with the report that names the line; "" where nothing
  // did. The next call starts clean.
  std::string trouble() const;
  // The reports alone, each line of them behind a line break.
  std::string reports() const;
};

// Seconds that a kernel may run on the CPU when Python has launched it, unless SIMT_TIMEOUT or warpath.set_timeout say
// otherwise.
inline constexpr double default_timeout = 300;

// Pauses the checks of users' own kernels for as long as it lives.
class ChecksPaused {
 public:
  explicit ChecksPaused(const Runtime& runtime)
      : resume_(runtime.pause_checks && runtime.pause_checks() ? runtime.resume_checks : nullptr) {}
  ~ChecksPaused() {
    if (resume_) resume_();
  }
  ChecksPaused(const ChecksPaused&) = delete;
  ChecksPaused& operator=(const ChecksPaused&) = delete;

 private:
  void (*resume_)();
};

// Scratch memory of the host is the device's for as long as it lives.
class Lent {
 public:
  Lent(const Runtime& runtime, void* data, std::int64_t bytes)
      : take_back_(data && bytes > 0 && runtime.lend(data, bytes) ? runtime.take_back : nullptr),
        data_(data) {}
  ~Lent() {
    if (take_back_) take_back_(data_);
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

 private:
  void (*take_back_)(void*);
  void* data_;
};

// The text of an error without the condition and the line of ours that WARPATH_CHECK and CUDA_CHECK add: they say
// nothing about the call.
std::string without_place(const std::string& text);

struct Ladder {
  std::vector<const Rung*> rungs;  // from the bottom up, no peers
  Runtime runtime;
};

// Where an installation keeps its parts.
struct Installation {
  std::filesystem::path package;  // runtime_BACKEND.so
  std::filesystem::path lib;      // FOLDER_BACKEND.so
  std::filesystem::path ops;      // FAMILY/FOLDER, what the folders bring in Python
};

class LazyLadder {
 public:
  LazyLadder(const Installation& at, const std::string& folder, std::string op, Backend backend);

  // Whether there is a library to open.
  bool exists() const;
  // Null where there is none; Error where it cannot be opened. Opens it once, from whichever thread comes first.
  const Ladder* open();

 private:
  void open_now();

  std::filesystem::path library_, runtime_;
  std::string op_;
  Backend backend_;
  std::once_flag once_;
  bool there_ = false;
  std::string error_;
  Ladder ladder_;
};

}  // namespace warpath::python
