// Launched, also through a pointer and with a template's arguments; a name of a member is another one.
__global__ void k(int* out) {
  *out = 1;
}
template <class T>
__global__ void typed(T* out) {
  *out = T(1);
}
struct Timer {
  void k(int*) {}
};
int main() {
  Timer timer;
  timer.k(nullptr);
  k<<<1, 1>>>(nullptr);
  typed<float><<<1, 1>>>(nullptr);
  void (*pointer)(int*) = k;
  pointer<<<1, 1>>>(nullptr);
}
