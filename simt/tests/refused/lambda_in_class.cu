// A __device__ lambda needs the option also in a class that nobody uses.
struct Runner {
  int run() {
    auto f = [] __device__() { return 1; };  // error: needs the option --extended-lambda
    return sizeof f;
  }
};
