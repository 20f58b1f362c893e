// Names as people write them in kernels of their own.
#pragma once
#include <string>

namespace warpath::cli {

std::string lower(std::string text);

// "d_x", "dX" of tutorials is x on the device.
std::string plain_name(const std::string& name);

// The contracts' name of a size: "width" is cols.
std::string size_name(const std::string& name);

}  // namespace warpath::cli
