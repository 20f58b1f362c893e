// Device printf. CUDA shows the text when the host synchronises; so does this, in block order. What
// kernels printed is lost if the program ends without having waited for them, as on a GPU.

#include <simt/errors.h>
#include <simt/fault.h>

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

#include "scheduler/block.h"
#include "scheduler/grid.h"
#include "scheduler/worker.h"

namespace simt {
namespace {

struct Pending {
  std::mutex mutex;
  std::string text;
  std::size_t seen = 0;             // so much of it came before a later call of the runtime
  std::atomic<bool> called{false};  // has there been one since the last text?
};

void end_of_program();

// Leaked on purpose: kernels may still print while static objects are destroyed.
Pending& pending() {
  static Pending* const it = [] {
    std::atexit(end_of_program);
    return new Pending;
  }();
  return *it;
}

// A program that prints much and never synchronises must not hold it all.
constexpr std::size_t flush_above = 1 << 20;

// Any call after a launch may have made a GPU show the text; without one it stays in the device's
// memory.
void end_of_program() {
  Pending& all = pending();
  const std::lock_guard lock(all.mutex);
  if (all.called.load()) all.seen = all.text.size();
  std::fwrite(all.text.data(), 1, all.seen, stdout);
  if (all.seen < all.text.size()) {
    std::fflush(stdout);
    std::fputs(
        "simt: the program ended without waiting for its last kernels: what they printed is lost, "
        "as on a "
        "GPU; call cudaDeviceSynchronize() after them\n",
        stderr);
  }
}

// A format as the device reads it. What it does not know (%zu, %.*f, %hhd) it prints as it stands,
// and takes no argument for it.
struct DeviceFormat {
  std::string text;
  int arguments = 0;

  explicit DeviceFormat(const char* at) {
    while (*at != '\0') {
      if (*at != '%') {
        text += *at++;
        continue;
      }
      const char* const end = end_of_known(at);
      if (end == nullptr) {
        text += "%%";
        ++at;
        continue;
      }
      if (end[-1] != '%') arguments += 1 + static_cast<int>(std::count(at, end, '*'));
      text.append(at, end);
      at = end;
    }
  }

 private:
  // Behind the conversion that begins at the percent sign; null where there is none.
  static const char* end_of_known(const char* at) {
    at += 1 + std::strspn(at + 1, "-+ #0");
    at += *at == '*' ? 1 : std::strspn(at, "0123456789");
    if (*at == '.') at += 1 + std::strspn(at + 1, "0123456789");
    if (*at == 'h') {
      ++at;
    } else if (*at == 'l') {
      at += at[1] == 'l' ? 2 : 1;
    }
    return *at != '\0' && std::strchr("%cdiouxXpeEfFgGaAs", *at) != nullptr ? at + 1 : nullptr;
  }
};

// Notes whose text begins here.
void note_place(Block& block, int line, const char* format) {
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  // In loops over the threads, one that comes after a later one is in the next piece of the kernel.
  if (block.splitting && !block.printed.empty() && thread < block.printed.back().thread) {
    ++block.print_phase;
  }
  const unsigned phase =
      block.warps[thread / 32].meetings + block.barriers[0].epoch + block.print_phase;
  block.printed.push_back({block.output.size(), line, format, thread, phase, block.spins});
}

// In a kernel it gives back the number of its arguments, as CUDA's does.
int print(int line, const char* format, va_list args) {
  if (!in_kernel()) return std::vprintf(format, args);
  va_list again;
  va_copy(again, args);
  char small[256];
  const DeviceFormat known(format);
  const int length = std::vsnprintf(small, sizeof small, known.text.c_str(), args);
  if (length > 0) {
    Block& block = current_block();
    note_place(block, line, format);
    std::string& output = block.output;
    if (static_cast<std::size_t>(length) < sizeof small) {
      output.append(small, static_cast<std::size_t>(length));
    } else {
      const std::size_t start = output.size();
      output.resize(start + static_cast<std::size_t>(length) + 1);
      std::vsnprintf(&output[start], static_cast<std::size_t>(length) + 1, known.text.c_str(),
                     again);
      output.pop_back();
    }
  }
  va_end(again);
  return known.arguments;
}

}  // namespace

int device_printf(const char* format, ...) {
  va_list args;
  va_start(args, format);
  const int result = print(0, format, args);
  va_end(args);
  return result;
}

int PrintfAt::operator()(const char* format, ...) const {
  va_list args;
  va_start(args, format);
  const int result = print(line, format, args);
  va_end(args);
  return result;
}

void publish_output(Grid& grid) {
  if (grid.outputs.empty()) return;
  std::sort(grid.outputs.begin(), grid.outputs.end());
  std::string joined;
  for (const auto& [block, text] : grid.outputs) joined += text;
  Pending& all = pending();
  std::size_t size;
  {
    const std::lock_guard lock(all.mutex);
    if (all.called.exchange(false)) all.seen = all.text.size();
    all.text += joined;
    size = all.text.size();
  }
  if (size > flush_above) flush_device_printf();
}

void flush_device_printf() {
  Pending& all = pending();
  const std::lock_guard lock(all.mutex);
  if (all.text.empty()) return;
  std::fwrite(all.text.data(), 1, all.text.size(), stdout);
  all.text.clear();
  all.seen = 0;
}

void note_runtime_call() {
  pending().called.store(true, std::memory_order_relaxed);
}

}  // namespace simt
