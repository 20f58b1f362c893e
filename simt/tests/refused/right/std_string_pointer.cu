// A text is a pointer to char.
#include <cstdio>
#include <string>
__global__ void k(const char* name, const std::string* names) {
  if (names != nullptr) printf("%s", name);
}
