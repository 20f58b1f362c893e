// The contract of an op, declared once beside its args struct: names, roles, shapes, types,
// defaults. The harness makes buffers from it, the launcher checks calls by it, the Python op takes
// its schema from it.
//
//   struct Forward {
//     Tensor x, y;
//     static Contract contract() {
//       return Contract("softmax", "y = softmax(x) over the last axis")
//           .in("x", &Forward::x, {"rows...", "cols"}, {DType::f32, DType::f16, DType::bf16})
//           .out("y", &Forward::y, {"rows...", "cols"}, "x");
//     }
//   };
//
// A dimension is a name ("cols"), a name plus a number ("batch+1": ragged offsets), or a number
// ("3"). "rows..." as the first one stands for any number of leading axes; a launcher sees them as
// one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/tensor.h"

namespace warpath {

enum class Role { in, out, inout, scalar, scratch };
enum class ScalarType {
  integer,
  real,
  boolean,
  choice
};  // a choice is stored as the index of its name

using Dims = std::map<std::string, std::int64_t>;

struct Dim {
  std::string name;  // empty: a plain number
  std::int64_t plus = 0;
  bool leading = false;  // "name..."
};

struct ArgSpec {
  std::string name;
  Role role = Role::in;
  std::size_t offset = 0;  // of the member inside the args struct

  // Tensors.
  std::vector<Dim> dims;
  std::vector<DType> dtypes;  // those allowed; empty when same_as names another argument
  std::string same_as;        // has the dtype of that argument
  bool optional = false;      // data may be null
  bool strided = false;       // any strides; otherwise contiguous
  bool index = false;         // holds positions, not numbers to compute with

  // Scalars.
  ScalarType scalar = ScalarType::integer;
  double fallback = 0;               // the default
  std::vector<std::string> choices;  // of ScalarType::choice

  bool is_tensor() const { return role == Role::in || role == Role::out || role == Role::inout; }
  bool is_output() const { return role == Role::out || role == Role::inout; }
  bool is_input() const { return role == Role::in || role == Role::inout; }
};

Dim parse_dim(const std::string& text);

class Contract {
 public:
  Contract() = default;
  Contract(std::string name, std::string summary)
      : name_(std::move(name)), summary_(std::move(summary)) {}

  template <class A>
  Contract& in(std::string n, Tensor A::*m, std::vector<std::string> d, std::vector<DType> t) {
    return tensor(std::move(n), Role::in, offset_of(m), d, std::move(t), {});
  }
  template <class A>
  Contract& in(std::string n, Tensor A::*m, std::vector<std::string> d, const char* same_as) {
    return tensor(std::move(n), Role::in, offset_of(m), d, {}, same_as);
  }
  template <class A>
  Contract& out(std::string n, Tensor A::*m, std::vector<std::string> d, std::vector<DType> t) {
    return tensor(std::move(n), Role::out, offset_of(m), d, std::move(t), {});
  }
  template <class A>
  Contract& out(std::string n, Tensor A::*m, std::vector<std::string> d, const char* same_as) {
    return tensor(std::move(n), Role::out, offset_of(m), d, {}, same_as);
  }
  // Read and then overwritten: in-place work, or accumulation into what is there.
  template <class A>
  Contract& inout(std::string n, Tensor A::*m, std::vector<std::string> d, const char* same_as) {
    return tensor(std::move(n), Role::inout, offset_of(m), d, {}, same_as);
  }

  template <class A>
  Contract& integer(std::string n, std::int64_t A::*m, std::int64_t fallback) {
    return scalar(std::move(n), offset_of(m), ScalarType::integer, static_cast<double>(fallback),
                  {});
  }
  template <class A>
  Contract& real(std::string n, double A::*m, double fallback) {
    return scalar(std::move(n), offset_of(m), ScalarType::real, fallback, {});
  }
  template <class A>
  Contract& boolean(std::string n, bool A::*m, bool fallback) {
    return scalar(std::move(n), offset_of(m), ScalarType::boolean, fallback ? 1 : 0, {});
  }
  // An enum class over int whose values are 0, 1, 2… in the order of `choices`.
  template <class A, class E>
  Contract& choice(std::string n, E A::*m, std::vector<std::string> choices, E fallback = E{}) {
    static_assert(sizeof(E) == sizeof(int), "a choice is stored as an int");
    return scalar(std::move(n), offset_of(m), ScalarType::choice, static_cast<double>(fallback),
                  std::move(choices));
  }
  template <class A>
  Contract& scratch(std::string n, Scratch A::*m) {
    ArgSpec a;
    a.name = std::move(n);
    a.role = Role::scratch;
    a.offset = offset_of(m);
    args_.push_back(std::move(a));
    return *this;
  }

  // Marks on the argument declared last.
  Contract& optional() { return last().optional = true, *this; }
  Contract& strided() { return last().strided = true, *this; }
  Contract& index() { return last().index = true, *this; }

  const std::string& name() const { return name_; }
  const std::string& summary() const { return summary_; }
  const std::vector<ArgSpec>& args() const { return args_; }
  const ArgSpec* find(const std::string& arg) const;
  // The types the op as a whole can be run in: those of its first tensor that lists any.
  const std::vector<DType>& dtypes() const;

 private:
  template <class A, class M>
  static std::size_t offset_of(M A::*m) {
    static const A sample{};
    return static_cast<std::size_t>(reinterpret_cast<const char*>(&(sample.*m)) -
                                    reinterpret_cast<const char*>(&sample));
  }
  Contract& tensor(std::string n, Role role, std::size_t offset, const std::vector<std::string>& d,
                   std::vector<DType> dtypes, std::string same_as);
  Contract& scalar(std::string n, std::size_t offset, ScalarType type, double fallback,
                   std::vector<std::string> choices);
  ArgSpec& last() { return args_.back(); }

  std::string name_, summary_;
  std::vector<ArgSpec> args_;
};

// Typed access to a member of an args struct of which only the contract is known.
inline Tensor& tensor_at(void* args, const ArgSpec& a) {
  return *reinterpret_cast<Tensor*>(static_cast<char*>(args) + a.offset);
}
inline const Tensor& tensor_at(const void* args, const ArgSpec& a) {
  return *reinterpret_cast<const Tensor*>(static_cast<const char*>(args) + a.offset);
}
inline Scratch& scratch_at(void* args, const ArgSpec& a) {
  return *reinterpret_cast<Scratch*>(static_cast<char*>(args) + a.offset);
}
void set_scalar(void* args, const ArgSpec& a, double value);

// The shape of an argument for given dimensions; throws when one is not given.
std::vector<std::int64_t> shape_of(const ArgSpec& a, const Dims& dims);

// Throws Error naming the argument when shapes, types, strides or pointers break the contract.
void check_args(const Contract& contract, const void* args);

}  // namespace warpath
