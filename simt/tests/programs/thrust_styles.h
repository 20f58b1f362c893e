// The ways in which programs call Thrust: raw pointers with a policy, device_ptr and iterators of vectors without one, and
// a stream's policy. Each algorithm is called in each, and compared with the host's.
#pragma once

#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/system/cuda/execution_policy.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>
#include <vector>

struct RawPointers {
  static constexpr const char* name = "raw pointers";
  template <class F>
  static auto call(F f) {
    return f(thrust::device);
  }
  template <class T>
  static const T* in(const thrust::device_vector<T>& v) {
    return thrust::raw_pointer_cast(v.data());
  }
  template <class T>
  static T* out(thrust::device_vector<T>& v) {
    return thrust::raw_pointer_cast(v.data());
  }
};

struct DevicePointers {
  static constexpr const char* name = "device_ptr";
  template <class F>
  static auto call(F f) {
    return f();
  }
  template <class T>
  static thrust::device_ptr<const T> in(const thrust::device_vector<T>& v) {
    return v.data();
  }
  template <class T>
  static thrust::device_ptr<T> out(thrust::device_vector<T>& v) {
    return v.data();
  }
};

struct Iterators {
  static constexpr const char* name = "iterators";
  template <class F>
  static auto call(F f) {
    return f();
  }
  template <class T>
  static auto in(const thrust::device_vector<T>& v) {
    return v.begin();
  }
  template <class T>
  static auto out(thrust::device_vector<T>& v) {
    return v.begin();
  }
};

struct OnStream : Iterators {
  static constexpr const char* name = "a stream";
  template <class F>
  static auto call(F f) {
    return f(thrust::cuda::par.on(cudaStreamPerThread));
  }
};

// CALL(sort, first, last) is thrust::sort with the style's policy, if it has one.
#define CALL(ALGORITHM, ...) \
  Style::call([&](const auto&... policy) { return thrust::ALGORITHM(policy..., __VA_ARGS__); })

inline int mistakes = 0;

template <class T>
void expect(const char* what, const thrust::device_vector<T>& got, const std::vector<T>& want) {
  std::vector<T> there(got.size());
  thrust::copy(got.begin(), got.end(), there.begin());
  if (there == want) return;
  ++mistakes;
  std::printf("%s: wrong:", what);
  for (const T& value : there) std::printf(" %g", static_cast<double>(value));
  std::printf(", not");
  for (const T& value : want) std::printf(" %g", static_cast<double>(value));
  std::printf("\n");
}
inline void expect(const char* what, double got, double want) {
  if (got == want) return;
  ++mistakes;
  std::printf("%s: wrong: %g, not %g\n", what, got, want);
}

// Numbers of both signs in no order, some of them equal.
template <class T>
std::vector<T> mixed(int count, int salt = 0) {
  std::vector<T> values(count);
  for (int i = 0; i < count; ++i)
    values[i] = static_cast<T>((i * 37 + salt * 11) % 23 - (T(-1) < T(0) ? 11 : 0));
  return values;
}

template <class Style>
void done() {
  std::printf("%s %s\n", Style::name, mistakes == 0 ? "ok" : "failed");
  mistakes = 0;
}
