#pragma once

// CUDA's name for the integers of fixed width.

#include <cstdint>
