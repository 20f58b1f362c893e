// A kernel is a member of a class.
struct Filter {
  __global__ void run(int* out) { *out = 1; }  // error: kernel 'run' is a member of 'Filter'
};
