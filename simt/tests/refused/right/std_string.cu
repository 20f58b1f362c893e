// A class of the user's of that name.
#include <string>
namespace mine {
struct string {
  const char* text;
  __device__ int size() const { return 3; }
};
__device__ int f() {
  string s{"abc"};
  return s.size();
}
}  // namespace mine
