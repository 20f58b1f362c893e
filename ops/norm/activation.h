// What a norm of images applies to its result.
#pragma once

namespace warpath::norm {

enum class Activation { none, relu, silu };

}  // namespace warpath::norm
