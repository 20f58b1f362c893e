// A friend, and a member that launches.
struct Filter;
__global__ void run(Filter* f);
struct Filter {
  int n;
  friend __global__ void run(Filter* f);
  void start() { run<<<1, 1>>>(this); }
};
__global__ void run(Filter* f) {
  f->n = 1;
}
