#pragma once

// CUDA's keywords.

#include <simt/host_defines.h>
