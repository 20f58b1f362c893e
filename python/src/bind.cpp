#include "python/src/bind.h"

#include <torch/csrc/stable/ops.h>

#include <algorithm>
#include <cstring>

#include "core/error.h"

namespace warpath::python {
namespace {

using torch::stable::detail::to;

void must(AOTITorchError error, const char* what) {
  if (error != TORCH_SUCCESS) throw Error(std::string("torch could not ") + what);
}

int torch_dtype(DType d) {
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

std::string names(const std::vector<DType>& dtypes) {
  std::string text;
  for (const DType d : dtypes) text += (text.empty() ? "" : ", ") + std::string(name(d));
  return text;
}

TorchTensor allocate(const std::vector<std::int64_t>& shape, int dtype, int device_type,
                     int device_index) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= std::max<std::int64_t>(shape[i], 1);
  }
  AtenTensorHandle handle = nullptr;
  must(aoti_torch_empty_strided(static_cast<std::int64_t>(shape.size()), shape.data(),
                                strides.data(), dtype, device_type, device_index, &handle),
       "allocate memory for a result");
  return TorchTensor(handle);
}

std::string shape_text(const std::vector<std::int64_t>& sizes) {
  std::string text = "(";
  for (std::size_t i = 0; i < sizes.size(); ++i) text += (i ? ", " : "") + std::to_string(sizes[i]);
  return text + (sizes.size() == 1 ? ",)" : ")");
}

// Leading axes as one: its stride, or -1 where no single stride leads through all of them.
std::int64_t merged_stride(const TorchTensor& t, std::size_t lead) {
  const auto sizes = t.sizes();
  const auto strides = t.strides();
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

}  // namespace

Values take(const TorchOp& op, StableIValue* stack) {
  Values v;
  const std::size_t n = op.parameters.size();
  v.tensors.resize(n);
  v.scalars.resize(n);
  v.strings.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const ArgSpec& a = *op.parameters[i];
    if (a.is_tensor() && a.optional)
      v.tensors[i] = to<std::optional<TorchTensor>>(stack[i]);
    else if (a.is_tensor())
      v.tensors[i] = to<TorchTensor>(stack[i]);
    else if (a.scalar == ScalarType::choice)
      v.strings[i] = to<std::string>(stack[i]);
    else
      v.scalars[i] = stack[i];
  }
  v.rung = to<std::string>(stack[n]);
  return v;
}

Bound::Bound(const TorchOp& op, const Ladder& ladder, Values values) : op_(op) {
  const std::size_t units = ladder.op->args_size / sizeof(std::max_align_t) + 1;
  args_ = std::make_unique<std::max_align_t[]>(units);
  ladder.op->construct(args());
  for (std::size_t i = 0; i < op.parameters.size(); ++i)
    if (is_dtype_choice(*op.parameters[i])) choose_dtype(*op.parameters[i], values.strings[i]);
  inputs_.reserve(op.parameters.size());
  outputs_.reserve(op.outputs.size());
  sizes_.reserve(8);
  for (std::size_t i = 0; i < op.parameters.size(); ++i) {
    const ArgSpec& a = *op.parameters[i];
    if (is_dtype_choice(a)) continue;
    if (!a.is_tensor())
      bind_scalar(a, values.scalars[i], values.strings[i]);
    else if (values.tensors[i])
      bind_input(a, *values.tensors[i]);
  }
  for (const ArgSpec* a : op.outputs) make_output(*a);
  if (!empty()) check_not_empty();
}

void Bound::refuse(const ArgSpec& a, const std::string& why) const {
  throw Error("warpath::" + op_.name + ": argument '" + a.name + "' " + why);
}

const Bound::Size* Bound::find(const std::string& dim) const {
  for (const Size& s : sizes_)
    if (*s.dim == dim) return &s;
  return nullptr;
}

void Bound::check_device(const ArgSpec& a, const TorchTensor& t) {
  int type = 0, index = 0;
  must(aoti_torch_get_device_type(t.get(), &type), "tell a tensor's device");
  must(aoti_torch_get_device_index(t.get(), &index), "tell a tensor's device");
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
    if (name(d) == text) return chosen_.emplace_back(&output, d), void();
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

DType Bound::check_dtype(const ArgSpec& a, const TorchTensor& t) {
  int code = 0;
  must(aoti_torch_get_dtype(t.get(), &code), "tell a tensor's dtype");
  const auto is = [&] {  // in words, for a refusal
    for (const DTypeInfo& i : dtype_table)
      if (torch_dtype(i.dtype) == code) return "is " + std::string(i.name);
    return std::string("is another dtype");
  };
  if (!a.same_as.empty()) {
    const ArgSpec& other = *op_.contract->find(a.same_as);
    if (other.role == Role::out && !chosen_dtype(other)) {  // this input tells the output's type
      for (const DType d : other.dtypes)
        if (torch_dtype(d) == code) return chosen_.emplace_back(&other, d), d;
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

void Bound::check_size(const ArgSpec& a, const Dim& d, std::vector<std::int64_t> sizes) {
  if (d.name.empty()) {
    if (sizes[0] != d.plus)
      refuse(a, "has an axis of " + std::to_string(sizes[0]) + ", not " + std::to_string(d.plus));
    return;
  }
  if (!d.leading) sizes[0] -= d.plus;
  if (const Size* s = find(d.name)) {
    if (s->sizes != sizes)
      refuse(a, "has " + d.name + " = " + shape_text(sizes) + ", but '" + s->from->name + "' has " +
                    shape_text(s->sizes));
    return;
  }
  if (!d.leading && sizes[0] < 0) refuse(a, "is too short in '" + d.name + "'");
  sizes_.push_back({&d.name, std::move(sizes), &a});
}

void Bound::check_shape(const ArgSpec& a, const TorchTensor& t) {
  const auto sizes = t.sizes();
  const std::size_t rank = sizes.size();
  const bool leading = !a.dims.empty() && a.dims[0].leading;
  const std::size_t fixed = a.dims.size() - (leading ? 1 : 0);
  if (rank < fixed || (!leading && rank != fixed))
    refuse(a, "has " + std::to_string(rank) + " axes; it needs " + (leading ? "at least " : "") +
                  std::to_string(fixed));
  const std::size_t lead = rank - fixed;
  if (leading) check_size(a, a.dims[0], {sizes.begin(), sizes.begin() + lead});
  for (std::size_t i = 0; i < fixed; ++i)
    check_size(a, a.dims[i + (leading ? 1 : 0)], {sizes[lead + i]});
}

void Bound::bind_input(const ArgSpec& a, const TorchTensor& t) {
  check_device(a, t);
  const DType dtype = check_dtype(a, t);
  check_shape(a, t);
  const bool leading = !a.dims.empty() && a.dims[0].leading;
  const std::size_t lead = leading ? static_cast<std::size_t>(t.dim()) + 1 - a.dims.size() : 0;
  const bool strides_fit = a.strided && (!leading || merged_stride(t, lead) >= 0);
  if (strides_fit || t.is_contiguous()) {
    inputs_.push_back(t);
  } else {
    inputs_.push_back(torch::stable::contiguous(t));
    if (a.role == Role::inout) copies_.push_back({t, inputs_.back()});
  }
  fill(a, inputs_.back(), dtype);
}

void Bound::fill(const ArgSpec& a, const TorchTensor& t, DType dtype) {
  Tensor& out = tensor_at(args(), a);
  out.data = t.data_ptr();
  out.dtype = dtype;
  out.rank = static_cast<int>(a.dims.size());
  const auto sizes = t.sizes();
  const auto strides = t.strides();
  const bool leading = out.rank > 0 && a.dims[0].leading;
  const std::size_t lead = leading ? sizes.size() + 1 - a.dims.size() : 0;
  std::size_t at = 0;
  if (leading) {
    out.shape[at] = 1;
    for (std::size_t i = 0; i < lead; ++i) out.shape[at] *= sizes[i];
    ++at;
  }
  for (std::size_t i = lead; i < sizes.size(); ++i) out.shape[at++] = sizes[i];
  if (!t.is_contiguous()) {  // only where the contract takes any strides
    at = 0;
    if (leading) out.stride[at++] = merged_stride(t, lead);
    for (std::size_t i = lead; i < sizes.size(); ++i) out.stride[at++] = strides[i];
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
  std::vector<std::int64_t> shape;
  for (const Dim& d : a.dims) {
    if (d.name.empty()) {
      shape.push_back(d.plus);
      continue;
    }
    const Size* s = find(d.name);
    WARPATH_CHECK(s, "warpath::" + op_.name + ": no argument tells the size of '" + d.name + "'");
    for (const std::int64_t n : s->sizes) shape.push_back(n + (d.leading ? 0 : d.plus));
  }
  const DType dtype = output_dtype(a);
  outputs_.push_back(allocate(shape, torch_dtype(dtype), device_type_, device_index_));
  fill(a, outputs_.back(), dtype);
}

bool Bound::empty() const {
  if (std::any_of(op_.parameters.begin(), op_.parameters.end(),
                  [](const ArgSpec* a) { return a->role == Role::inout; }))
    return false;
  return std::all_of(outputs_.begin(), outputs_.end(),
                     [](const TorchTensor& t) { return t.numel() == 0; });
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

void Bound::add_scratch(std::int64_t bytes, bool zeroed) {
  if (bytes <= 0) return;
  const auto& all = op_.contract->args();
  const auto a = std::find_if(all.begin(), all.end(),
                              [](const ArgSpec& arg) { return arg.role == Role::scratch; });
  if (a == all.end()) throw Error("warpath::" + op_.name + ": its contract has no scratch");
  scratch_ = allocate({bytes}, aoti_torch_dtype_uint8(), device_type_, device_index_);
  if (zeroed) must(aoti_torch_zero_(scratch_->get()), "clear scratch memory");
  scratch_at(args(), *a) = {scratch_->data_ptr(), bytes};
}

void Bound::write_back() {
  for (auto& [to, from] : copies_)
    must(aoti_torch_copy_(to.get(), from.get(), 1), "copy a result back");
}

}  // namespace warpath::python
