// A kernel calls a function of std::string through a pointer.
#include <cstdio>
#include <string>
__global__ void k(const std::string* names) {
  printf("%s", names->c_str());  // error: a function of std::string is called from kernel 'k'
}
