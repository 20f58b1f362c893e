// A constant array of the host.
const int primes[3] = {2, 3, 5};
__global__ void k(int* out) {
  *out = primes[*out];  // error: host variable 'primes' is used in kernel 'k'
}
