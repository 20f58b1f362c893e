// A device that is the host: its memory is malloc's, its kernels are ordinary functions. So the
// harness is tested without CUDA and without simt. FAKE_GPU makes it claim to be a GPU, for what
// only a GPU's user sees.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

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

const char* time(const TimerOptions*, Work work, void* context, Timing* out) {
  try {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 5; ++i) work(context, nullptr);
    const std::chrono::duration<double, std::micro> taken =
        std::chrono::steady_clock::now() - begin;
    const double each = taken.count() / 5 + 1;
    *out = {each, each * 0.9, each * 1.1, 5};
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
  static const Device table{
      device_version, describe, alloc,     release,          move,
      move,           move,     fill,      first_difference, synchronise,
      stream,         time,     copy_rate, nullptr,          "a host clock, which says nothing"};
  return &table;
}
