// A header of CUB's that is CCCL's own and does not compile: it is named, in one line; the ones beside it that do are not.
#include <cub/cub.cuh>
#include <cub/device/dispatch/dispatch_reduce.cuh>
#include <cub/grid/grid_queue.cuh>
#include <cub/thread/thread_sort.cuh>

int main() {}
