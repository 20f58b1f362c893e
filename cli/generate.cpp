// warpath generate: goes on with a text, by a model that `train` or Hugging Face has written.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/generate_images.h"
#include "cli/select.h"
#include "cli/terminal.h"
#include "cli/train_report.h"
#include "models/checkpoint.h"
#include "models/generator.h"

namespace warpath::cli {
namespace {

constexpr const char* generate_examples = R"(
Examples:
  ./warpath generate                                  by a toy model, which is trained first
  ./warpath train --steps 400 --out run && ./warpath generate --model run --prompt "the small"
  ./warpath generate --model run --prompt "a cat" --prompt "two birds" --tokens 40 --temperature 0
  ./warpath generate --model run --prompt "the " --top-k 5 --stop . --seed 7 --json
  ./warpath generate --model run --images 16 --sampling-steps 50 --out images     of a diffusion run: PNG files

A byte is a token. --model is a folder with config.json and model.safetensors, or the --out of a run.
Exit status: 0 written, 2 the command was wrong or a part is missing.)";

// Without a model: the toy, trained once and kept in the build folder.
std::string toy_folder(const Options& o, const harness::Places& places) {
  const std::filesystem::path folder = places.lib.parent_path() / "toy-model";
  if (models::last_checkpoint(folder)) return folder.string();
  if (o.json) throw Refusal("no --model; ./warpath train --out run makes one, then --model run");
  fmt::print("no --model: trains the toy model first, once\n");
  Options t = o;
  t.train.out = folder.string();
  train_command.run(t);
  return folder.string();
}

std::filesystem::path model_folder(const std::string& model) {
  const std::filesystem::path folder = model;
  std::error_code ignored;
  if (std::filesystem::exists(folder / "config.json", ignored)) return folder;
  if (const auto last = models::last_checkpoint(folder)) return *last;
  throw Refusal(fmt::format("{}: no config.json there, and no checkpoint of a run", model));
}

// The bytes up to which text is whole characters: a character of several bytes is not printed in parts.
std::size_t whole_characters(const std::string& text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(4, text.size()); ++back) {
    const auto c = static_cast<unsigned char>(text[text.size() - back]);
    if (c < 0x80) break;
    if (c < 0xC0) continue;
    const std::size_t wants = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
    return wants > back ? text.size() - back : text.size();
  }
  return text.size();
}

// JSON holds characters, and a model may write bytes that are none.
std::string shown_bytes(const std::string& text) {
  return nlohmann::ordered_json(text).dump(-1, ' ', false,
                                           nlohmann::ordered_json::error_handler_t::replace);
}

int generate(const Options& o) {
  const GenerateOptions& g = o.generate;
  const harness::Places places = harness::find_places();
  const std::filesystem::path folder =
      model_folder(g.model.empty() ? toy_folder(o, places) : g.model);
  const models::Config config = models::read_config(folder / "config.json");
  if (config.family == models::Family::dit) return generate_images(o, places, folder, config);
  if (config.family == models::Family::vit)
    throw Refusal(fmt::format("{}: a model that tells images apart; it generates nothing", g.model));
  const std::vector<std::string> prompts =
      g.prompts.empty() ? std::vector<std::string>{"the "} : g.prompts;
  const std::string dtype = g.dtype.empty() ? "f32" : g.dtype;
  if (dtype != "f32" && dtype != "bf16" && dtype != "f16")
    throw Refusal(fmt::format("--dtype {}: f32, bf16 and f16 are known", dtype));
  if (config.vocabulary < 256)
    throw Refusal("the model's vocabulary has fewer words than a byte has values");
  std::vector<models::Tokens> tokens;
  std::size_t longest = 0;
  for (const std::string& p : prompts) {
    if (p.empty()) throw Refusal("an empty --prompt: a text goes on from at least one byte");
    models::Tokens t;
    for (const char c : p) t.push_back(static_cast<unsigned char>(c));
    longest = std::max(longest, t.size());
    tokens.push_back(std::move(t));
  }
  const auto all = static_cast<std::int64_t>(longest) + g.tokens;
  if (g.tokens < 1 || all > config.context)
    throw Refusal(fmt::format("{} tokens of a prompt and {} new ones; the model sees {}", longest,
                              g.tokens, config.context));

  models::Backend backend(places, choose_backend(places, o.backend).name);
  models::Generator generator(backend, config, *parse_dtype(dtype),
                              static_cast<std::int64_t>(prompts.size()),
                              static_cast<std::int64_t>(longest), all);
  models::load_weights(folder / "model.safetensors", backend.device(), generator.parameters());

  std::vector<std::string> texts(prompts.size());
  std::size_t printed = 0, count = 0;
  const bool streams = !o.json && prompts.size() == 1;
  if (streams) fmt::print("{}", prompts[0]);
  const auto begin = std::chrono::steady_clock::now();
  const models::Sampling sampling{g.temperature, g.top_k, g.top_p, g.min_p, o.seed};
  generator.run(tokens, sampling, [&](std::size_t i, std::int32_t token) {
    std::string& text = texts[i];
    text += static_cast<char>(token);
    ++count;
    bool ends = text.size() >= static_cast<std::size_t>(g.tokens);
    for (const std::string& stop : g.stops) ends = ends || (!stop.empty() && text.ends_with(stop));
    if (streams) {
      const std::size_t end = ends ? text.size() : whole_characters(text);
      fmt::print("{}", text.substr(printed, end - printed));
      std::fflush(stdout);
      printed = end;
    }
    return !ends;
  });
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const double speed = static_cast<double>(count) / seconds;
  if (o.json) {
    for (std::size_t i = 0; i < prompts.size(); ++i)
      fmt::print(
          "{{\"prompt\":{},\"text\":{},\"ids\":{}}}\n", shown_bytes(prompts[i]),
          shown_bytes(texts[i]),
          nlohmann::ordered_json(std::vector<unsigned char>(texts[i].begin(), texts[i].end()))
              .dump());
    return all_passed;
  }
  if (streams)
    fmt::print("\n");
  else
    for (std::size_t i = 0; i < prompts.size(); ++i) fmt::print("{}{}\n", prompts[i], texts[i]);
  fmt::print("\n{} tokens, {:.{}f} tokens/s, {}\n", count, speed, speed < 100 ? 1 : 0,
             bytes_text(static_cast<double>(generator.bytes())));
  fmt::print("{} --temperature 0.5 keeps to what is likely; --seed 1 writes another text\n",
             paint(Tone::note, "next:"));
  return all_passed;
}

}  // namespace

const Command generate_command = {
    "generate", "write text with a trained model", generate_examples,
    [](Flags& flags, Options& o) {
      GenerateOptions& g = o.generate;
      flags.text("--model", g.model, "DIR", "a folder of a model, or the --out of a run");
      flags.list("--prompt", g.prompts, false, "TEXT", "what to go on from; several make a batch");
      flags.count("--tokens", g.tokens, "new tokens per prompt, at most (default 48)");
      flags.list("--stop", g.stops, false, "TEXT", "a text ends behind it");
      flags.real("--temperature", g.temperature, "1: as the model says; 0: always the likeliest");
      flags.count("--top-k", g.top_k, "only the k likeliest tokens; 0: all");
      flags.real("--top-p", g.top_p, "only the likeliest with that much of the probability");
      flags.real("--min-p", g.min_p, "only those with that share of the likeliest one's");
      flags.text("--out", g.out, "DIR", "of a diffusion model: where its images go (default: images)");
      flags.count("--images", g.images, "of a diffusion model: how many (default 8)");
      flags.text("--sampler", g.sampler, "S", "of a diffusion model: ddim (default) or ddpm");
      flags.count("--sampling-steps", g.sampling_steps,
                  "of a diffusion model: from noise to an image (default 25)");
      flags.real("--eta", g.eta, "of ddim: 0 adds no noise on the way, 1 as much as ddpm");
      flags.text("--dtype", g.dtype, "D", "f32, bf16 or f16: of the weights and the cache");
      flags.text("--backend", o.backend, "B",
                 "simt (this CPU) or cuda; default: the GPU when there is one");
      flags.number("--seed", o.seed, "of the draws");
      add_json_flag(flags, o);
    },
    generate};

}  // namespace warpath::cli
