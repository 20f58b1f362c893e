#include "core/host/error.h"

namespace warpath::detail {

void throw_check(const std::string& message, const char* condition, const char* place) {
  throw Error(message + " [" + condition + " at " + place + "]");
}

void throw_cuda(const char* name, const char* what, const char* call, const char* place) {
  throw Error(std::string(name) + ": " + what + " [" + call + " at " + place + "]");
}

}  // namespace warpath::detail
