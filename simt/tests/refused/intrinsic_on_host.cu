// main calls a function that only devices have.
int main() {
  int count = 0;
  atomicAdd(&count, 1);  // error: device function 'atomicAdd' is called from host function 'main'
}
