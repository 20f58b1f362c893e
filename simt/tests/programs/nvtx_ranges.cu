// NVTX for C++: marks and ranges of every form compile and do nothing.
#include <cstdio>
#include <nvtx3/nvtx3.hpp>

struct my_domain {
  static constexpr char const* name = "mine";
};
struct loading {
  static constexpr char const* name = "loading";
  static constexpr nvtx3::category::id_type id = 7;
};
struct greeting {
  static constexpr char const* message = "hello";
};

__global__ void twice(int* x) {
  *x *= 2;
}

void work(int* x) {
  NVTX3_FUNC_RANGE();
  const nvtx3::scoped_range whole{"whole", nvtx3::rgb{255, 0, 0}, nvtx3::payload{3}};
  const nvtx3::scoped_range_in<my_domain> in_mine("step", nvtx3::category{1});
  nvtx3::event_attributes attributes{nvtx3::message{"launch"}, nvtx3::color{0xff00ff00}};
  const nvtx3::scoped_range launch{attributes};
  twice<<<1, 1>>>(x);
}

int main() {
  int* x;
  cudaMallocManaged(&x, sizeof *x);
  *x = 21;
  const auto& category = nvtx3::named_category_in<my_domain>::get<loading>();
  const auto& text = nvtx3::registered_string::get<greeting>();
  const nvtx3::range_handle handle = nvtx3::start_range(text, category);
  work(x);
  cudaDeviceSynchronize();
  nvtx3::end_range(handle);
  nvtx3::mark_in<my_domain>("done");
  nvtx3::mark("done");
  printf("%d, category %u\n", *x, category.get_id());
  cudaFree(x);
}
