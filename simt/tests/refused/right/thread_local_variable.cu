// A local is each thread's own.
thread_local int of_the_host;
__global__ void k(int* out) {
  int n = 1;
  *out = n;
}
int main() {
  return of_the_host;
}
