// A device that is the host: its memory comes from malloc, its kernels are ordinary functions. With
// it the harness is tested without CUDA and without simt. FAKE_GPU makes it claim to be a GPU, for
// what only users of a GPU see.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "fake_log.h"
#include "harness/device/device.h"

namespace warpath::harness {
namespace {

std::string failure;

const char* describe(DeviceInfo* out) {
#ifdef FAKE_GPU
  std::snprintf(out->name, sizeof out->name, "NVIDIA FAKE100-PCIE");
#else
  std::snprintf(out->name, sizeof out->name, "fake CPU device");
#endif
  out->arch = 80;
  out->sms = 2;
  out->driver = out->runtime = 13000;
  out->l2_bytes = 1 << 20;
  out->memory_bytes = 1 << 30;
  return nullptr;
}

const char* alloc(void** memory, std::int64_t bytes) {
  const auto size = static_cast<std::size_t>((bytes + 255) / 256 * 256);
  *memory = std::aligned_alloc(256, std::max<std::size_t>(size, 256));
  return *memory ? nullptr : "out of memory";
}

const char* release(void* memory) {
  std::free(memory);
  return nullptr;
}

const char* move(void* to, const void* from, std::int64_t bytes) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
  return nullptr;
}

const char* fill(void* to, int byte, std::int64_t bytes) {
  std::memset(to, byte, static_cast<std::size_t>(bytes));
  return nullptr;
}

const char* first_difference(const void* a, const void* b, std::int64_t bytes,
                             std::int64_t* index) {
  const char* x = static_cast<const char*>(a);
  const auto where = std::mismatch(x, x + bytes, static_cast<const char*>(b));
  *index = where.first == x + bytes ? -1 : where.first - x;
  return nullptr;
}

const char* synchronise() {
  return nullptr;
}
void* stream() {
  return nullptr;
}

// WARPATH_FAKE_FREE: bytes.
const char* free_memory(std::int64_t* bytes) {
  const char* given = std::getenv("WARPATH_FAKE_FREE");
  *bytes = given ? std::atoll(given) : std::int64_t{1} << 30;
  return nullptr;
}

// A timer by which the n-th sample of a process lasts 10 n microseconds. Takes min_samples samples,
// and one more launch if no time is known yet.
const char* time(const TimerOptions* options, Work work, void* context, double* samples,
                 int* count) {
  static int taken = 0;
  char line[128];
  std::snprintf(line, sizeof line, "turn %g %d %d %g", options->seconds, options->min_samples,
                options->max_samples, options->expected_us);
  fake_log(line);
  try {
    if (options->expected_us == 0) work(context, nullptr);
    for (*count = 0; *count < options->min_samples; ++*count) {
      work(context, nullptr);
      samples[*count] = 10.0 * ++taken;
    }
    return nullptr;
  } catch (const std::exception& e) {
    failure = e.what();
    return failure.c_str();
  }
}

const char* copy_rate(Rate* out) {
  *out = {1e12, "a made-up number"};
  return nullptr;
}

}  // namespace
}  // namespace warpath::harness

extern "C" __attribute__((visibility("default"))) const warpath::harness::Device* warpath_device() {
  using namespace warpath::harness;
  static const Device table{device_version,
                            describe,
                            alloc,
                            release,
                            move,
                            move,
                            move,
                            fill,
                            first_difference,
                            free_memory,
                            synchronise,
                            stream,
                            time,
                            copy_rate,
                            nullptr,
                            "a clock that makes times up",
                            nullptr,
                            nullptr,
                            nullptr,
                            nullptr,
                            nullptr,
                            nullptr,
                            nullptr};
  return &table;
}
