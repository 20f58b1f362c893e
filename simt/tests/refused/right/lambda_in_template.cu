// An unmarked lambda needs no option.
template <class T>
struct Runner {
  static T run(T x) {
    auto f = [](T y) { return y; };
    return f(x);
  }
};
int main() {
  return Runner<int>::run(0);
}
