#include "python/src/bind.h"

#include <torch/csrc/stable/ops.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>

#include "core/error.h"

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
    case DType::u8:
      return aoti_torch_dtype_uint8();
    case DType::boolean:
      return aoti_torch_dtype_bool();
  }
  return -1;
}

// Torch's number of a dtype; asked of torch once.
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
    if (must_be_given(a)) {  // they come first
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
  if (overload != Overload::plain) v.rung = optional_text(stack[n]);
  return v;
}

Seen::Seen(AtenTensorHandle tensor) : tensor(tensor) {
  std::int64_t axes = 0;
  std::int64_t *its_sizes = nullptr, *its_strides = nullptr;
  must(aoti_torch_get_dim(tensor, &axes), "tell a tensor's rank");
  must(aoti_torch_get_sizes(tensor, &its_sizes), "tell a tensor's sizes");
  must(aoti_torch_get_strides(tensor, &its_strides), "tell a tensor's strides");
  rank = static_cast<std::size_t>(axes);
  sizes = its_sizes;
  strides = its_strides;
}

// As torch means it: axes of one element may have any stride, and so may all of a tensor of none.
bool Seen::contiguous() const {
  std::int64_t stride = 1;
  bool in_order = true;
  for (std::size_t i = rank; i-- > 0;) {
    if (sizes[i] == 0) return true;
    if (sizes[i] == 1) continue;
    in_order &= strides[i] == stride;
    stride *= sizes[i];
  }
  return in_order;
}

std::int64_t Seen::merged_stride(std::size_t lead) const {
  std::int64_t stride = 0, span = 0;  // span: what the axes so far cover, from the inside
  for (std::size_t i = lead; i-- > 0;) {
    if (sizes[i] == 1) continue;
    if (span == 0) {
      stride = strides[i];
      span = stride * sizes[i];
    } else if (strides[i] == span) {
      span *= sizes[i];
    } else if (!(stride == 0 && strides[i] == 0)) {
      return -1;
    }
  }
  return stride;
}

bool Bound::Size::operator==(const Size& other) const {
  if (count != other.count) return false;
  for (std::size_t i = 0; i < count; ++i)
    if (at(i) != other.at(i)) return false;
  return true;
}

std::string Bound::Size::text() const {
  std::string text = "(";
  for (std::size_t i = 0; i < count; ++i) text += (i ? ", " : "") + std::to_string(at(i));
  return text + (count == 1 ? ",)" : ")");
}

Bound::Bound(const TorchOp& op, const Ladder& ladder, Values values)
    : op_(op), values_(std::move(values)), args_(*ladder.op) {
  const std::size_t n = op.parameters.size();
  for (std::size_t i = 0; i < n; ++i)
    if (is_dtype_choice(*op.parameters[i])) choose_dtype(*op.parameters[i], values_.of[i].text);
  for (std::size_t i = 0; i < n; ++i) {
    const ArgSpec& a = *op.parameters[i];
    const Value& value = values_.of[i];
    if (is_dtype_choice(a)) continue;
    if (!a.is_tensor())
      bind_scalar(a, value.bits, value.text);
    else if (value.tensor)
      bind_input(a, value.tensor.get());
  }
  for (const ArgSpec* a : op.outputs) make_output(*a);
  if (!empty()) check_not_empty();
}

void Bound::refuse(const ArgSpec& a, const std::string& why) const {
  throw Error("warpath::" + op_.name + ": argument '" + a.name + "' " + why);
}

const Bound::Size* Bound::find(const std::string& dim) const {
  for (std::size_t i = 0; i < named_; ++i)
    if (*sizes_[i].dim == dim) return &sizes_[i];
  return nullptr;
}

void Bound::check_device(const ArgSpec& a, AtenTensorHandle tensor) {
  int type = 0, index = 0;
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

// What an output's type was set to; null where nothing has said it so far.
const DType* Bound::chosen_dtype(const ArgSpec& output) const {
  for (const auto& [spec, dtype] : chosen_)
    if (spec == &output) return &dtype;
  return nullptr;
}

void Bound::choose_dtype(const ArgSpec& choice, const std::string& text) {
  if (text.empty()) return;
  const ArgSpec& output = *op_.contract->find(choice.same_as);
  for (const DType d : output.dtypes)
    if (name(d) == text) return chosen_.add({&output, d}), void();
  refuse(choice, "is '" + text + "'; allowed: " + names(output.dtypes));
}

// Told by the call, or by an input that must have the same type; otherwise that of the first tensor
// where the output can have it.
DType Bound::output_dtype(const ArgSpec& output) const {
  if (!output.same_as.empty()) return tensor_at(args(), *op_.contract->find(output.same_as)).dtype;
  if (const DType* told = chosen_dtype(output)) return *told;
  if (first_) {
    const DType d = tensor_at(args(), *first_).dtype;
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
  if (!a.same_as.empty()) {
    const ArgSpec& other = *op_.contract->find(a.same_as);
    if (other.role == Role::out && !chosen_dtype(other)) {  // this input tells the output's type
      for (const DType d : other.dtypes)
        if (torch_dtype(d) == code) return chosen_.add({&other, d}), d;
      refuse(a, is() + "; allowed: " + names(other.dtypes));
    }
    const DType wanted =
        other.role == Role::out ? *chosen_dtype(other) : tensor_at(args(), other).dtype;
    if (torch_dtype(wanted) != code)
      refuse(a, is() + " but '" + other.name + "' is " + std::string(name(wanted)));
    return wanted;
  }
  for (const DType d : a.dtypes)
    if (torch_dtype(d) == code) return d;
  refuse(a, is() + "; allowed: " + names(a.dtypes));
}

void Bound::check_size(const ArgSpec& a, const Dim& d, const std::int64_t* sizes,
                       std::size_t count) {
  if (d.name.empty()) {
    if (sizes[0] != d.plus)
      refuse(a, "has an axis of " + std::to_string(sizes[0]) + ", not " + std::to_string(d.plus));
    return;
  }
  const Size is{&d.name, sizes, count, d.leading ? 0 : d.plus, &a};
  if (const Size* s = find(d.name)) {
    if (!(*s == is))
      refuse(a, "has " + d.name + " = " + is.text() + ", but '" + s->from->name + "' has " +
                    s->text());
    return;
  }
  if (!d.leading && is.at(0) < 0) refuse(a, "is too short in '" + d.name + "'");
  sizes_.at(named_++) = is;
}

void Bound::check_shape(const ArgSpec& a, const Seen& t) {
  const std::size_t rank = t.rank;
  const bool leading = !a.dims.empty() && a.dims[0].leading;
  const std::size_t fixed = a.dims.size() - (leading ? 1 : 0);
  if (rank < fixed || (!leading && rank != fixed))
    refuse(a, "has " + std::to_string(rank) + " axes; it needs " + (leading ? "at least " : "") +
                  std::to_string(fixed));
  const std::size_t lead = rank - fixed;
  if (leading) check_size(a, a.dims[0], t.sizes, lead);
  for (std::size_t i = 0; i < fixed; ++i)
    check_size(a, a.dims[i + (leading ? 1 : 0)], t.sizes + lead + i, 1);
}

void Bound::bind_input(const ArgSpec& a, AtenTensorHandle tensor) {
  check_device(a, tensor);
  const DType dtype = check_dtype(a, tensor);
  const Seen t(tensor);
  check_shape(a, t);
  const bool leading = !a.dims.empty() && a.dims[0].leading;
  const std::size_t lead = leading ? t.rank + 1 - a.dims.size() : 0;
  if (t.contiguous()) return fill(a, t, dtype, true);
  if (a.strided && (!leading || t.merged_stride(lead) >= 0)) return fill(a, t, dtype, false);
  AtenTensorHandle again = nullptr;
  must(aoti_torch_new_tensor_handle(tensor, &again), "hold a tensor");
  contiguous_.push_back(torch::stable::contiguous(TorchTensor(again)));
  if (a.role == Role::inout) copies_.emplace_back(tensor, contiguous_.back());
  fill(a, Seen(contiguous_.back().get()), dtype, true);
}

void Bound::fill(const ArgSpec& a, const Seen& t, DType dtype, bool contiguous) {
  Tensor& out = tensor_at(args(), a);
  must(aoti_torch_get_data_ptr(t.tensor, &out.data), "tell where a tensor's data is");
  out.dtype = dtype;
  out.rank = static_cast<int>(a.dims.size());
  const bool leading = out.rank > 0 && a.dims[0].leading;
  const std::size_t lead = leading ? t.rank + 1 - a.dims.size() : 0;
  std::size_t at = 0;
  if (leading) {
    out.shape[at] = 1;
    for (std::size_t i = 0; i < lead; ++i) out.shape[at] *= t.sizes[i];
    ++at;
  }
  for (std::size_t i = lead; i < t.rank; ++i) out.shape[at++] = t.sizes[i];
  if (!contiguous) {  // only where the contract takes any strides
    at = 0;
    if (leading) out.stride[at++] = t.merged_stride(lead);
    for (std::size_t i = lead; i < t.rank; ++i) out.stride[at++] = t.strides[i];
    return;
  }
  std::int64_t stride = 1;
  for (int i = out.rank - 1; i >= 0; --i) {
    out.stride[static_cast<std::size_t>(i)] = stride;
    stride *= out.shape[static_cast<std::size_t>(i)];
  }
}

void Bound::bind_scalar(const ArgSpec& a, StableIValue bits, const std::string& text) {
  char* at = static_cast<char*>(args()) + a.offset;
  switch (a.scalar) {
    case ScalarType::integer: {  // not through a double: a seed may have 64 bits
      const auto value = to<std::int64_t>(bits);
      std::memcpy(at, &value, sizeof value);
      return;
    }
    case ScalarType::real:
      return set_scalar(args(), a, to<double>(bits));
    case ScalarType::boolean:
      return set_scalar(args(), a, to<bool>(bits));
    case ScalarType::choice: {
      const auto found = std::find(a.choices.begin(), a.choices.end(), text);
      if (found == a.choices.end()) {
        std::string list;
        for (const std::string& c : a.choices) list += (list.empty() ? "'" : ", '") + c + "'";
        refuse(a, "is '" + text + "'; allowed: " + list);
      }
      return set_scalar(args(), a, static_cast<double>(found - a.choices.begin()));
    }
  }
}

void Bound::make_output(const ArgSpec& a) {
  Shape shape;
  for (const Dim& d : a.dims) {
    if (d.name.empty()) {
      shape.add(d.plus);
      continue;
    }
    const Size* s = find(d.name);
    WARPATH_CHECK(s, "warpath::" + op_.name + ": no argument tells the size of '" + d.name + "'");
    for (std::size_t i = 0; i < s->count; ++i) shape.add(s->at(i) + (d.leading ? 0 : d.plus));
  }
  const DType dtype = output_dtype(a);
  const Handle& made =
      outputs_.add(allocate(shape, torch_dtype(dtype), device_type_, device_index_));
  fill(a, Seen(made.get(), shape), dtype, true);
  no_elements_ &= std::count(shape.sizes.begin(), shape.sizes.begin() + shape.rank, 0) > 0;
}

bool Bound::empty() const {
  return no_elements_ && functional(op_);
}

// A kernel is not made for a row of no elements; what its result would be differs from op to op.
void Bound::check_not_empty() const {
  for (const ArgSpec* a : op_.parameters) {
    if (!a->is_tensor()) continue;
    const Tensor& t = tensor_at(args(), *a);
    if (t.rank > 0 && t.data == nullptr && t.size() > 0) refuse(*a, "has no data");
    if (t.rank > 0 && t.size() == 0) refuse(*a, "has no elements, but the result has some");
  }
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
