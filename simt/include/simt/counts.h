#pragma once

// For host code: what a program that was built by `warpath cc --xray` has counted. In any other program there is nothing
// to ask for, and the text is empty.

#include <string>

extern "C" {
const char* simt_xray_take() __attribute__((weak));
void simt_xray_keep() __attribute__((weak));
}

namespace simt {

// JSON of the launches since the last call (docs/xray.md lists its fields). Whoever asks gets them: then no xray.json is
// written at the end.
inline std::string take_counts() {
  if (simt_xray_take == nullptr) return "";
  simt_xray_keep();
  return simt_xray_take();
}

}  // namespace simt
