#pragma once

// CUDA's keywords, by the path that NVIDIA's own headers use.

#include <simt/host_defines.h>
