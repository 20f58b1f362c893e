// main calls a device member.
struct Counter {
  int n;
  __device__ int next() { return ++n; }
};
int main() {
  Counter c{0};
  return c.next();  // error: device function 'next' is called from host function 'main'
}
