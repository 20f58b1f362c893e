#pragma once

// The type of a surface object is beside that of a texture object.

#include <texture_types.h>
