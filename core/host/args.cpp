#include "core/host/args.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "core/host/error.h"

namespace warpath {

void ArgsBlock::Free::operator()(std::byte* p) const {
  ::operator delete(p, std::align_val_t(alignment));
}

ArgsBlock::ArgsBlock(std::size_t bytes) : bytes_(bytes) {
  if (bytes_ > sizeof here_)
    elsewhere_.reset(static_cast<std::byte*>(::operator new(bytes_, std::align_val_t(alignment))));
}

ArgsBlock::ArgsBlock(const Op& op) : ArgsBlock(op.args_size) {
  std::memset(get(), 0, bytes_);
  op.construct(get());
  for (const ArgSpec& a : op.contract.args())
    if (a.role == Role::scalar) set_scalar(get(), a, a.fallback);
}

ArgsBlock::ArgsBlock(const ArgsBlock& other) : ArgsBlock(other.bytes_) {
  std::memcpy(get(), other.get(), bytes_);
}

void set_tensor(Tensor& t, void* data, DType dtype, Sizes shape, Sizes stride) {
  WARPATH_CHECK(shape.size() <= max_rank, "more axes than a tensor can have");
  t.data = data;
  t.dtype = dtype;
  t.rank = static_cast<int>(shape.size());
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    t.shape[i] = shape[i];
    t.stride[i] = stride.empty() ? step : stride[i];
    step *= shape[i];
  }
}

void set_tensor(Tensor& t, const ArgSpec& a, void* data, DType dtype, Sizes shape, Sizes stride) {
  if (a.dims.empty() || !a.dims[0].leading) return set_tensor(t, data, dtype, shape, stride);
  const std::size_t lead = leading_axes(a, shape.size());
  Shape merged, strides;
  merged.add(1);
  for (const std::int64_t n : shape.first(lead)) merged.sizes[0] *= n;
  for (const std::int64_t n : shape.subspan(lead)) merged.add(n);
  if (stride.empty()) return set_tensor(t, data, dtype, merged);
  strides.add(merged_stride(shape.first(lead), stride.first(lead)));
  for (const std::int64_t n : stride.subspan(lead)) strides.add(n);
  set_tensor(t, data, dtype, merged, strides);
}

std::int64_t merged_stride(Sizes shape, Sizes stride) {
  std::int64_t merged = 0, next = 0;  // next: the stride that continues the axes further in
  bool any = false;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 1) continue;
    if (any && stride[i] != next) return -1;
    if (!any) merged = stride[i];
    any = true;
    next = stride[i] * shape[i];
  }
  return merged;
}

void set_integer(void* args, const ArgSpec& a, std::int64_t value) {
  std::memcpy(static_cast<char*>(args) + a.offset, &value, sizeof value);
}

std::optional<int> find_choice(const ArgSpec& a, std::string_view name) {
  const auto found = std::find(a.choices.begin(), a.choices.end(), name);
  if (found == a.choices.end()) return std::nullopt;
  return static_cast<int>(found - a.choices.begin());
}

DType dtype_of(const Contract& contract, const ArgSpec& a, DType run,
               const std::map<std::string, DType>& chosen) {
  if (!a.same_as.empty()) {
    const ArgSpec* const other = contract.find(a.same_as);
    WARPATH_CHECK(other != nullptr, contract.name() + ": '" + a.name +
                                        "' has the type of the unknown '" + a.same_as + "'");
    return dtype_of(contract, *other, run, chosen);
  }
  if (const auto told = chosen.find(a.name); told != chosen.end()) return told->second;
  if (!a.index && std::count(a.dtypes.begin(), a.dtypes.end(), run)) return run;
  WARPATH_CHECK(!a.dtypes.empty(), contract.name() + ": '" + a.name + "' lists no types");
  return a.dtypes.front();
}

}  // namespace warpath
