// The device's printf: formats, and what it gives back.
#include "facts.h"

__global__ void formats(int n, long long l, double d, char c) {
  printf("%%d: [%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%.4d] [%i]\n", n, n, n, n, n, n, n, n);
  printf("negative: [%d] [%6d] [%-6d] [%06d] [%u]\n", -n, -n, -n, -n, -n);
  printf("%%x: [%x] [%X] [%#x] [%08x] [%#X] [%o] [%#o]\n", n, n, n, n, n, n, n);
  printf("short: [%hd] [%hu]\n", n * 700, n * 700);
  printf("long: [%ld] [%lld] [%llu] [%llx] [%20lld] [%-20lld]\n", static_cast<long>(l), l, l, l, l,
         l);
  printf("size: [%zu]\n", sizeof(double4));
  printf("%%f: [%f] [%.2f] [%10.3f] [%-10.1f] [%+.0f] [%010.2f] [%.10f]\n", d, d, d, d, d, d, d);
  printf("%%e: [%e] [%.3e] [%E] [%12.2e]\n", d, d, d, d);
  printf("%%g: [%g] [%.3g] [%G] [%g] [%g] [%#g]\n", d, d, d * 1e20, d * 1e-10, 100000.0 * d,
         1.0 * n);
  printf("%%a: [%a] [%.3a]\n", d, d);
  printf("edges: [%f] [%f] [%f] [%5.1f]\n", 1.0 / (d - d), -1.0 / (d - d), d * 0.0, -0.0);
  printf("float: [%f] [%g]\n", static_cast<float>(d), 0.1f);
  printf("%%c: [%c] [%3c] [%-3c]\n", c, c, c);
  printf("%%s: [%s] [%8s] [%-8s] [%.2s]\n", "text", "text", "text", "text");
  printf("%%%%: [%%]\n");
  printf("star: [%*d] [%-*d] [%.*f]\n", 6, n, 6, n, 2, d);
  printf("bool: [%d] [%d]\n", n > 3, n < 3);
  const int none = printf("arguments: none\n"), three = printf("arguments: %d %d %d\n", 1, 2, 3);
  printf("answer to none: %d\nanswer to three: %d\n", none, three);
}

int main() {
  formats<<<1, 1>>>(42, 1234567890123ll, 3.14159265358979, 'q');
  return finished();
}
