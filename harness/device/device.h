// The device as the harness sees it: a table of plain functions, in one small library per backend.
// nvcc and `warpath cc` build the same source, so no code above this table knows which of the two
// it runs on.
#pragma once
#include <cstdint>

namespace warpath::harness {

struct DeviceInfo {
  char name[256];
  int arch;  // 90 for sm_90
  int sms;
  int driver;  // 13000 is CUDA 13.0
  int runtime;
  std::int64_t l2_bytes;
  std::int64_t memory_bytes;
};

struct TimerOptions {
  double seconds = 0.3;  // budget; min_samples are taken even if that takes longer
  int min_samples = 5;
  int max_samples = 200;
  // How long a launch took when it was timed before; 0: it was not. If it is known, no launches are
  // spent on an estimate, and a slow one is not warmed up again.
  double expected_us = 0;
};

struct Rate {
  double per_second;  // bytes or operations
  const char* how;    // how it was measured
};

// One unit of work to be timed: puts it on the stream and returns. May throw.
using Work = void (*)(void* context, void* stream);

// A kernel as it is launched.
struct LaunchShape {
  const void* kernel;
  unsigned grid[3], block[3];
  std::int64_t shared;  // dynamic, bytes
};

// A function that can fail returns null on success, or an error text that lives until the next
// call.
struct Device {
  int version;
  const char* (*describe)(DeviceInfo*);
  const char* (*alloc)(void** memory, std::int64_t bytes);
  const char* (*release)(void* memory);
  const char* (*upload)(void* to, const void* from_host, std::int64_t bytes);
  const char* (*download)(void* to_host, const void* from, std::int64_t bytes);
  const char* (*copy)(void* to, const void* from, std::int64_t bytes);
  const char* (*fill)(void* to, int byte, std::int64_t bytes);
  // Index of the first byte in which the two differ, or -1.
  const char* (*first_difference)(const void* a, const void* b, std::int64_t bytes,
                                  std::int64_t* index);
  const char* (*free_memory)(std::int64_t* bytes);
  const char* (*synchronise)();
  void* (*stream)();
  // Microseconds per launch: *count of them in `samples`, which has room for max_samples.
  const char* (*time)(const TimerOptions*, Work, void* context, double* samples, int* count);
  const char* (*copy_rate)(Rate*);
  const char* (*matmul_rate)(Rate*);  // null where no vendor library was found
  const char* method;                 // one sentence: how `time` takes a sample

  // Marks in the stream, and the time from one to another, once the device has passed both: it waits.
  const char* (*mark)(void** made);
  const char* (*between)(void* from, void* to, double* microseconds);
  const char* (*drop_mark)(void* mark);

  // What is put on the stream between these two is recorded, not run; replay() runs it.
  const char* (*begin_capture)();
  const char* (*end_capture)(void** graph);
  const char* (*replay)(void* graph);
  const char* (*drop_graph)(void* graph);

  // The kernels that the work launches; none of them runs. *count: the room in `shapes`, then how many there are.
  const char* (*shapes)(Work, void* context, LaunchShape* shapes, int* count);
};

inline constexpr int device_version = 4;
inline constexpr const char* device_symbol = "warpath_device";
using DeviceEntry = const Device* (*)();

}  // namespace warpath::harness
