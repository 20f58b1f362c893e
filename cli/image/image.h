// The command `image`. It is a program of its own, because only it needs libpng and libjpeg.
#pragma once
#include "cli/command.h"

namespace warpath::cli {

extern const Command image_command;

}  // namespace warpath::cli
