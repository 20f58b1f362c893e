// An overload for the host.
struct Counter {
  int n;
  __device__ int next(int by) { return n += by; }
  int next() { return ++n; }
};
__global__ void k(Counter c) {
  c.next(1);
}
int main() {
  Counter c{0};
  return c.next();
}
