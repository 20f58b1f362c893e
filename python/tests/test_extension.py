"""warpath.cpp_extension: three extensions written as the guides show them, in one file, in two, inline."""

import pytest
import torch
import warpath
from warpath import cpp_extension

ONE_FILE = """
#include <cuda_runtime.h>
#include <torch/extension.h>

__global__ void myKernelFunction(float* data, int size) {
    int idx = blockDim.x * blockIdx.x + threadIdx.x;
    if (idx < size) {
        data[idx] = data[idx] + 1.0f; // Example op
    }
}

void launchMyKernel(torch::Tensor input) {
    const int size = input.numel();
    float* ptr = (float*) input.data_ptr<float>();
    int blockSize = 256;
    int gridSize  = (size + blockSize - 1) / blockSize;
    myKernelFunction<<<gridSize, blockSize>>>(ptr, size);
}

__global__ void wild(float* data) { data[1ll << 44] = 1; }
void launchWild(torch::Tensor input) { wild<<<1, 1>>>(input.data_ptr<float>()); }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("launch_my_kernel", &launchMyKernel, "My Custom CUDA Kernel");
    m.def("launch_wild", &launchWild);
}
"""

KERNEL = """
#include "kernel.h"
__global__ void scale_kernel(const float* x, float* y, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = by * x[i];
}
void launch_scale(const float* x, float* y, float by, int n) {
  scale_kernel<<<(n + 127) / 128, 128>>>(x, y, by, n);
}
"""

BINDING = """
#include <torch/extension.h>
#include "kernel.h"
torch::Tensor scale(torch::Tensor x, double by) {
  TORCH_CHECK(x.dtype() == torch::kFloat32, "x must be float32");
  auto y = torch::empty_like(x);
  launch_scale(x.data_ptr<float>(), y.data_ptr<float>(), by, x.numel());
  return y;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("scale", &scale, "y = by * x", py::arg("x"), py::arg("by") = 2.0);
}
"""

INLINE = """
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#define CHECK_INPUT(x) TORCH_CHECK(x.device().is_cuda() && x.is_contiguous(), #x " must be on a GPU")

template <typename scalar_t>
__global__ void rows_kernel(const torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> x,
                            torch::PackedTensorAccessor32<scalar_t, 1, torch::RestrictPtrTraits> y) {
  __shared__ scalar_t parts[128];
  scalar_t sum = 0;
  for (int c = threadIdx.x; c < x.size(1); c += blockDim.x) sum += x[blockIdx.x][c];
  parts[threadIdx.x] = sum;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
  }
  if (threadIdx.x == 0) y[blockIdx.x] = parts[0];
}

torch::Tensor row_sums(torch::Tensor x) {
  CHECK_INPUT(x);
  const c10::cuda::CUDAGuard guard(x.device());
  auto y = torch::zeros({x.size(0)}, x.options().device(torch::kCUDA));
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "row_sums", ([&] {
    rows_kernel<scalar_t><<<x.size(0), 128, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(),
        y.packed_accessor32<scalar_t, 1, torch::RestrictPtrTraits>());
  }));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def test_one_file(tmp_path):
    source = tmp_path / "myKernel.cu"
    source.write_text(ONE_FILE)
    module = cpp_extension.load(name="my_extension", sources=[str(source)], verbose=True)
    x = torch.ones(1024, device=DEVICE)
    module.launch_my_kernel(x)
    assert x.eq(2).all()
    if DEVICE == "cpu":
        with pytest.raises(warpath.KernelError, match="(?s)launch_wild: cudaErrorIllegal.*'wild'"):
            module.launch_wild(x)
        module.launch_my_kernel(x)
        assert x.eq(3).all()


def test_kernel_and_binding(tmp_path):
    header = "#pragma once\nvoid launch_scale(const float* x, float* y, float by, int n);\n"
    (tmp_path / "kernel.h").write_text(header)
    (tmp_path / "kernel.cu").write_text(KERNEL)
    (tmp_path / "binding.cpp").write_text(BINDING)
    sources = [str(tmp_path / name) for name in ("kernel.cu", "binding.cpp")]
    module = cpp_extension.load(name="scaling", sources=sources)
    x = torch.randn(1000, device=DEVICE)
    assert torch.equal(module.scale(x), 2 * x) and torch.equal(module.scale(x, by=3.0), 3 * x)
    with pytest.raises(RuntimeError, match="x must be float32"):
        module.scale(x.double())


def test_inline():
    module = cpp_extension.load_inline(
        name="row_sums_extension",
        cpp_sources="torch::Tensor row_sums(torch::Tensor x);",
        cuda_sources=INLINE,
        functions=["row_sums"],
        extra_cuda_cflags=["-O2", "--use_fast_math"],
    )
    for dtype in (torch.float32, torch.float64):
        x = torch.randn(5, 1000, dtype=dtype, device=DEVICE)
        torch.testing.assert_close(module.row_sums(x), x.sum(1))
    with pytest.raises(RuntimeError, match="x must be on a GPU"):
        module.row_sums(x.t())


@pytest.mark.skipif(DEVICE == "cuda", reason="torch's own words")
def test_errors(tmp_path):
    with pytest.raises(FileNotFoundError, match="broken: there is no source"):
        cpp_extension.load("broken", [tmp_path / "none.cu"])
    with pytest.raises(TypeError, match="does not know the option 'colour'"):
        cpp_extension.load_inline("broken", "", colour=1)
    (tmp_path / "bad.cu").write_text("__global__ void k() {\n  lost = 1;\n}\n")
    with pytest.raises(
        warpath.CompileError, match="(?s)bad.cu does not compile.*bad.cu:2:3: error"
    ):
        cpp_extension.load("broken", [tmp_path / "bad.cu"])
