// A host function is launched.
void f(int* out) {
  *out = 1;
}
int main() {
  f<<<1, 1>>>(nullptr);  // error: host function 'f' is launched with <<<...>>>
}
