// void, in every form.
#include <type_traits>
__global__ auto trailing(int* out) -> void {
  *out = 1;
}
template <class T>
__global__ std::enable_if_t<std::is_integral<T>::value> enabled(T* out) {
  *out = 1;
}
template <class T>
__global__ typename std::enable_if<std::is_integral<T>::value, void>::type enabled_too(T* out) {
  *out = 1;
}
__global__ static void words(int* out) {
  *out = 1;
}
extern "C" __global__ void in_c(int* out) {
  *out = 1;
}
void __global__ order(int* out) {
  *out = 1;
}
int main() {
  enabled<int><<<1, 1>>>(nullptr);
}
