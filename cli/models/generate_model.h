// The model of `warpath generate`, and what it does beside writing: tokens of a text, perplexity.
#pragma once
#include <filesystem>

#include "cli/options.h"
#include "harness/library.h"
#include "models/backend.h"
#include "models/config.h"
#include "models/parameters.h"
#include "models/text/tokenizer.h"
#include "models/tuning.h"

namespace warpath::cli {

struct GenerateModel {
  std::filesystem::path folder;
  models::Config config;
  models::Tokenizer tokenizer;
  DType dtype;
};

// Refuses a --model, an --adapter or a --dtype that cannot be, before anything is opened or trained.
void look_at_model(const GenerateOptions& g);
// By --model; without it the toy, which is trained once, kept in the build folder, and says so.
GenerateModel generate_model(const Options& o, const harness::Places& places);

// Of --adapter and --quantise; refuses a form that is not known.
models::Tuning tuning_of(const GenerateOptions& g);

// The model's weights, and those of --adapter beside them.
void load(const GenerateOptions& g, const GenerateModel& m, const models::Backend& backend,
          const models::Parameters& parameters, models::Ops& ops);

// Refuses what the device has no memory for.
void must_fit(const models::Backend& backend, std::int64_t bytes, const char* what_helps);

int tokenise(const Options& o);
int measure_perplexity(const Options& o, const GenerateModel& m, const harness::Places& places);

}  // namespace warpath::cli
