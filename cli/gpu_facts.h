// Public facts of some GPUs, from NVIDIA's data sheets and the CUDA programming guide's table of compute capabilities.
#pragma once
#include <array>
#include <string>
#include <string_view>

namespace warpath::cli {

struct GpuFacts {
  const char* name;
  int multiprocessors;
  double bandwidth;                // of its memory, GB/s
  double fp32;                     // TFLOP/s without tensor cores
  double fp16_tensor;              // TFLOP/s, dense, sums in fp32
  double tf32_tensor;              // likewise; 0: it has none
  int threads, blocks, registers;  // per multiprocessor
  int shared_kib;                  // per multiprocessor, at most
  int shared_block_kib;            // per block, at most
  int shared_unit;                 // bytes; a block's shared memory is a multiple of it
  int shared_reserved;             // bytes per block that the system takes, from sm_80 on
};

inline constexpr std::array gpu_facts = {
    GpuFacts{"H200", 132, 4800, 67, 990, 495, 2048, 32, 65536, 228, 227, 128, 1024},
    GpuFacts{"H100", 132, 3350, 67, 990, 495, 2048, 32, 65536, 228, 227, 128, 1024},
    GpuFacts{"A100", 108, 2039, 19.5, 312, 156, 2048, 32, 65536, 164, 163, 128, 1024},
    GpuFacts{"RTX 4090", 128, 1008, 82.6, 165, 82.6, 1536, 24, 65536, 100, 99, 128, 1024},
    GpuFacts{"RTX 3060", 28, 360, 12.7, 25.5, 12.7, 1536, 16, 65536, 100, 99, 128, 1024},
    GpuFacts{"T4", 40, 320, 8.1, 65, 0, 1024, 16, 65536, 64, 64, 256, 0},
    GpuFacts{"Orin", 16, 204.8, 5.3, 42, 21, 1536, 16, 65536, 164, 163, 128, 1024},
};

// "an H200", "a T4": by how its first letter is called.
std::string with_article(const GpuFacts& gpu);

// Blocks that one multiprocessor holds at a time, and what keeps it from holding more.
struct Occupancy {
  int blocks = 0;
  double share = 0;  // of the threads it could hold
  const char* limit = "";
};
// `registers` per thread; 0: unknown.
Occupancy occupancy(const GpuFacts& gpu, int threads, long long shared_bytes, int registers);

}  // namespace warpath::cli
