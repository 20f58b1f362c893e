// The contract of an op, declared once beside its args struct: names, roles, shapes, types,
// defaults. The harness makes buffers from it, the launcher checks calls by it, the Python op takes
// its schema from it.
//
//   struct Forward {
//     static constexpr const char* op = "softmax";
//     Tensor x, y;
//     static Contract contract() {
//       return Contract(op, "y = softmax(x) over the last axis")
//           .in("x", &Forward::x, {"rows...", "cols"}, {DType::f32, DType::f16, DType::bf16})
//           .out("y", &Forward::y, {"rows...", "cols"}, "x");
//     }
//   };
//
// A dimension is a name ("cols"), a name plus a number ("batch+1": ragged offsets), a sum of two names ("n+m": one after
// the other), or a number ("3"). "rows..." as the first one stands for any number of leading axes; a launcher sees them
// as one. A name that no input has is that of an integer scalar, which tells its size: .out("y", …, {"rows...", "k"}, "x")
// and .integer("k", …). A case gives both.
//
// A list of tensors is named by the dimension that counts it: .in_list("g", &Args::g, "tensors", {…}). Lists with the same
// name have the same number of tensors, pairwise of the same size; a tensor with that dimension has an entry for each.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/host/tensor.h"

namespace warpath {

enum class Role { in, out, inout, scalar, scratch };
enum class ScalarType {
  integer,
  real,
  boolean,
  choice
};  // a choice is stored as the index of its name

struct Dim {
  std::string name;  // empty: a plain number
  std::int64_t plus = 0;
  bool leading = false;       // "name..."
  std::string and_name = {};  // of "name+and_name"; inputs before this one have bound both
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
  std::string in_place;       // of an output: the input whose memory it may be
  bool list = false;          // a list of tensors of one type; its only dimension is their number

  // Scalars.
  ScalarType scalar = ScalarType::integer;
  double fallback = 0;               // the default
  std::vector<std::string> choices;  // of ScalarType::choice

  bool has_data() const { return role == Role::in || role == Role::out || role == Role::inout; }
  bool is_tensor() const { return has_data() && !list; }
  bool is_list() const { return has_data() && list; }
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

  // Lists of tensors; `count` names the dimension that says how many.
  template <class A>
  Contract& in_list(std::string n, TensorList A::*m, std::string count, std::vector<DType> t) {
    return tensor(std::move(n), Role::in, offset_of(m), {count}, std::move(t), {}).list();
  }
  template <class A>
  Contract& in_list(std::string n, TensorList A::*m, std::string count, const char* same_as) {
    return tensor(std::move(n), Role::in, offset_of(m), {count}, {}, same_as).list();
  }
  template <class A>
  Contract& inout_list(std::string n, TensorList A::*m, std::string count, std::vector<DType> t) {
    return tensor(std::move(n), Role::inout, offset_of(m), {count}, std::move(t), {}).list();
  }
  template <class A>
  Contract& inout_list(std::string n, TensorList A::*m, std::string count, const char* same_as) {
    return tensor(std::move(n), Role::inout, offset_of(m), {count}, {}, same_as).list();
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
  // The output may be the very memory of that input, which then is overwritten. They have the same shape
  // and type, both contiguous; memory that overlaps in any other way is not allowed.
  Contract& in_place(std::string input) { return last().in_place = std::move(input), *this; }

  // The ops that a learner should know first: they give the order of the lessons.
  Contract& after(std::vector<std::string> ops) { return after_ = std::move(ops), *this; }

  const std::string& name() const { return name_; }
  const std::string& summary() const { return summary_; }
  const std::vector<ArgSpec>& args() const { return args_; }
  const std::vector<std::string>& after() const { return after_; }
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
  Contract& list() { return last().list = true, *this; }
  ArgSpec& last() { return args_.back(); }

  std::string name_, summary_;
  std::vector<ArgSpec> args_;
  std::vector<std::string> after_;
};

// Typed access to a member of an args struct of which only the contract is known.
inline Tensor& tensor_at(void* args, const ArgSpec& a) {
  return *reinterpret_cast<Tensor*>(static_cast<char*>(args) + a.offset);
}
inline const Tensor& tensor_at(const void* args, const ArgSpec& a) {
  return *reinterpret_cast<const Tensor*>(static_cast<const char*>(args) + a.offset);
}
inline TensorList& list_at(void* args, const ArgSpec& a) {
  return *reinterpret_cast<TensorList*>(static_cast<char*>(args) + a.offset);
}
inline const TensorList& list_at(const void* args, const ArgSpec& a) {
  return *reinterpret_cast<const TensorList*>(static_cast<const char*>(args) + a.offset);
}
// A tensor that has the argument's type: itself, or the first of a list; null where there is none.
const Tensor* sample_at(const void* args, const ArgSpec& a);
inline Scratch& scratch_at(void* args, const ArgSpec& a) {
  return *reinterpret_cast<Scratch*>(static_cast<char*>(args) + a.offset);
}
void set_scalar(void* args, const ArgSpec& a, double value);
// "gelu", "true", "0.5"
std::string scalar_text(const ArgSpec& a, double value);

// Empty, or why the sizes of a list's tensors are not those of the lists before it; after "argument 'x' ".
std::string list_mismatch(const Contract& contract, const void* args, const ArgSpec& a);

// Throws Error naming the argument when shapes, types, strides or pointers break the contract.
void check_args(const Contract& contract, const void* args);

}  // namespace warpath
