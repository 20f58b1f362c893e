// The one rule of label_smoothing, for every op that has it.
#pragma once
#include <string>

#include "core/host/error.h"

namespace warpath {

template <class Args>
void check_smoothing(const Args& args) {
  if (!(args.label_smoothing >= 0 && args.label_smoothing <= 1))
    throw Error(std::string(Args::op) + ": label_smoothing is " +
                std::to_string(args.label_smoothing) + "; it is a share, from 0 to 1");
}

}  // namespace warpath
