// A __constant__ variable in a function.
int main() {
  // error: __constant__ variable 'weights' is declared in host function 'main'
  __constant__ int weights[3];
}
