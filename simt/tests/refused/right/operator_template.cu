// Operators that look for whatever comes: pointers and numbers of a template, which the language's own serve, and a template
// that is about another class.
struct End {
  template <class T>
  constexpr friend const T& operator+(const T& value, End) {
    return value;
  }
};
struct Name {
  const char* text;
};
template <class T>
bool operator==(const T& value, const Name& name) {
  return value.text == name.text;
}
// Of the same letter, and of another class.
template <class T>
struct Box {
  T value;
  friend bool operator==(const Box& box, T value) { return box.value == value; }
};
template <class T>
bool operator==(const Box<T>& a, const Box<T>& b) {
  return a.value == b.value;
}
template <class T>
struct Equals {
  T wanted;
  __device__ bool operator()(const T& a) const { return a == wanted; }
};
struct Count {
  int* counts;
  template <class Offset>
  __device__ void operator()(Offset i) {
    atomicAdd(counts + i, 1);
  }
};
template <class T>
struct Base {
  T x;
  __host__ __device__ bool operator==(const Base& b) const { return x == b.x; }
};
struct Derived : Base<int> {};
template <class Iterator, class T>
__global__ void k(Iterator in, T* out, Derived* d) {
  out[0] = *(in + 1);
  out[1] = out[0] == in[2];
  Derived a = d[0], b = d[1];
  out[2] = a == b;
}
template <class Op>
__global__ void each(Op op) {
  op(threadIdx.x);
}
int main() {
  int* p = nullptr;
  k<<<1, 1>>>(p, p, static_cast<Derived*>(nullptr));
  each<<<1, 1>>>(Count{p});
  each<<<1, 1>>>(Equals<unsigned>{1});
}
