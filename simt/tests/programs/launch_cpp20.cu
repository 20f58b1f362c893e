// Launches of templates in C++20: with arguments from the parameters of a lambda around the launch,
// with parameters that follow from the launch's arguments, and with a pack.
#include <cstdio>
#include <type_traits>

template <bool a, bool b>
__global__ void both(int* out, float x) {
  out[threadIdx.x] = a * 10 + b + static_cast<int>(x);
}

template <bool a, class T>
__global__ void deduced(int* out, T) {
  out[threadIdx.x] = a * 10 + static_cast<int>(sizeof(T));
}

template <int first, class... T>
__global__ void pack(int* out, T... rest) {
  static_assert(sizeof...(T) > 0, "made only with the launch's arguments");
  out[threadIdx.x] = (first + ... + rest);
}

template <int n>
__global__ void with_default(int* out, int more = 5);

template <int n>
__global__ void with_default(int* out, int more) {
  out[threadIdx.x] = n + more;
}

template <class F>
void with_form(bool a, bool b, F&& f) {
  if (a && b) return f(std::true_type{}, std::true_type{});
  if (a) return f(std::true_type{}, std::false_type{});
  return f(std::false_type{}, std::false_type{});
}

int main() {
  int* out;
  cudaMallocManaged(&out, 2 * sizeof(int));
  const auto show = [&](const char* name) {
    cudaDeviceSynchronize();
    std::printf("%s: %d %d, %s\n", name, out[0], out[1], cudaGetErrorName(cudaGetLastError()));
  };
  for (const bool second : {true, false}) {
    with_form(true, second, [&](auto a, auto b) {
      both<a.value, b.value><<<1, 2>>>(out, 100);  // the integer becomes a float
      show("both");
      both<a, b><<<1, 2>>>(out, 200);
      show("converted");
      deduced<b.value><<<1, 2>>>(out, 1.0);
      show("deduced");
      pack<a.value + 1><<<1, 2>>>(out, 30, 40);
      show("pack");
      with_default<b.value><<<1, 2>>>(out);
      show("default");
    });
  }
  cudaFree(out);
}
