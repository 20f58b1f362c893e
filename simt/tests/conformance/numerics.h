// Runs one function over many inputs in a kernel and prints a hash of all result bits. The expected
// outputs were recorded on an H200, so an equal hash means: bit for bit what a GPU computes.
// With an argument the program also writes the first results of each to that file, to find what
// differs.
#pragma once

#include <cstdio>
#include <cstring>

constexpr unsigned samples = 65536;

// A 64-bit mix of the index: the inputs must be the same on every machine.
__host__ __device__ inline unsigned long long random_bits(unsigned i, unsigned stream) {
  unsigned long long z = (i + 1) * 0x9E3779B97F4A7C15ull + stream * 0xD1B54A32D192ED03ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

template <class To, class From>
__host__ __device__ inline To bits_of(From from) {
  static_assert(sizeof(To) >= sizeof(From), "result must fit");
  To to{};
  memcpy(&to, &from, sizeof(From));
  return to;
}

template <class T>
__host__ __device__ inline T from_bits(unsigned long long bits) {
  T value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Floats of three kinds in turn: any bits at all, ordinary sizes, and small integers and halves,
// where ties and exact results live.
__host__ __device__ inline float any_float(unsigned i, unsigned stream) {
  const unsigned long long bits = random_bits(i, stream);
  if (i % 3 == 0) return from_bits<float>(bits);
  const int n = static_cast<int>(bits >> 32);
  return i % 3 == 1 ? n * (1.0f / (1 << 24)) : (n >> 20) * 0.5f;
}
__host__ __device__ inline double any_double(unsigned i, unsigned stream) {
  const unsigned long long bits = random_bits(i, stream);
  if (i % 3 == 0) return from_bits<double>(bits);
  const long long n = static_cast<long long>(bits);
  return i % 3 == 1 ? n * (1.0 / (1ll << 40)) : static_cast<double>(n >> 50) * 0.5;
}

// Each function under test is a struct with a static `run(i)` that returns the result's bits.
template <class Function>
__global__ void apply(unsigned long long* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < samples) out[i] = Function::run(i);
}

static FILE* dump_file = nullptr;

template <class Function>
void hash(const char* name) {
  static unsigned long long results[samples];
  unsigned long long* device = nullptr;
  cudaMalloc(&device, sizeof results);
  apply<Function><<<samples / 256, 256>>>(device);
  cudaMemcpy(results, device, sizeof results, cudaMemcpyDeviceToHost);
  cudaFree(device);
  unsigned long long h = 0xCBF29CE484222325ull;
  for (unsigned i = 0; i < samples; ++i) h = (h ^ results[i]) * 0x100000001B3ull;
  std::printf("%-24s %016llx\n", name, h);
  if (dump_file) {
    char label[32] = {};
    std::strncpy(label, name, sizeof label - 1);
    std::fwrite(label, 1, sizeof label, dump_file);
    std::fwrite(results, 1, sizeof results / 8, dump_file);
  }
}

struct Entry {
  const char* name;
  void (*run)(const char* name);
};
inline Entry entries[512];
inline int entry_count = 0;

struct Registrar {
  Registrar(const char* name, void (*run)(const char*)) { entries[entry_count++] = {name, run}; }
};

// BITS(label, expression in i) registers one function; the expression's value is the result's bits.
#define BITS(label, ...)                                                                          \
  struct Function_##label {                                                                       \
    __device__ static unsigned long long run([[maybe_unused]] unsigned i) { return __VA_ARGS__; } \
  };                                                                                              \
  static const Registrar registrar_##label{#label, hash<Function_##label>};

int main(int argc, char** argv) {
  if (argc > 1) dump_file = std::fopen(argv[1], "wb");
  for (int i = 0; i < entry_count; ++i) entries[i].run(entries[i].name);
  if (dump_file) std::fclose(dump_file);
  return cudaDeviceSynchronize() == cudaSuccess && cudaGetLastError() == cudaSuccess ? 0 : 1;
}
