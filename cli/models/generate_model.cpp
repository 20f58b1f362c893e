#include "cli/models/generate_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/models/train_report.h"
#include "cli/models/written_texts.h"
#include "cli/select.h"
#include "harness/buffer.h"
#include "models/adapter_file.h"
#include "models/checkpoint.h"
#include "models/files.h"
#include "models/perplexity.h"
#include "models/safetensors.h"

namespace warpath::cli {
namespace {

std::string toy_folder(const Options& o, const harness::Places& places) {
  const std::filesystem::path folder = places.lib.parent_path() / "toy-model";
  if (models::last_checkpoint(folder)) return folder.string();
  if (o.json) throw Refusal("no --model; ./warpath train --out run makes one, then --model run");
  fmt::print("no --model: trains the toy model first, once\n");
  Options t = o;
  t.train.out = folder.string();
  train_command.run(t);
  if (interrupted) throw Refusal("interrupted; the same command trains the toy model again");
  fmt::print("\n");
  return folder.string();
}

std::filesystem::path model_folder(const std::string& model) {
  const std::filesystem::path folder = model;
  std::error_code ignored;
  for (const char* file : {"config.json", "adapter_config.json"})
    if (std::filesystem::exists(folder / file, ignored)) return folder;
  if (const auto last = models::last_checkpoint(folder)) return *last;
  throw Refusal(fmt::format("{}: no config.json there, and no checkpoint of a run", model));
}

// What most of the weights are stored in, on a GPU. On a CPU 16 bits are no quicker, and f32 loses nothing.
DType stored_dtype(const std::filesystem::path& weights, bool gpu) {
  if (!gpu || !models::SafetensorsFile::there(weights)) return DType::f32;
  std::map<DType, std::int64_t> bytes;
  const models::SafetensorsFile file(weights);
  for (const auto& [name, entry] : file.entries()) bytes[entry.dtype] += entry.bytes;
  const auto most = std::max_element(
      bytes.begin(), bytes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const bool is_half =
      most != bytes.end() && (most->first == DType::bf16 || most->first == DType::f16);
  return is_half ? most->first : DType::f32;
}

}  // namespace

void look_at_model(const GenerateOptions& g) {
  if (!g.dtype.empty() && g.dtype != "f32" && g.dtype != "bf16" && g.dtype != "f16")
    throw Refusal(fmt::format("--dtype {}: f32, bf16 and f16 are known", g.dtype));
  if (g.model.empty() && !g.adapter.empty())
    throw Refusal(
        fmt::format("--adapter {0} needs the model that it was trained beside: --model DIR "
                    "--adapter {0}",
                    g.adapter));
  if (g.model.empty()) return;  // the toy
  const std::filesystem::path folder = model_folder(g.model);
  if (!g.adapter.empty()) models::read_adapter_config(models::adapter_folder(g.adapter));
  if (models::SafetensorsFile::there(folder / "model.safetensors"))
    models::SafetensorsFile{folder / "model.safetensors"};
  else if (std::error_code ignored;
           std::filesystem::exists(folder / "adapter_config.json", ignored))
    return;  // generate_model() tells what to type
  models::read_config(folder / "config.json");
}

GenerateModel generate_model(const Options& o, const harness::Places& places) {
  const GenerateOptions& g = o.generate;
  look_at_model(g);
  const auto folder = model_folder(g.model.empty() ? toy_folder(o, places) : g.model);
  std::error_code ignored;
  if (std::filesystem::exists(folder / "adapter_config.json", ignored) &&
      !models::SafetensorsFile::there(folder / "model.safetensors"))
    throw Refusal(fmt::format("{}: an adapter; give its model, too: --model DIR --adapter {}",
                              folder.string(), g.model));
  const bool gpu = choose_backend(places, o.backend).gpu;
  const DType dtype = g.dtype.empty() ? stored_dtype(folder / "model.safetensors", gpu)
                                      : parse_dtype(g.dtype).value();
  GenerateModel m{folder, models::read_config(folder / "config.json"),
                  models::Tokenizer::of_folder(folder), dtype};
  if (!m.config.sees_images() && m.config.vocabulary < m.tokenizer.size())
    throw Refusal(m.tokenizer.bytes()
                      ? fmt::format("{}: no tokenizer.json, and a vocabulary of {}: fewer words "
                                    "than a byte has values",
                                    folder.string(), m.config.vocabulary)
                      : fmt::format("{}: {} tokens, but the model's vocabulary has {}",
                                    (folder / models::Tokenizer::file_name).string(),
                                    m.tokenizer.size(), m.config.vocabulary));
  return m;
}

void must_fit(const models::Backend& backend, std::int64_t bytes, const char* what_helps) {
  std::int64_t free = 0;
  harness::must(backend.device().free_memory(&free));
  if (bytes > free)
    throw Refusal(fmt::format("wants {} of device memory, {} is free: {}",
                              bytes_text(static_cast<double>(bytes)),
                              bytes_text(static_cast<double>(free)), what_helps));
}

int tokenise(const Options& o) {
  const GenerateOptions& g = o.generate;
  std::filesystem::path folder = g.model;
  std::error_code ignored;
  if (!g.model.empty() && !std::filesystem::exists(folder / models::Tokenizer::file_name, ignored))
    folder = model_folder(g.model);
  const models::Tokenizer tokenizer =
      g.model.empty() ? models::Tokenizer::of_bytes() : models::Tokenizer::of_folder(folder);
  for (const std::string& file : g.tokenise) {
    const std::string text = models::read_whole(file);
    const models::Tokens tokens = tokenizer.encode(text);
    if (o.json) {
      const bool same = tokenizer.decode(tokenizer.encode(text, true), true) == text;
      fmt::print("{{\"file\":{},\"ids\":{},\"text\":{},\"round_trip\":{}}}\n", json_text(file),
                 nlohmann::json(tokens).dump(), json_text(tokenizer.decode(tokens)), same);
      continue;
    }
    for (const std::int32_t t : tokens)
      fmt::print("{:8}  {}\n", t, json_text(tokenizer.piece(t, true)));
    fmt::print("{}: {} tokens of {} bytes\n", file, tokens.size(), text.size());
  }
  return all_passed;
}

models::Tuning tuning_of(const GenerateOptions& g) {
  models::Tuning tuning;
  if (!g.adapter.empty()) tuning = models::read_adapter_config(models::adapter_folder(g.adapter));
  for (const models::Form form : {models::Form::int8, models::Form::nf4})
    if (g.quantise == models::name(form)) tuning.form = form;
  if (!g.quantise.empty() && tuning.form == models::Form::plain)
    throw Refusal(fmt::format("--quantise {}: int8 and nf4 are known", g.quantise));
  return tuning;
}

void load(const GenerateOptions& g, const GenerateModel& m, const models::Backend& backend,
          const models::Parameters& parameters, models::Ops& ops) {
  models::load_weights(m.folder / "model.safetensors", backend.device(), parameters, {}, &ops);
  if (!g.adapter.empty())
    models::load_adapter(models::adapter_folder(g.adapter), backend.device(), parameters);
}

int measure_perplexity(const Options& o, const GenerateModel& m, const harness::Places& places) {
  const GenerateOptions& g = o.generate;
  const models::Tuning tuning = tuning_of(g);
  const models::Tokens tokens = m.tokenizer.encode(models::read_whole(g.perplexity));
  if (tokens.size() < 2)
    throw Refusal(fmt::format("{}: perplexity wants at least two tokens", g.perplexity));
  const std::int64_t window =
      std::min({m.config.context, std::int64_t{1024}, std::ssize(tokens) - 1});
  models::Backend backend(places, choose_backend(places, o.backend).name);
  const NoteInterrupts notes;
  std::int64_t bytes = 0;
  const auto measured = [&](models::Form form) {
    models::Tuning of = tuning;
    of.form = form;
    models::Perplexity measure(backend, m.config, m.dtype, window, of);
    must_fit(backend, bytes = measure.bytes(), "--dtype bf16 takes less");
    measure.allocate();
    load(g, m, backend, measure.parameters(), measure.ops());
    return measure.of(tokens, [] { return interrupted != 0; });
  };
  const auto plain = measured(models::Form::plain);
  nlohmann::ordered_json j = {{"file", g.perplexity},
                              {"tokens", plain.tokens},
                              {"window", window},
                              {"loss", plain.loss},
                              {"perplexity", std::exp(plain.loss)}};
  if (!o.json)
    fmt::print("perplexity {:.5g}: {:.4f} nats per token, {} tokens in windows of {}, {}\n",
               std::exp(plain.loss), plain.loss, plain.tokens, window,
               bytes_text(static_cast<double>(bytes)));
  if (tuning.form != models::Form::plain && !interrupted) {
    const auto packed = measured(tuning.form);
    j["quantise"] = g.quantise;
    j["quantised_loss"] = packed.loss;
    j["quantised_perplexity"] = std::exp(packed.loss);
    if (!o.json)
      fmt::print("perplexity {:.5g} with matrices in {}: {:+.2f}%, {}\n", std::exp(packed.loss),
                 g.quantise, 100 * (std::exp(packed.loss - plain.loss) - 1),
                 bytes_text(static_cast<double>(bytes)));
  }
  if (o.json)
    fmt::print("{}\n", j.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace));
  return all_passed;
}

}  // namespace warpath::cli
