// The options of `warpath train` and `warpath generate`. Zeros, empty texts and a negative weight decay stand for what
// suits the model.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace warpath::cli {

struct TrainOptions {
  std::string model = "toy", data, dtype, out, svg, dump, schedule;
  std::string lora, quantise, adapter, merge;
  int rank = 0;
  double alpha = 0, lora_dropout = 0;
  int batch = 0, sequence = 0, accumulate = 1, steps = 0, warmup = 0;
  int evaluate_every = 50, evaluate_batches = 4, save_every = 0;
  double rate = 0, least_rate = 0, weight_decay = -1, clip = 1;
  int recompute = 0;  // all_blocks: as many as there are
  static constexpr int all_blocks = -1;
  bool resume = false, memory = false, profile = false, graph = false, deterministic = false,
       block = false;
};

struct GenerateOptions {
  std::string model, dtype, prompts_file, graph, perplexity, quantise, adapter;
  std::vector<std::string> prompts, stops, tokenise;
  int max_new = -1, top_k = 0, batch = 0, pages = 0, chunk = 0;
  double temperature = 1, top_p = 1, min_p = 0, repetition_penalty = 1;
  bool logprobs = false, ignore_eos = false;
  // Of a diffusion model.
  std::string out = "images", sampler = "ddim";
  int images = 8, sampling_steps = 25;
  double eta = 0;
};

}  // namespace warpath::cli
