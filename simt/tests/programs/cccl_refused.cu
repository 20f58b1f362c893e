// A wrapper of cuda::ptx whose instruction is not known is refused where it is used; those that nobody uses are not.
#include <cuda/ptx>

__global__ void k() {
  cuda::ptx::exit();
}
int main() {
  k<<<1, 1>>>();
}
