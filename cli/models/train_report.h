// What `warpath train` prints: the memory plan, a line of progress, the table of a profiled step.
#pragma once
#include <string>
#include <vector>

#include "models/trainer.h"

namespace warpath::cli {

std::string bytes_text(double bytes);  // "1.5 GiB"
void print_memory_plan(const models::Trainer& trainer);
// The same beside the plan of training all of the model.
void print_memory_plan(const models::Trainer& trainer,
                       const std::vector<models::Trainer::Purpose>& full);
// By op and rung: launches, time, share of the step and, with rates of the device, of its roofline.
void print_profile(const std::vector<models::Launch>& launches, const models::Backend& backend,
                   bool json);

// One block of the model: its kernels, fused and apart, with their bytes and operations.
void print_block(models::Backend& backend, const models::TrainSettings& settings, bool json);

// The best rate of products that the device's library reaches; 0 where there is none.
double matmul_peak(const models::Backend& backend);

struct TrainProgress {
  std::int64_t step, steps;
  models::StepResult result;
  double tokens_per_second, share_of_peak, seconds_left;
  std::int64_t memory;
  std::string line() const;
};

}  // namespace warpath::cli
