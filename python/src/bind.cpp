#include "python/src/bind.h"

#include <torch/csrc/stable/ops.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>

#include "core/host/error.h"

namespace warpath::python {
namespace {

using torch::stable::detail::to;

void must(AOTITorchError error, const char* what) {
  if (error != TORCH_SUCCESS) throw Error(std::string("torch could not ") + what);
}

int ask_torch_dtype(DType d) {
  switch (d) {
    case DType::f64:
      return aoti_torch_dtype_float64();
    case DType::f32:
      return aoti_torch_dtype_float32();
    case DType::f16:
      return aoti_torch_dtype_float16();
    case DType::bf16:
      return aoti_torch_dtype_bfloat16();
    case DType::i64:
      return aoti_torch_dtype_int64();
    case DType::i32:
      return aoti_torch_dtype_int32();
    case DType::i16:
      return aoti_torch_dtype_int16();
    case DType::i8:
      return aoti_torch_dtype_int8();
    case DType::u64:
      return aoti_torch_dtype_uint64();
    case DType::u32:
      return aoti_torch_dtype_uint32();
    case DType::u16:
      return aoti_torch_dtype_uint16();
    case DType::u8:
      return aoti_torch_dtype_uint8();
    case DType::boolean:
      return aoti_torch_dtype_bool();
  }
  return -1;
}

// Torch's code of a dtype; torch is asked once.
int torch_dtype(DType d) {
  static const auto numbers = [] {
    std::array<int, std::size(dtype_table)> all{};
    for (const DTypeInfo& i : dtype_table)
      all[static_cast<std::size_t>(i.dtype)] = ask_torch_dtype(i.dtype);
    return all;
  }();
  return numbers[static_cast<std::size_t>(d)];
}

std::string names(const std::vector<DType>& dtypes) {
  std::string text;
  for (const DType d : dtypes) text += (text.empty() ? "" : ", ") + std::string(name(d));
  return text;
}

Handle allocate(const Shape& shape, int dtype, int device_type, int device_index) {
  Shape strides;
  strides.rank = shape.rank;
  std::int64_t stride = 1;
  for (std::size_t i = shape.rank; i-- > 0;) {
    strides.sizes[i] = stride;
    stride *= std::max<std::int64_t>(shape.sizes[i], 1);
  }
  AtenTensorHandle handle = nullptr;
  must(aoti_torch_empty_strided(static_cast<std::int64_t>(shape.rank), shape.sizes.data(),
                                strides.sizes.data(), dtype, device_type, device_index, &handle),
       "allocate memory for a result");
  return Handle(handle);
}

// What was given, or empty.
std::string optional_text(StableIValue value) {
  auto text = to<std::optional<std::string>>(value);
  return text ? std::move(*text) : std::string();
}

}  // namespace

static void take_default(const ArgSpec& a, Value& value) {
  using torch::stable::detail::from;
  if (a.role != Role::scalar || is_dtype_choice(a)) return;  // left out
  switch (a.scalar) {
    case ScalarType::integer:
      value.bits = from(static_cast<std::int64_t>(a.fallback));
      return;
    case ScalarType::real:
      value.bits = from(a.fallback);
      return;
    case ScalarType::boolean:
      value.bits = from(a.fallback != 0);
      return;
    case ScalarType::choice:
      value.text = a.choices.at(static_cast<std::size_t>(a.fallback));
      return;
  }
}

Values take(const TorchOp& op, Overload overload, StableIValue* stack) {
  Values v;
  const std::size_t n = op.parameters.size();
  for (std::size_t i = 0; i < n; ++i) {
    const ArgSpec& a = *op.parameters[i];
    Value& value = v.of.add({});
    if (a.is_list()) {
      using Given = std::optional<std::vector<AtenTensorHandle>>;
      const Given given =
          a.optional ? to<Given>(stack[i]) : Given(to<std::vector<AtenTensorHandle>>(stack[i]));
      value.given = given.has_value();
      if (given)
        for (const AtenTensorHandle tensor : *given) value.list.emplace_back(tensor);
    } else if (must_be_given(a)) {  // they come first
      value.tensor = Handle(to<AtenTensorHandle>(stack[i]));
    } else if (overload == Overload::plain) {
      take_default(a, value);
    } else if (a.is_tensor()) {  // null, or a handle where torch allocated room for it
      if (auto given = to<std::optional<AtenTensorHandle>>(stack[i])) value.tensor = Handle(*given);
    } else if (is_dtype_choice(a)) {
      value.text = optional_text(stack[i]);
    } else if (a.scalar == ScalarType::choice) {
      value.text = to<std::string>(stack[i]);
    } else {
      value.bits = stack[i];
    }
  }
  if (overload != Overload::plain) {
    auto named = to<std::optional<std::string>>(stack[n]);
    v.best_rung = !named;
    if (named) v.rung = std::move(*named);
  }
  return v;
}

Seen::Seen(AtenTensorHandle tensor) : tensor(tensor) {
  std::int64_t axes = 0;
  std::int64_t *its_sizes = nullptr, *its_strides = nullptr;
  must(aoti_torch_get_dim(tensor, &axes), "tell a tensor's rank");
  must(aoti_torch_get_sizes(tensor, &its_sizes), "tell a tensor's sizes");
  must(aoti_torch_get_strides(tensor, &its_strides), "tell a tensor's strides");
  sizes = Sizes(its_sizes, static_cast<std::size_t>(axes));
  strides = Sizes(its_strides, static_cast<std::size_t>(axes));
}

// As torch defines it: axes of one element may have any stride, and so may every axis of a tensor without elements.
bool Seen::contiguous() const {
  std::int64_t stride = 1;
  bool in_order = true;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 0) return true;
    if (sizes[i] == 1) continue;
    in_order &= strides[i] == stride;
    stride *= sizes[i];
  }
  return in_order;
}

Bound::Bound(const TorchOp& op, Overload overload, Values values)
    : op_(op), overload_(overload), values_(std::move(values)), args_(*op.op) {
  if (!values_.best_rung && values_.rung.empty())
    throw Error("warpath::" + op.name + ": argument 'rung' is ''; leave it out for the best rung");
  const std::size_t n = op.parameters.size();
  exact_ = in_float64(overload);
  for (std::size_t i = 0; i < n; ++i)
    if (is_dtype_choice(*op.parameters[i])) choose_dtype(*op.parameters[i], values_.of[i].text);
  for (std::size_t i = 0; i < n; ++i) {
    const ArgSpec& a = *op.parameters[i];
    const Value& value = values_.of[i];
    if (is_dtype_choice(a)) continue;
    if (a.is_list()) {
      if (value.given) bind_list(a, value.list);
    } else if (!a.is_tensor())
      bind_scalar(a, value.bits, value.text);
    else if (value.tensor)
      bind_input(a, value.tensor.get());
  }
  for (const ArgSpec* a : op.outputs)
    overload == Overload::in_place && !a->in_place.empty() ? overwrite_input(*a) : make_output(*a);
  lacks_elements_ = !empty() && lacks_elements();
  if (needs_reference() && !values_.rung.empty())
    throw Error("warpath::" + op.name + ": argument 'rung' is '" + values_.rung + "', but " +
                (exact_ ? "float64 is computed by the op's reference, not by a rung"
                        : "no rung takes a tensor without elements"));
}

// Gradients are checked in float64 (torch.autograd.gradcheck). Where the contract has no such type, the op's reference
// computes it on the CPU.
bool Bound::in_float64(Overload overload) const {
  if (overload == Overload::in_place || !functional(op_) || takes_lists(op_)) return false;
  for (std::size_t i = 0; i < op_.parameters.size(); ++i) {
    const Handle& tensor = values_.of[i].tensor;
    if (!tensor || op_.parameters[i]->index) continue;
    int code = 0, device = 0;
    must(aoti_torch_get_dtype(tensor.get(), &code), "tell a tensor's dtype");
    if (code != torch_dtype(DType::f64)) return false;
    const std::vector<DType>& allowed = op_.parameters[i]->dtypes;
    if (std::count(allowed.begin(), allowed.end(), DType::f64)) return false;
    must(aoti_torch_get_device_type(tensor.get(), &device), "tell a tensor's device");
    return device == aoti_torch_device_type_cpu();
  }
  return false;
}

void Bound::refuse(const ArgSpec& a, const std::string& why) const {
  throw Error("warpath::" + op_.name + ": argument '" + a.name + "' " + why);
}

void Bound::check_device(const ArgSpec& a, AtenTensorHandle tensor) {
  int type = 0, index = 0;
  bool is_there = false;
  must(aoti_torch_is_defined(tensor, &is_there), "look at a tensor");
  if (!is_there) refuse(a, "is None; it takes a tensor");
  must(aoti_torch_get_device_type(tensor, &type), "tell a tensor's device");
  must(aoti_torch_get_device_index(tensor, &index), "tell a tensor's device");
  if (!first_) {
    first_ = &a;
    device_type_ = type;
    device_index_ = index;
  } else if (type != device_type_ || index != device_index_) {
    refuse(a, "is not on the device of '" + first_->name + "'");
  }
}

// The type an output was given so far; null where neither the call nor an input has said it.
const DType* Bound::chosen_dtype(const ArgSpec& output) const {
  for (const auto& [spec, dtype] : chosen_)
    if (spec == &output) return &dtype;
  return nullptr;
}

void Bound::choose_dtype(const ArgSpec& choice, const std::string& text) {
  if (text.empty()) return;
  if (exact_) refuse(choice, "is '" + text + "', but the result of float64 tensors is f64");
  const ArgSpec& output = *op_.contract->find(choice.same_as);
  for (const DType d : output.dtypes)
    if (name(d) == text) return chosen_.add({&output, d}), void();
  refuse(choice, "is '" + text + "'; allowed: " + names(output.dtypes));
}

// Given by the call, or by an input that must have the same type; otherwise the type of the first tensor
// where the output may have it.
DType Bound::output_dtype(const ArgSpec& output) const {
  if (exact_) return output.index ? DType::i64 : DType::f64;
  if (!output.same_as.empty()) {
    const ArgSpec& other = *op_.contract->find(output.same_as);
    const Tensor* const like = sample_at(args(), other);
    if (!like && other.list) refuse(other, "has no tensors");
    // The input is left out: the type that it would have.
    return like ? like->dtype : dtype_of(*op_.contract, other, DType::f32);
  }
  if (const DType* told = chosen_dtype(output)) return *told;
  if (first_) {
    const DType d = sample_at(args(), *first_)->dtype;
    if (std::count(output.dtypes.begin(), output.dtypes.end(), d)) return d;
  }
  return output.dtypes.at(0);
}

DType Bound::check_dtype(const ArgSpec& a, AtenTensorHandle tensor) {
  int code = 0;
  must(aoti_torch_get_dtype(tensor, &code), "tell a tensor's dtype");
  const auto is = [&] {  // in words, for a refusal
    for (const DTypeInfo& i : dtype_table)
      if (torch_dtype(i.dtype) == code) return "is " + std::string(i.name);
    return std::string("is another dtype");
  };
  if (exact_ && !a.index) {
    if (torch_dtype(DType::f64) != code) refuse(a, is() + " but '" + first_->name + "' is f64");
    return DType::f64;
  }
  if (!a.same_as.empty()) {
    const ArgSpec& other = *op_.contract->find(a.same_as);
    if (other.role == Role::out && !chosen_dtype(other)) {  // this input tells the output's type
      for (const DType d : other.dtypes)
        if (torch_dtype(d) == code) return chosen_.add({&other, d}), d;
      refuse(a, is() + "; allowed: " + names(other.dtypes));
    }
    const Tensor* const like = other.role == Role::out ? nullptr : sample_at(args(), other);
    if (other.role != Role::out && !like)
      refuse(other, other.list ? "has no tensors" : "is left out, but '" + a.name + "' is like it");
    const DType wanted = like ? like->dtype : *chosen_dtype(other);
    if (torch_dtype(wanted) != code)
      refuse(a, is() + " but '" + other.name + "' is " + std::string(name(wanted)));
    return wanted;
  }
  for (const DType d : a.dtypes)
    if (torch_dtype(d) == code) return d;
  refuse(a, is() + "; allowed: " + names(a.dtypes));
}

void Bound::bind_input(const ArgSpec& a, AtenTensorHandle tensor) {
  check_device(a, tensor);
  const DType dtype = check_dtype(a, tensor);
  const Seen t(tensor);
  if (const auto wrong = bindings_.bind(a, t.sizes)) refuse(a, wrong->text());
  if (t.contiguous()) return fill(a, t, dtype, true);
  const std::size_t lead = leading_axes(a, t.sizes.size());
  if (a.strided && merged_stride(t.sizes.first(lead), t.strides.first(lead)) >= 0)
    return fill(a, t, dtype, false);
  fill(a, Seen(contiguous(a, tensor)), dtype, true);
}

// A copy that lies in order; what is changed in place is copied back after the launch.
AtenTensorHandle Bound::contiguous(const ArgSpec& a, AtenTensorHandle tensor) {
  const Seen t(tensor);
  const bool written = overwrites(op_, overload_, a);
  for (std::size_t i = 0; written && i < t.sizes.size(); ++i)
    if (t.strides[i] == 0 && t.sizes[i] > 1)
      refuse(a,
             "has elements that share memory, as expand() makes them, and is written to; pass "
             ".clone()");
  AtenTensorHandle again = nullptr;
  must(aoti_torch_new_tensor_handle(tensor, &again), "hold a tensor");
  try {
    contiguous_.push_back(torch::stable::contiguous(TorchTensor(again)));
  } catch (const std::exception&) {
    refuse(a, "has gaps or repeats, and torch has no memory for a copy in order");
  }
  if (written) copies_.emplace_back(tensor, contiguous_.back());
  return contiguous_.back().get();
}

bool Bound::put_in_order() {
  bool some = false;
  for (std::size_t i = 0; i < op_.parameters.size(); ++i) {
    const ArgSpec& a = *op_.parameters[i];
    const Handle& tensor = values_.of[i].tensor;
    if (!a.strided || !tensor || Seen(tensor.get()).contiguous()) continue;
    fill(a, Seen(contiguous(a, tensor.get())), args_.tensor(a).dtype, true);
    some = true;
  }
  return some;
}

void Bound::bind_list(const ArgSpec& a, const std::vector<Handle>& tensors) {
  std::vector<Tensor>& list = lists_.emplace_back();
  list.reserve(tensors.size());  // the args struct points to them
  TensorList& bound = list_at(args(), a);
  for (const Handle& tensor : tensors) {
    check_device(a, tensor.get());
    const DType dtype = check_dtype(a, tensor.get());
    Seen t(tensor.get());
    if (!t.contiguous()) t = Seen(contiguous(a, tensor.get()));
    std::int64_t size = 1;
    for (const std::int64_t n : t.sizes) size *= n;
    void* data = nullptr;
    must(aoti_torch_get_data_ptr(t.tensor, &data), "tell where a tensor's data is");
    set_tensor(list.emplace_back(), data, dtype, Sizes(&size, 1));
    if (dtype != list[0].dtype)
      refuse(a, "holds both " + std::string(name(list[0].dtype)) + " and " +
                    std::string(name(dtype)) + "; one call takes one type");
    bound = {list.data(), static_cast<std::int64_t>(list.size())};
  }
  if (const auto wrong = bindings_.bind(a, Sizes(&bound.count, 1)))
    refuse(a, "has " + std::to_string(bound.count) + " tensors, but '" + wrong->bound.from->name +
                  "' has " + std::to_string(wrong->bound.at(0)));
  if (const std::string why = list_mismatch(*op_.contract, args(), a); !why.empty()) refuse(a, why);
}

void Bound::fill(const ArgSpec& a, const Seen& t, DType dtype, bool contiguous) {
  void* data = nullptr;
  must(aoti_torch_get_data_ptr(t.tensor, &data), "tell where a tensor's data is");
  set_tensor(args_.tensor(a), a, data, dtype, t.sizes, contiguous ? Sizes() : t.strides);
}

void Bound::bind_scalar(const ArgSpec& a, StableIValue bits, const std::string& text) {
  switch (a.scalar) {
    case ScalarType::integer:
      return set_integer(args(), a, to<std::int64_t>(bits));
    case ScalarType::real:
      return set_scalar(args(), a, to<double>(bits));
    case ScalarType::boolean:
      return set_scalar(args(), a, to<bool>(bits));
    case ScalarType::choice: {
      if (const auto found = find_choice(a, text)) return set_scalar(args(), a, *found);
      std::string list;
      for (const std::string& c : a.choices) list += (list.empty() ? "'" : ", '") + c + "'";
      refuse(a, "is '" + text + "'; allowed: " + list);
    }
  }
}

void Bound::make_output(const ArgSpec& a) {
  const Shape shape = bindings_.shape_of(a, *op_.contract, args());
  const DType dtype = output_dtype(a);
  const Handle& made =
      outputs_.add(allocate(shape, torch_dtype(dtype), device_type_, device_index_));
  const Seen seen(made.get(), shape);
  fill(a, seen, dtype, true);
  no_elements_ &= std::count(seen.sizes.begin(), seen.sizes.end(), 0) > 0;
}

// An output that lies where an input does.
void Bound::overwrite_input(const ArgSpec& a) {
  const Tensor& input = args_.tensor(*op_.contract->find(a.in_place));
  args_.tensor(a) = input;
  no_elements_ &= input.size() == 0;
}

bool Bound::empty() const {
  return no_elements_ && functional(op_);
}

// Kernels take no rows without elements: what their result is differs from op to op. The reference knows, except where
// it would look up a position among no elements.
bool Bound::lacks_elements() const {
  const ArgSpec* lacking = nullptr;
  bool positions = false;
  for (const ArgSpec* a : op_.parameters) {
    if (!a->is_tensor()) continue;
    const Tensor& t = tensor_at(args(), *a);
    if (t.rank > 0 && t.data == nullptr && t.size() > 0) refuse(*a, "has no data");
    if (t.rank > 0 && t.size() == 0) lacking = a;
    positions |= a->index && t.rank > 0 && t.size() > 0;
  }
  if (lacking && (positions || overload_ == Overload::in_place || takes_lists(op_)))
    refuse(*lacking, "has no elements, but the result has some");
  return lacking;
}

struct Bound::Reference {
  ArgsBlock args, scale;
  std::vector<Handle> held, results;
  std::vector<std::pair<AtenTensorHandle, AtenTensorHandle>> changed;  // the caller's, ours
  std::vector<std::vector<double>> scales;

  explicit Reference(Bound& bound) : args(bound.args_), scale(bound.args_) {  // with their scalars
    const TorchOp& op = bound.op_;
    for (std::size_t i = 0; i < op.parameters.size(); ++i)
      if (const AtenTensorHandle given = bound.values_.of[i].tensor.get()) {
        const ArgSpec& a = *op.parameters[i];
        held.push_back(on_host(a, given));
        must(aoti_torch_copy_(held.back().get(), given, 0), "copy a tensor");
        if (a.role != Role::inout) continue;
        changed.emplace_back(given, held.back().get());
        add_scale(a);
      }
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
      const ArgSpec& a = *op.outputs[i];
      results.push_back(on_host(a, bound.outputs_[i].get()));
      add_scale(a);
    }
    op.op->reference(args.get(), scale.get());
  }

  void add_scale(const ArgSpec& output) {
    scales.emplace_back(static_cast<std::size_t>(args.tensor(output).size()));
    scale.tensor(output).data = scales.back().data();
  }

  // A tensor of that shape in the type of references, put into both args structs.
  Handle on_host(const ArgSpec& a, AtenTensorHandle like) {
    const Seen t(like);
    Shape shape;
    for (const std::int64_t n : t.sizes) shape.add(n);
    const DType dtype = a.index ? DType::i64 : DType::f64;
    Handle made = allocate(shape, torch_dtype(dtype), aoti_torch_device_type_cpu(), 0);
    void* data = nullptr;
    must(aoti_torch_get_data_ptr(made.get(), &data), "tell where a tensor's data is");
    for (ArgsBlock* block : {&args, &scale}) set_tensor(block->tensor(a), a, data, dtype, t.sizes);
    return made;
  }

  std::span<const double> values(const ArgSpec& output) {
    const Tensor& t = args.tensor(output);
    return {t.as<double>(), static_cast<std::size_t>(output.index ? 0 : t.size())};
  }
};

void Bound::compute_by_reference() {
  Reference reference(*this);
  for (std::size_t i = 0; i < op_.outputs.size(); ++i) {
    const ArgSpec& a = *op_.outputs[i];
    if (lacks_elements_)
      for (const double x : reference.values(a))
        if (!std::isfinite(x))
          throw Error("warpath::" + op_.name + ": the result '" + a.name +
                      "' of no elements is not defined");
    must(aoti_torch_copy_(outputs_[i].get(), reference.results[i].get(), 0), "copy a result");
  }
  for (const auto& [theirs, ours] : reference.changed)
    must(aoti_torch_copy_(theirs, ours, 0), "copy a result back");
}

void Bound::check_integers() {
  const auto counts = [&](const ArgSpec* a) {
    return !a->index && args_.tensor(*a).dtype == DType::i32;
  };
  if (!functional(op_) || outputs_.size() != op_.outputs.size() ||
      std::none_of(op_.outputs.begin(), op_.outputs.end(), counts))
    return;
  constexpr double most = std::numeric_limits<std::int32_t>::max();
  Reference reference(*this);
  for (const ArgSpec* a : op_.outputs)
    for (const double x : reference.values(*a))
      if (counts(a) && (x > most || x < -most - 1))
        throw Error("warpath::" + op_.name + ": the result '" + a->name + "' has " +
                    std::to_string(static_cast<long long>(x)) + ", which i32 cannot hold");
}

void* Bound::add_scratch(std::int64_t bytes) {
  if (bytes <= 0) return nullptr;
  if (!op_.scratch) throw Error("warpath::" + op_.name + ": its contract has no scratch");
  Shape shape;
  shape.add(bytes);
  scratch_ = allocate(shape, torch_dtype(DType::u8), device_type_, device_index_);
  void* data = nullptr;
  must(aoti_torch_get_data_ptr(scratch_.get(), &data), "tell where scratch memory is");
  scratch_at(args(), *op_.scratch) = {data, bytes};
  return data;
}

thread_local GivenBackLater* GivenBackLater::innermost = nullptr;

void Bound::give_back_inputs() {
  if (!GivenBackLater::innermost) return;
  for (Value& v : values_.of)
    if (v.tensor) GivenBackLater::innermost->keep(v.tensor);
}

void Bound::write_back() {
  for (auto& [to, from] : copies_) must(aoti_torch_copy_(to, from.get(), 1), "copy a result back");
}

}  // namespace warpath::python
