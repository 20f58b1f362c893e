// Tensors of any float type on the device, as f32 on the host.
#pragma once
#include <vector>

#include "harness/device/device.h"
#include "models/tensor.h"

namespace warpath::models {

void upload_floats(const harness::Device& device, const Tensor& t,
                   const std::vector<float>& values);
// As many as the tensor has elements.
void upload_ints(const harness::Device& device, const Tensor& t,
                 const std::vector<std::int32_t>& values);
std::vector<float> download_floats(const harness::Device& device, const Tensor& t);

// In the bytes of a type.
std::vector<unsigned char> encoded(DType dtype, const float* values, std::int64_t count);
std::vector<float> decoded(DType dtype, const unsigned char* bytes, std::int64_t count);
// Whether none of `count` numbers of a float type is NaN or infinite.
bool all_finite(DType dtype, const unsigned char* bytes, std::int64_t count);

}  // namespace warpath::models
