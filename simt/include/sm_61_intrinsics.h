#pragma once

// Programs include this by its old name; its content is part of cuda_runtime.h.

#include <cuda_runtime.h>
