// A kernel calls itself without a launch.
__global__ void down(int n) {
  if (n > 0) down(n - 1);  // error: kernel 'down' is called like a function
}
