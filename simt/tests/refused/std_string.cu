// std::string in a device function, with using namespace std.
#include <string>
using namespace std;
__device__ int f() {
  string s = "abc";  // error: std::string is used in device function 'f'
  return s.size();
}
