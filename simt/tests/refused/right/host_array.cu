// __constant__, static in the kernel, or evaluated by the compiler.
__constant__ int primes[3] = {2, 3, 5};
constexpr int sizes[2] = {4, 8};
template <int n>
struct Tile {
  int data[n];
};
__global__ void k(int* out) {
  static const int more[2] = {7, 11};
  constexpr int size = sizes[1];
  int local[sizes[0]] = {};
  Tile<sizes[1]> tile = {};
  *out = primes[*out] + more[*out] + size + local[*out] + tile.data[0];
}
