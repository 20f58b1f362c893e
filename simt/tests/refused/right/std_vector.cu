// On the host; a kernel may hand a pointer to one on.
#include <string>
#include <vector>
__global__ void k(int* out, const std::vector<int>* never_read) {
  *out = never_read != nullptr;
}
int main() {
  std::vector<int> v(3);
  std::string s = "abc";
  k<<<1, 1>>>(v.data(), &v);
  return v[0] + s.size();
}
