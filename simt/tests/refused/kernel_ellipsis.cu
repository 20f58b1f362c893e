// A kernel with an unknown number of arguments.
__global__ void k(int n, ...) {  // error: kernel 'k' has '...' as its last parameter
}
