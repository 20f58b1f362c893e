// One constructor for each side.
struct Rng {
  unsigned s;
  __device__ Rng(unsigned seed, unsigned more) : s(seed + more) {}
  Rng(unsigned seed) : s(seed) {}
};
__global__ void k() {
  Rng r(1, 2);
}
int main() {
  Rng r(1);
}
