// Thrust's shuffles in every style of call (thrust_styles.h) and in a kernel: the caller's generator goes on, and from the
// same generator the device and the host make the same order.
#include <thrust/host_vector.h>
#include <thrust/random.h>
#include <thrust/sequence.h>
#include <thrust/shuffle.h>

#include <set>

#include "thrust_styles.h"

// A generator that can be neither copied nor made again: whoever draws from it draws from this one.
class OnlyOne {
 public:
  using result_type = std::uint32_t;
  OnlyOne() = default;
  OnlyOne(const OnlyOne&) = delete;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~0u; }
  result_type operator()() { return ++draws, engine_(); }
  int draws = 0;

 private:
  thrust::taus88 engine_{7};
};

template <class Style>
void orders(int n) {
  thrust::default_random_engine device(n), host(n);
  std::vector<int> want(n), from(n);
  thrust::sequence(thrust::host, want.begin(), want.end());
  thrust::device_vector<int> v(want), copy(n);
  for (int round = 0; round < 3; ++round) {
    CALL(shuffle, Style::out(v), Style::out(v) + n, device);
    thrust::shuffle(thrust::host, want.begin(), want.end(), host);
    expect("shuffle", v, want);
    CALL(shuffle_copy, Style::in(v), Style::in(v) + n, Style::out(copy), device);
    thrust::shuffle_copy(thrust::host, want.begin(), want.end(), from.begin(), host);
    expect("shuffle_copy", copy, from);
    expect("shuffle_copy's source", v, want);
  }
  expect("the generator", device == host, 1);
}

template <class Style>
void all() {
  for (int n : {0, 1, 2, 5, 16, 17, 33, 300}) orders<Style>(n);

  // All orders of four come up, about equally often.
  thrust::device_vector<int> v(4);
  thrust::sequence(v.begin(), v.end());
  thrust::minstd_rand engine;
  std::set<std::vector<int>> seen;
  for (int round = 0; round < 300; ++round) {
    CALL(shuffle, Style::out(v), Style::out(v) + 4, engine);
    std::vector<int> there(4);
    thrust::copy(v.begin(), v.end(), there.begin());
    seen.insert(there);
  }
  expect("orders", static_cast<double>(seen.size()), 24);

  OnlyOne one;
  CALL(shuffle, Style::out(v), Style::out(v) + 4, one);
  const int draws = one.draws;
  expect("draws", draws > 0, 1);
  done<Style>();
}

__global__ void in_kernel(int* numbers, int n, bool* differ) {
  thrust::default_random_engine engine(n), before(n);
  thrust::shuffle(thrust::device, numbers, numbers + n, engine);
  thrust::shuffle(thrust::seq, numbers, numbers + n, engine);
  *differ = engine != before;
}

int main() {
  all<RawPointers>();
  all<DevicePointers>();
  all<Iterators>();
  all<OnStream>();

  constexpr int n = 20;
  thrust::device_vector<int> v(n);
  thrust::device_vector<bool> differ(1);
  thrust::sequence(v.begin(), v.end());
  in_kernel<<<1, 1>>>(thrust::raw_pointer_cast(v.data()), n,
                      thrust::raw_pointer_cast(differ.data()));
  std::vector<int> want(n);
  thrust::sequence(thrust::host, want.begin(), want.end());
  thrust::default_random_engine host(n);
  for (int round = 0; round < 2; ++round) thrust::shuffle(want.begin(), want.end(), host);
  expect("in a kernel", v, want);
  std::printf("kernel %s\n", mistakes == 0 && differ[0] ? "ok" : "failed");
}
