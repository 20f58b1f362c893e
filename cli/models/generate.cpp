// warpath generate: goes on with texts, by a model that `train` or Hugging Face has written.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/models/generate_images.h"
#include "cli/models/generate_model.h"
#include "cli/models/train_report.h"
#include "cli/models/written_texts.h"
#include "cli/select.h"
#include "cli/terminal.h"
#include "models/checkpoint.h"
#include "models/files.h"
#include "models/writing.h"

namespace warpath::cli {
namespace {

constexpr const char* generate_examples = R"(
Examples:
  ./warpath generate                                  by a toy model, which is trained first
  ./warpath train --steps 400 --out run && ./warpath generate --model run --prompt "the small"
  ./warpath generate --model run --prompt "a cat" --prompt "two birds" --max-new 40 --temperature 0
  ./warpath generate --model run --prompts questions.txt --batch 4 --json
  ./warpath generate --model run --prompt "the " --top-k 5 --stop . --seed 7
  ./warpath generate --model run --perplexity text.txt --quantise nf4
  ./warpath generate --model folder --adapter run --prompt "the small"    with a LoRA adapter, kept apart from the model
  ./warpath generate --model folder --tokenise text.txt
  ./warpath generate --model run --images 16 --sampling-steps 50 --out images    of a diffusion run: PNG files

--model is a folder with config.json and model.safetensors, or the --out of a run. Its tokenizer.json (byte-level BPE) makes
the tokens; without one a byte is a token. Prompt number i draws with --seed plus i: alone with that seed it becomes the same.
Ctrl-C ends with what was written.
Exit status: 0 written, 2 the command was wrong or a part is missing.)";

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  const bool objects = file.extension() == ".jsonl";
  std::vector<std::string> prompts;
  std::istringstream lines(models::read_whole(file));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) continue;
    if (objects) {
      const auto j = nlohmann::json::parse(line, nullptr, false);
      if (!j.is_object() || !j.contains("prompt") || !j["prompt"].is_string())
        throw Refusal(
            fmt::format("{}:{}: no object with a text \"prompt\"", file.string(), number));
      line = j["prompt"].get<std::string>();
    }
    prompts.push_back(line);
  }
  if (prompts.empty()) throw Refusal(fmt::format("{}: no prompt in it", file.string()));
  return prompts;
}

std::vector<Prompt> prompts_of(const Options& o, const GenerateModel& m) {
  const GenerateOptions& g = o.generate;
  std::vector<std::string> texts = g.prompts;
  if (!g.prompts_file.empty())
    for (std::string& line : lines_of(g.prompts_file)) texts.push_back(std::move(line));
  if (texts.empty()) texts = {"the "};
  std::vector<Prompt> prompts;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    Prompt p{texts[i], m.tokenizer.encode(texts[i]), o.seed + i};
    const std::string which = texts.size() == 1 ? "the prompt" : fmt::format("prompt {}", i + 1);
    if (p.tokens.empty())
      throw Refusal(
          fmt::format("{}: an empty --prompt; a text goes on from at least one token", which));
    const auto length = static_cast<std::int64_t>(p.tokens.size());
    if (length + std::max(g.max_new, 1) > m.config.context)
      throw Refusal(
          fmt::format("{} has {} tokens, and --max-new {} are to follow; the model sees {}", which,
                      length, std::max(g.max_new, 1), m.config.context));
    prompts.push_back(std::move(p));
  }
  return prompts;
}

// Where nothing is said: 48, or as many as the model can see behind the longest prompt.
std::int64_t max_new_of(const GenerateOptions& g, const GenerateModel& m,
                        const std::vector<Prompt>& prompts) {
  if (g.max_new >= 0) return g.max_new;
  std::int64_t most = 48;
  for (const Prompt& p : prompts) most = std::min(most, m.config.context - std::ssize(p.tokens));
  return most;
}

models::Sampling sampling_of(const GenerateOptions& g) {
  if (!(g.top_p > 0 && g.top_p <= 1)) throw Refusal("--top-p: more than 0, at most 1");
  if (!(g.min_p <= 1)) throw Refusal("--min-p: from 0 to 1");
  if (!(g.repetition_penalty > 0)) throw Refusal("--repetition-penalty: more than 0");
  if (!(g.temperature < 1e6)) throw Refusal("--temperature: a number below a million");
  models::Sampling s;
  s.temperature = g.temperature, s.top_k = g.top_k, s.top_p = g.top_p, s.min_p = g.min_p;
  s.repetition_penalty = g.repetition_penalty;
  return s;
}

models::GeneratorSize size_of(const GenerateOptions& g, const models::Config& config, bool gpu,
                              const std::vector<models::Request>& requests) {
  if (!g.graph.empty() && g.graph != "on" && g.graph != "off")
    throw Refusal(fmt::format("--graph {}: on or off", g.graph));
  models::GeneratorSize s;
  s.texts = g.batch > 0 ? g.batch : std::min<std::int64_t>(8, std::ssize(requests));
  s.chunk = std::min<std::int64_t>(g.chunk > 0 ? g.chunk : gpu ? 512 : 64, config.context);
  s.page_size = gpu ? 64 : 16;  // attention_decode reads whole tiles of 64 keys on a GPU
  s.tuning = tuning_of(g);
  s.picks = sampling_of(g).takes_likeliest() && !g.logprobs;
  s.graph = g.graph.empty() ? gpu : g.graph == "on";
  std::vector<std::int64_t> wants;
  std::int64_t most = 0;
  for (const models::Request& r : requests) {
    wants.push_back(s.pages_for(r.cached()));
    most = std::max(most, r.cached());
  }
  std::sort(wants.rbegin(), wants.rend());
  s.pages = 0;
  for (std::int64_t i = 0; i < std::min(s.texts, std::ssize(wants)); ++i)
    s.pages += wants[static_cast<std::size_t>(i)];
  if (g.pages > 0) s.pages = g.pages;
  if (wants[0] > s.pages)
    throw Refusal(fmt::format("--pages {}: a text can come to {} tokens, which are {} pages of {}",
                              s.pages, most, wants[0], s.page_size));
  return s;
}

void look_at_writing(const Options& o) {
  if (!o.generate.tokenise.empty()) return;
  look_at_model(o.generate);
  sampling_of(o.generate);
}

int generate(const Options& o) {
  const GenerateOptions& g = o.generate;
  const harness::Places places = harness::find_places();
  if (!g.tokenise.empty()) return tokenise(o);
  const bool toy = g.model.empty();
  const GenerateModel m = generate_model(o, places);
  if (m.config.sees_images() && !g.adapter.empty())
    throw Refusal("--adapter is for models of text");
  if (m.config.family == models::Family::dit) return generate_images(o, places, m);
  if (m.config.family == models::Family::vit)
    throw Refusal(
        fmt::format("{}: a model that tells images apart; it generates nothing", g.model));
  if (!g.perplexity.empty()) return measure_perplexity(o, m, places);
  if (g.max_new == 0) throw Refusal("--max-new: at least 1");
  for (const std::string& stop : g.stops)
    if (stop.empty()) throw Refusal("an empty --stop");
  const models::Sampling sampling = sampling_of(g);
  const std::vector<Prompt> prompts = prompts_of(o, m);
  const std::int64_t max_new = max_new_of(g, m, prompts);
  std::vector<models::Request> requests;
  for (const Prompt& p : prompts) {
    requests.push_back({p.tokens, max_new, sampling});
    requests.back().sampling.seed = p.seed;
  }

  models::Backend backend(places, choose_backend(places, o.backend).name);
  models::Generator generator(backend, m.config, m.dtype,
                              size_of(g, m.config, backend.gpu(), requests));
  must_fit(backend, generator.bytes(), "a smaller --batch or --pages, or --dtype bf16, takes less");
  generator.allocate();
  load(g, m, backend, generator.parameters(), generator.ops());

  TextOptions options;
  options.stops = g.stops;
  if (!g.ignore_eos) options.ends = models::end_tokens(m.folder);
  options.most = static_cast<std::size_t>(max_new);
  options.json = o.json, options.logprobs = g.logprobs, options.speed = backend.gpu();
  options.calls = generator.calls();
  WrittenTexts texts(m.tokenizer, prompts, options);
  const auto begin = std::chrono::steady_clock::now();
  {
    const NoteInterrupts notes;
    models::Writing writing;
    writing.begins = [&](std::size_t i) { texts.begins(i); };
    writing.take = [&](std::size_t i, std::int32_t token, const std::vector<float>& logits) {
      return texts.take(i, token, logits);
    };
    writing.ended = [&](std::size_t i, int moves) { texts.ended(i, moves); };
    writing.wants_logits = g.logprobs;
    writing.stops = [] { return interrupted != 0; };
    models::write_texts(generator, requests, writing);
  }
  texts.finish();
  if (o.json) return all_passed;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (interrupted)
    fmt::print("\ninterrupted: {} of {} texts are whole\n", texts.whole(), prompts.size());
  fmt::print("\n{} tokens, {}{}, {} calls of ops per token\n", texts.tokens(),
             backend.gpu()
                 ? fmt::format("{:.0f} tokens/s, ", static_cast<double>(texts.tokens()) / seconds)
                 : "",
             bytes_text(static_cast<double>(generator.bytes())), generator.calls());
  fmt::print("{} {}\n", paint(Tone::note, "next:"),
             toy ? "./warpath train --data text.txt --out run, then --model run: one that has read "
                   "a text of yours"
                 : "--temperature 0.5 keeps to what is likely; --seed 1 writes another text");
  return all_passed;
}

}  // namespace

const Command generate_command = {
    "generate",
    "write text with a trained model",
    generate_examples,
    [](Flags& flags, Options& o) {
      GenerateOptions& g = o.generate;
      flags.text("--model", g.model, "DIR", "a folder of a model, or the --out of a run");
      flags.text("--adapter", g.adapter, "DIR",
                 "a LoRA adapter beside the model, as PEFT or train --lora --out has saved it");
      flags.list("--prompt", g.prompts, false, "TEXT", "what to go on from; may be given again");
      flags.text("--prompts", g.prompts_file, "FILE",
                 "a prompt per line; .jsonl: an object with \"prompt\" per line");
      flags.count("--max-new,--tokens", g.max_new,
                  "new tokens per prompt, at most (default 48, or what the model can see)");
      flags.list("--stop", g.stops, false, "TEXT", "a text ends behind it");
      flags.yes("--ignore-eos", g.ignore_eos, "go on behind the model's end-of-text token");
      flags.real("--temperature", g.temperature, "1: as the model says; 0: always the likeliest");
      flags.count("--top-k", g.top_k, "only the k likeliest tokens; 0: all");
      flags.real("--top-p", g.top_p, "only the likeliest with that much of the probability");
      flags.real("--min-p", g.min_p, "only those with that share of the likeliest one's");
      flags.text("--out", g.out, "DIR",
                 "of a diffusion model: where its images go (default: images)");
      flags.count("--images", g.images, "of a diffusion model: how many (default 8)");
      flags.text("--sampler", g.sampler, "S", "of a diffusion model: ddim (default) or ddpm");
      flags.count("--sampling-steps", g.sampling_steps,
                  "of a diffusion model: from noise to an image (default 25)");
      flags.real("--eta", g.eta, "of ddim: 0 adds no noise on the way, 1 as much as ddpm");
      flags.real("--repetition-penalty", g.repetition_penalty,
                 "more than 1: tokens that were there become less likely");
      flags.number("--seed", o.seed, "of the draws");
      flags.yes("--logprobs", g.logprobs, "in --json: the logarithm of each token's probability");
      flags.count("--batch", g.batch,
                  "texts written at a time; the next prompt takes a free place");
      flags.count("--pages", g.pages, "of the cache; default: enough for --batch texts");
      flags.count("--chunk", g.chunk, "tokens of a prompt that are read at once");
      flags.text("--graph", g.graph, "on|off",
                 "a step as one CUDA graph; default: on where there is a GPU");
      flags.text(
          "--dtype", g.dtype, "D",
          "f32, bf16 or f16: of the weights and the cache; default: as stored, f32 on a CPU");
      flags.text("--perplexity", g.perplexity, "FILE", "measure it on a text, and write none");
      flags.text(
          "--quantise", g.quantise, "Q",
          "int8 or nf4: the layers' matrices in 8 or 4 bits; --perplexity shows what that costs");
      flags.list("--tokenise", g.tokenise, false, "FILE", "show the tokens of a text, and end");
      flags.text("--backend", o.backend, "B",
                 "simt (this CPU) or cuda; default: the GPU when there is one");
      add_json_flag(flags, o);
    },
    generate,
    look_at_writing};

}  // namespace warpath::cli
