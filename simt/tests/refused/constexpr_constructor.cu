// A constexpr constructor needs the option too.
struct Range {
  int begin, end;
  constexpr Range(int b, int e) : begin(b), end(e) {}
};
__global__ void k(int* out) {
  Range r(1, 2);  // error: constexpr host constructor of 'Range' is called from kernel 'k'
  *out = r.end;
}
