// A destructor without __device__.
struct Guard {
  int* p;
  ~Guard() { *p = 0; }
};
__global__ void k(int* out) {
  Guard g{out};  // error: host function '~Guard' is called from kernel 'k'
}
