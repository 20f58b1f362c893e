// A function of the user's of that name, and those that both sides have.
struct Counters {
  int n;
  int atomicAdd(int by) { return n += by; }
};
__global__ void k(int* p) {
  atomicAdd(p, 1);
}
int main() {
  Counters c{0};
  return c.atomicAdd(1) + max(1, 2) + rsqrtf(4.0f) + make_float2(1, 2).x;
}
