// Host loops over many elements: shared out among threads when there is enough work, otherwise run
// in place.
//
//   parallel_for(rows, 64, [&](std::int64_t row) { ... });
//   parallel_for(n, 1 << 16, [&](std::int64_t begin, std::int64_t end) { ... });
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace warpath {

// Calls f for 0..n, one index or one range per call; a range is at most `grain` long. The order
// between ranges is not defined. An exception ends the loop and is thrown again here.
template <class F>
void parallel_for(std::int64_t n, std::int64_t grain, F&& f) {
  const auto run = [&](std::int64_t begin, std::int64_t end) {
    if constexpr (std::is_invocable_v<F&, std::int64_t, std::int64_t>) {
      f(begin, end);
    } else {
      for (std::int64_t i = begin; i < end; ++i) f(i);
    }
  };
  grain = std::max<std::int64_t>(grain, 1);
  const std::int64_t pieces = (n + grain - 1) / grain;
  const std::int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  const std::int64_t threads = std::min(pieces, cores);
  if (threads <= 1) {
    for (std::int64_t i = 0; i < pieces; ++i) run(i * grain, std::min(n, (i + 1) * grain));
    return;
  }

  std::atomic<std::int64_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_lock;
  const auto work = [&] {
    try {
      for (std::int64_t i; (i = next.fetch_add(1)) < pieces;)
        run(i * grain, std::min(n, (i + 1) * grain));
    } catch (...) {
      next.store(pieces);
      const std::lock_guard hold(failure_lock);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> helpers;
  for (std::int64_t t = 1; t < threads; ++t) helpers.emplace_back(work);
  work();
  for (std::thread& t : helpers) t.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace warpath
