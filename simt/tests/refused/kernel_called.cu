// A kernel is called like a function.
__global__ void k(int* out) {
  *out = 1;
}
int main() {
  k(nullptr);  // error: kernel 'k' is called like a function
}
