// Nor does it help that nobody uses the template.
template <class T>
struct Runner {
  static void run() {
    // error: needs the option --extended-lambda
    auto f = [] __device__(T x) { return x; };
    (void)f;
  }
};
