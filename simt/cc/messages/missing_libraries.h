#pragma once

// Headers of CUDA's libraries that simt does not have. They are missing, so that __has_include is
// honest; a program that includes one all the same is told why.

#include <string>
#include <string_view>

namespace simt::cc {

struct MissingLibrary {
  std::string_view header;  // how the header's path begins
  std::string_view name, why;
};

inline constexpr MissingLibrary missing_libraries[] = {
    {"cudnn", "cuDNN", "its deep-learning calls have no counterpart on this CPU"},
    {"cusparse", "cuSPARSE", "its sparse matrices have no counterpart on this CPU"},
    {"cusolver", "cuSOLVER", "its solvers have no counterpart on this CPU"},
    {"cutensor", "cuTENSOR", "its calls have no counterpart on this CPU"},
    {"nccl", "NCCL", "there is one device; use plain copies"},
    {"npp", "NPP", "its image functions have no counterpart on this CPU"},
    {"nvjpeg", "nvJPEG", "its calls have no counterpart on this CPU"},
    {"nvml", "NVML", "there is no GPU to look after"},
    {"nvrtc", "NVRTC", "kernels are compiled into the program; put the source into the file"},
    {"cupti", "CUPTI", "there are no GPU counters; try --check"},
    {"curand_mtgp32", "MTGP32", "use XORWOW or Philox of cuRAND"},
    {"cuda_gl_interop", "OpenGL", "there is no screen to draw on; write the image to a file"},
    {"cudaGL", "OpenGL", "there is no screen to draw on; write the image to a file"},
    {"cudla", "cuDLA", "there is no such accelerator"},
    {"nvshmem", "NVSHMEM", "there is one device; use plain copies"},
    {"cutlass/", "CUTLASS", "give its include folder with -I"},
    {"cute/", "CUTLASS", "give its include folder with -I"},
    {"optix", "OptiX", "its ray tracing has no counterpart on this CPU"},
    {"hip/", "HIP", "this is a program for AMD's compiler"},
};

// "" when nothing is known of the header.
inline std::string missing_library(std::string_view header) {
  for (const MissingLibrary& library : missing_libraries) {
    if (header.substr(0, library.header.size()) != library.header) continue;
    return std::string(library.name) + " is not part of simt: " + std::string(library.why);
  }
  return "";
}

}  // namespace simt::cc
