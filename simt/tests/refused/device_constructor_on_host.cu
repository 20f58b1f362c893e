// main makes an object whose constructor is the device's.
struct Rng {
  unsigned s;
  __device__ Rng(unsigned seed) : s(seed) {}
};
int main() {
  Rng r(1);  // error: device constructor of 'Rng' is called from host function 'main'
}
