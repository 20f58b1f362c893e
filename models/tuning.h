// What is trained of a model, and in which form its matrices are kept.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace warpath::models {

// Of a linear layer's matrix: the model's float type; eight bits with a scale per row; NF4 with double quantisation.
enum class Form { plain, int8, nf4 };

// LoRA: matrices W stay as they are and get an update of low rank, y = x W + alpha / rank (dropout(x) A^T) B^T; A and B are
// trained and nothing else. QLoRA: the same, with the blocks' matrices in NF4.
struct Tuning {
  // Which matrices, by the ends of their modules' names, as PEFT has them: "q_proj", "mlp.c_proj". None: there are no
  // adapters, and all of the model is trained.
  std::vector<std::string> targets = {};
  std::int64_t rank = 8;
  double alpha = 16;
  double dropout = 0;       // of the inputs of A, in training
  Form form = Form::plain;  // of the blocks' matrices; those that are trained are plain

  bool adapts() const { return !targets.empty(); }
  double scale() const { return alpha / static_cast<double>(rank); }
  // Whether a module, "transformer.h.3.attn.c_attn", is among the targets.
  bool wants(const std::string& module) const {
    for (const std::string& t : targets)
      if (module == t || module.ends_with("." + t)) return true;
    return false;
  }
  bool operator==(const Tuning&) const = default;
};

// "none", "int8", "nf4"
inline const char* name(Form form) {
  return form == Form::nf4 ? "nf4" : form == Form::int8 ? "int8" : "none";
}

}  // namespace warpath::models
