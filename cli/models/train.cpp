// warpath train: trains a transformer on the best rungs of the ops.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/models/loss_plot.h"
#include "cli/models/train_report.h"
#include "cli/report.h"
#include "cli/select.h"
#include "cli/terminal.h"
#include "core/host/error.h"
#include "models/adapter_file.h"
#include "models/checkpoint.h"
#include "models/files.h"
#include "models/grammar.h"
#include "models/safetensors.h"
#include "models/text/tokenizer.h"
#include "models/train_dump.h"

namespace warpath::cli {
namespace {

using namespace warpath::models;
using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr const char* train_examples = R"(
Examples:
  ./warpath train                                     a toy model on sentences of a small grammar
  ./warpath train --data text.txt --steps 500         the same on a text of yours; a byte is a token
  ./warpath train --model gpt2-124m --data shards --dtype bf16 --batch 64 --sequence 1024 --out run
  ./warpath train --resume --out run ...              goes on from the last checkpoint, bit for bit
  ./warpath train --model llama-1b --memory           what device memory would hold; trains nothing
  ./warpath train --model DIR --lora q,v --out run    LoRA: the model stays, small adapters beside it are trained
  ./warpath train --model DIR --lora all --rank 16 --quantise nf4 --out run    QLoRA: the model in 4 bits
  ./warpath train --model DIR --adapter run/step-000100 --merge merged    one model of both
  ./warpath train --model vit-tiny                    tells drawn shapes apart
  ./warpath train --model dit-tiny --out run          learns to draw them; then ./warpath generate --model run
  ./warpath train --model gpt2-124m --block           what one block costs, fused and not
  ./warpath train --profile                           where the time of one step goes, by op

Ctrl-C ends the run after its step and saves it where --out is given.
Exit status: 0 trained, 1 the loss or the gradients were no numbers, 2 the command was wrong or a part is missing.)";

// A model's name, or a folder that Hugging Face's transformers has written.
bool is_folder(const std::string& model) {
  std::error_code ignored;
  return std::filesystem::is_directory(model, ignored);
}

// What --lora, --adapter and --quantise say.
Tuning tuning_of(const TrainOptions& t, const Config& config) {
  Tuning tuning;
  if (config.sees_images() && !(t.lora.empty() && t.adapter.empty() && t.quantise.empty()))
    throw Refusal("--lora, --adapter and --quantise are for models of text");
  if (!t.lora.empty() && !t.adapter.empty())
    throw Refusal("--adapter brings its own layers: leave --lora out");
  if (!t.adapter.empty() && (t.rank > 0 || t.alpha > 0 || t.lora_dropout > 0))
    throw Refusal(
        "--adapter brings its own rank, alpha and dropout: leave --rank, --alpha and "
        "--lora-dropout out");
  if (!(t.lora_dropout < 1))
    throw Refusal(fmt::format("--lora-dropout {}: from 0 to less than 1", t.lora_dropout));
  if (!t.adapter.empty()) tuning = read_adapter_config(adapter_folder(t.adapter));
  if (!t.lora.empty()) tuning.targets = parse_targets(t.lora, config.family);
  if (t.rank > 0) tuning.rank = t.rank;
  if (t.adapter.empty()) tuning.dropout = t.lora_dropout;
  if (t.adapter.empty()) tuning.alpha = t.alpha > 0 ? t.alpha : 2.0 * double(tuning.rank);
  if (!tuning.adapts()) {
    if (t.rank > 0 || t.alpha > 0) throw Refusal("--rank and --alpha belong to --lora");
    if (t.lora_dropout > 0) throw Refusal("--lora-dropout belongs to --lora");
    if (!t.quantise.empty())
      throw Refusal("--quantise: packed weights are not trained; add --lora q,v or another choice");
    if (!t.merge.empty()) throw Refusal("--merge needs --adapter: there is nothing to merge");
  }
  if (!t.quantise.empty() && t.quantise != "nf4" && t.quantise != "int8")
    throw Refusal(fmt::format("--quantise {}: nf4 and int8 are known", t.quantise));
  tuning.form = t.quantise == "nf4" ? Form::nf4 : t.quantise == "int8" ? Form::int8 : Form::plain;
  return tuning;
}

void set_for_images(const TrainOptions& t, TrainSettings& s) {
  if (t.sequence > 0 || !t.data.empty())
    throw Refusal(fmt::format("{} sees images: --sequence and --data are for text", t.model));
  s.batch.sequence = s.config.context;
  if (t.schedule.empty()) return;
  if (t.schedule != "linear" && t.schedule != "cosine")
    throw Refusal(fmt::format("--schedule {}: linear and cosine are known", t.schedule));
  s.config.schedule = t.schedule == "linear" ? Schedule::linear : Schedule::cosine;
}

TrainSettings settings_of(const Options& o) {
  const TrainOptions& t = o.train;
  TrainSettings s;
  s.config = is_folder(t.model) ? read_config(std::filesystem::path(t.model) / "config.json")
                                : named_config(t.model);
  s.base = t.model;
  s.batch.tuning = tuning_of(t, s.config);
  // Without a text, the words of the grammar are the tokens; of another text its bytes are.
  const bool words = t.data.empty() && s.config.vocabulary == grammar_vocabulary;
  if (words) s.tokenizer_json = grammar_tokenizer();
  if (!t.data.empty() && (t.model == "toy" || t.model == "toy-llama"))
    s.config = named_config(t.model + "-bytes");
  const bool toy = t.model.starts_with("toy") || t.model.ends_with("-tiny");
  s.batch.size = t.batch > 0 ? t.batch : s.config.sees_images() ? 32 : words ? 16 : toy ? 8 : 4;
  s.batch.sequence = t.sequence > 0 ? t.sequence : std::min<std::int64_t>(s.config.context, 1024);
  if (s.config.sees_images()) set_for_images(t, s);
  if (!t.schedule.empty() && s.config.family != Family::dit)
    throw Refusal("--schedule is for diffusion models: dit-tiny, dit-s2");
  if (t.recompute > s.config.layers)
    throw Refusal(
        fmt::format("--recompute {}: {} has {} blocks", t.recompute, t.model, s.config.layers));
  s.batch.recompute = t.recompute == TrainOptions::all_blocks ? s.config.layers : t.recompute;
  if (s.batch.sequence > s.config.context)
    throw Refusal(fmt::format("--sequence {}: {} takes {} at most", s.batch.sequence, t.model,
                              s.config.context));
  const std::string dtype = !t.dtype.empty() ? t.dtype : toy ? "f32" : "bf16";
  if (dtype != "f32" && dtype != "bf16" && dtype != "f16")
    throw Refusal(fmt::format("--dtype {}: f32, bf16 and f16 are known", dtype));
  s.dtype = *parse_dtype(dtype);
  s.accumulate = std::max(1, t.accumulate);
  s.adam.weight_decay = t.weight_decay >= 0 ? t.weight_decay : words ? 0 : 0.1;
  s.adam.clip = t.clip;
  s.rate = t.rate > 0                        ? t.rate
           : words                           ? 2e-2
           : toy                             ? 3e-3
           : s.config.family == Family::gpt2 ? 6e-4
                                             : 3e-4;
  s.least_rate = t.least_rate > 0 ? t.least_rate : s.rate / (words ? 100 : 10);
  s.steps = t.steps > 0 ? t.steps : words ? 600 : toy ? 200 : 1000;
  s.warmup = t.warmup > 0 ? t.warmup : std::max<std::int64_t>(1, s.steps / 20);
  s.seed = o.seed;
  // f32 has no rungs that differ from run to run, so it costs nothing there.
  s.deterministic = t.deterministic || s.dtype == DType::f32;
  s.graph = t.graph;
  if (is_folder(t.model)) s.tokenizer = t.model;
  return s;
}

Data data_of(const Options& o, const TrainSettings& s) {
  if (s.config.sees_images()) return Data::of_shapes(s.config);
  if (!o.train.data.empty())
    return Data::of_path(o.train.data, s.tokenizer.empty() ? Tokenizer::of_bytes()
                                                           : Tokenizer::of_folder(s.tokenizer));
  const std::string from = "the small grammar";
  return Data::of_text(
      grammar_text(o.seed, std::size_t{1} << 20), from,
      s.tokenizer_json.empty() ? Tokenizer::of_bytes() : Tokenizer::parse(s.tokenizer_json, from));
}

std::vector<Sample> samples_of_step(const Data& data, const TrainSettings& s, std::int64_t step) {
  std::vector<Sample> samples;
  for (int i = 0; i < s.accumulate; ++i)
    samples.push_back(data.training(s.seed,
                                    static_cast<std::uint64_t>((step - 1) * s.accumulate + i),
                                    s.batch.size, s.batch.sequence));
  return samples;
}

std::vector<Sample> samples_to_evaluate(const Data& data, const TrainSettings& s, int batches) {
  std::vector<Sample> samples;
  for (int i = 0; i < batches; ++i)
    samples.push_back(
        data.evaluation(static_cast<std::uint64_t>(i), s.batch.size, s.batch.sequence));
  return samples;
}

// A run after its set-up: steps, what they print, checkpoints.
class Run {
 public:
  Run(const Options& o, Trainer& trainer, const Data& data)
      : o_(o), t_(o.train), trainer_(trainer), data_(data), s_(trainer.settings()) {
    for (const auto& p : trainer.memory_plan()) memory_ += p.bytes;
    if (trainer.backend().gpu()) peak_ = matmul_peak(trainer.backend());
    to_evaluate_ = samples_to_evaluate(data, s_, std::max(1, t_.evaluate_batches));
  }

  int all(std::int64_t done) {
    const NoteInterrupts notes;
    const std::int64_t first = done + 1;
    for (std::int64_t step = first; step <= s_.steps; ++step) {
      if (!one(step, first)) return check_failed;
      const bool last = step == s_.steps || interrupted;
      if (t_.evaluate_every > 0 && (step % t_.evaluate_every == 0 || step == s_.steps))
        evaluate(step);
      if (!t_.out.empty() && (last || (t_.save_every > 0 && step % t_.save_every == 0))) save(step);
      if (interrupted) break;
    }
    finish();
    return all_passed;
  }

 private:
  bool one(std::int64_t step, std::int64_t first) {
    if (next_.empty()) next_ = samples_of_step(data_, s_, step);
    const auto before = Clock::now();
    const std::vector<Sample> samples = std::move(next_);
    const StepResult r =
        trainer_.step(samples, step, [&] { next_ = samples_of_step(data_, s_, step + 1); });
    const double seconds = std::chrono::duration<double>(Clock::now() - before).count();
    const double tokens = static_cast<double>(s_.batch.size * s_.batch.sequence * s_.accumulate);
    losses_.push_back({step, r.loss});
    if (!std::isfinite(r.loss) || !std::isfinite(r.norm)) return not_finite(step, r), false;
    // The first steps load code; they do not count.
    if (step - first >= 3) tokens_ += tokens, seconds_ += seconds;
    const double speed = seconds_ > 0 ? tokens_ / seconds_ : tokens / seconds;
    const double share =
        peak_ > 0 ? speed * training_flops_per_token(s_.config, s_.batch.sequence) / peak_ : 0;
    const TrainProgress progress{
        step,   s_.steps, r, speed, share, static_cast<double>(s_.steps - step) * tokens / speed,
        memory_};
    if (o_.json) {
      const ordered_json j = {{"step", step},       {"loss", r.loss},
                              {"norm", r.norm},     {"rate", r.rate},
                              {"seconds", seconds}, {"tokens_per_second", tokens / seconds}};
      fmt::print("{}\n", j.dump());
      std::fflush(stdout);
    } else if (isatty(2)) {
      line_.show(progress.line());
    } else if (step == first || step == s_.steps || step % every() == 0) {
      fmt::print("{}\n", progress.line());
      std::fflush(stdout);
    }
    last_ = progress;
    return true;
  }

  std::int64_t every() const { return std::max<std::int64_t>(1, s_.steps / 20); }

  void evaluate(std::int64_t step) {
    const auto [loss, accuracy] = trainer_.evaluate(to_evaluate_);
    evaluated_.push_back({step, loss});
    accuracy_ = accuracy;
    if (!o_.json) return;
    ordered_json j = {{"step", step}, {"evaluated_loss", loss}};
    if (accuracy >= 0) j["accuracy"] = accuracy;
    fmt::print("{}\n", j.dump());
  }

  void save(std::int64_t step) {
    save_checkpoint(t_.out, trainer_, data_, step);
    saved_ = step;
  }

  void not_finite(std::int64_t step, const StepResult& r) {
    line_.clear();
    const std::string where = trainer_.first_not_finite();
    const std::string what = std::isfinite(r.loss)
                                 ? fmt::format("the gradients' norm is {}", r.norm)
                                 : fmt::format("the loss is {}", r.loss);
    fmt::print(stderr, "warpath: step {}: {}; the first to have it: {}\n", step, what,
               where.empty() ? "the loss itself" : where);
  }

  void finish() {
    line_.clear();
    if (!t_.svg.empty())
      write_whole(t_.svg,
                  plot_as_svg(losses_, evaluated_,
                              fmt::format("{}, {}, {}", t_.model, name(s_.dtype), data_.from())));
    if (o_.json || losses_.empty()) return;
    if (isatty(2)) fmt::print("{}\n", last_.line());
    fmt::print("\n{}", plot_in_terminal(losses_, 72, 10));
    if (!evaluated_.empty())
      fmt::print("loss on {} it was not trained on: {:.4f}{}\n",
                 s_.config.sees_images() ? "images" : "text", evaluated_.back().loss,
                 accuracy_ < 0 ? "" : fmt::format(", {:.1f}% of classes right", 100 * accuracy_));
    if (saved_) fmt::print("saved: {}/step-{:06}\n", t_.out, *saved_);
    fmt::print("{} {}\n", paint(Tone::note, "next:"), next_step());
  }

  std::string next_step() const {
    if (interrupted && saved_) return fmt::format("the same command with --resume goes on");
    if (s_.config.family == Family::dit && saved_)
      return fmt::format("./warpath generate --model {} draws images", t_.out);
    if (t_.out.empty() && s_.config.sees_images()) return "--out run keeps the model";
    if (t_.out.empty())
      return "--out run keeps the model; --data text.txt trains on a text of yours";
    if (s_.batch.tuning.adapts() && is_folder(t_.model))
      return fmt::format("./warpath generate --model {} --adapter {} writes text with it", t_.model,
                         t_.out);
    if (s_.batch.tuning.adapts())
      return fmt::format(
          "--adapter {} --merge DIR in place of --lora and --out makes one model of both", t_.out);
    return fmt::format("./warpath generate --model {} writes text with it", t_.out);
  }

  const Options& o_;
  const TrainOptions& t_;
  Trainer& trainer_;
  const Data& data_;
  const TrainSettings& s_;
  std::vector<Sample> to_evaluate_, next_;
  std::int64_t memory_ = 0;
  double peak_ = 0, tokens_ = 0, seconds_ = 0, accuracy_ = -1;
  std::vector<LossPoint> losses_, evaluated_;
  TrainProgress last_{};
  std::optional<std::int64_t> saved_;
  Progress line_;
};

// "124.4 M"; a toy has thousands.
std::string count_text(std::int64_t n) {
  return n < 1'000'000 ? fmt::format("{:.1f} thousand", static_cast<double>(n) / 1e3)
                       : fmt::format("{:.1f} M", static_cast<double>(n) / 1e6);
}

// Refuses options that do not fit together, and files that are not there.
void look_at_training(const Options& o) {
  const TrainOptions& t = o.train;
  const TrainSettings s = settings_of(o);
  if (t.resume && t.out.empty()) throw Refusal("--resume needs the --out of the run to go on with");
  if (t.resume && !last_checkpoint(t.out))
    throw Refusal(fmt::format("{}: no checkpoint to go on from", t.out));
  std::error_code ignored;
  if (!s.config.sees_images() && !t.data.empty() && !std::filesystem::exists(t.data, ignored))
    throw Refusal(fmt::format("{}: no such file or folder", t.data));
}

int train(const Options& o) {
  look_at_training(o);
  const TrainOptions& t = o.train;
  const TrainSettings s = settings_of(o);
  const harness::Places places = harness::find_places();
  models::Backend backend(places, choose_backend(places, o.backend).name);
  if (s.graph && s.batch.tuning.dropout > 0)
    throw Refusal("--graph would repeat the masks of --lora-dropout: leave one of them out");
  if (t.block) {
    if (s.config.sees_images()) throw Refusal("--block is for models of text");
    print_block(backend, s, o.json);
    return all_passed;
  }
  Trainer trainer(backend, s);
  const Tuning& tuning = s.batch.tuning;
  const std::string trained =
      tuning.adapts()
          ? fmt::format(", frozen{}; adapters of {:.3f} M are trained",
                        tuning.form == Form::plain ? "" : fmt::format(" in {}", name(tuning.form)),
                        static_cast<double>(trainer.trained_count()) / 1e6)
          : "";
  if (!o.json)
    fmt::print("{}: {} parameters in {}{}, {} x {}{} tokens per step, on {} ({})\n", t.model,
               count_text(trainer.parameter_count()), name(s.dtype), trained, s.batch.size,
               s.batch.sequence, s.accumulate > 1 ? fmt::format(" x {}", s.accumulate) : "",
               backend.info().name, backend.name());
  if (t.memory) {
    TrainSettings full = s;
    full.batch.tuning = {};
    if (s.batch.tuning.adapts())
      print_memory_plan(trainer, Trainer(backend, full).memory_plan());
    else
      print_memory_plan(trainer);
    return all_passed;
  }
  const Data data = data_of(o, s);
  data.check(s.config.vocabulary, s.batch.sequence);
  trainer.allocate();
  const std::filesystem::path weights = std::filesystem::path(t.model) / "model.safetensors";
  if (is_folder(t.model) && SafetensorsFile::there(weights))
    load_weights(weights, trainer);
  else if (is_folder(t.model) && !t.resume && !o.json)
    fmt::print("no model.safetensors there: begins with random weights\n");
  if (!t.adapter.empty()) load_adapter(adapter_folder(t.adapter), trainer);
  if (!t.merge.empty()) {
    save_merged(t.merge, trainer);
    if (!o.json) fmt::print("merged: {}\n", t.merge);
    return all_passed;
  }
  std::int64_t done = 0;
  if (t.resume) {
    const auto from = last_checkpoint(t.out);
    done = load_checkpoint(from.value(), trainer, data);
    if (!o.json) fmt::print("goes on from {}\n", from->string());
  }
  if (!t.dump.empty()) {
    dump_gradients(t.dump, trainer, samples_of_step(data, s, done + 1)[0]);
    return all_passed;
  }
  if (t.profile) {
    const Sample sample = samples_of_step(data, s, done + 1)[0];
    trainer.profile(sample, 1);  // loads code
    print_profile(trainer.profile(sample, 2), backend, o.json);
    return all_passed;
  }
  return Run(o, trainer, data).all(done);
}

}  // namespace

const Command train_command = {
    "train",
    "train a transformer on the best rungs",
    train_examples,
    [](Flags& flags, Options& o) {
      TrainOptions& t = o.train;
      flags.text("--model", t.model, "M",
                 "toy, toy-llama, gpt2-124m, llama-1b, vit-b16, dit-tiny, … or a folder with "
                 "config.json and "
                 "model.safetensors");
      flags.text(
          "--data", t.data, "PATH",
          "a text, or a folder of token shards (*.bin); default: sentences of a small grammar");
      flags.count("--batch", t.batch, "sequences per micro-batch", 1);
      flags.count("--sequence", t.sequence, "tokens per sequence", 1);
      flags.count("--accumulate", t.accumulate, "micro-batches per step", 1);
      flags.count("--steps", t.steps, "of the whole run", 1);
      flags.text("--dtype", t.dtype, "D", "f32, bf16 or f16; 16-bit types have f32 master weights");
      flags.real("--rate", t.rate, "the highest learning rate");
      flags.real("--least-rate", t.least_rate, "the last learning rate (default: a tenth)");
      flags.count("--warmup", t.warmup, "steps until the highest rate (default: a twentieth)");
      flags.real("--weight-decay", t.weight_decay,
                 "of matrices (default: 0.1, and 0 for the small grammar)");
      flags.real("--clip", t.clip, "the largest norm of all gradients together");
      flags.count("--evaluate-every", t.evaluate_every, "steps; 0: never");
      flags.count("--evaluate-batches", t.evaluate_batches, "how many each time");
      flags.text("--out", t.out, "DIR", "checkpoints are written here");
      flags.count("--save-every", t.save_every, "steps; always at the end and on Ctrl-C");
      flags.text("--lora", t.lora, "L",
                 "train adapters beside these layers only: q,v or all, or names of layers");
      flags.count("--rank", t.rank, "of the adapters (default: 8)", 1);
      flags.real("--alpha", t.alpha, "their factor times the rank (default: twice the rank)");
      flags.real("--lora-dropout", t.lora_dropout,
                 "the share of an adapter's inputs that a step leaves out (default: 0)");
      flags.text("--quantise", t.quantise, "Q",
                 "nf4 or int8: the layers' matrices in 4 or 8 bits, frozen");
      flags.text("--adapter", t.adapter, "DIR", "go on with adapters that PEFT or --out has saved");
      flags.text("--merge", t.merge, "DIR",
                 "write the model with its --adapter merged in, and end");
      flags.yes("--resume", t.resume, "go on from the last checkpoint of --out");
      flags.text("--schedule", t.schedule, "S",
                 "of a diffusion model's noise: cosine (default) or linear");
      flags.count_or_all("--recompute", t.recompute, TrainOptions::all_blocks,
                         "the first N blocks compute activations again in the backward pass: less "
                         "memory");
      flags.yes("--graph", t.graph, "the whole step, optimiser included, as one CUDA graph");
      flags.yes("--deterministic", t.deterministic,
                "the same bits in every run in 16-bit types too; f32 always has them");
      flags.yes("--memory", t.memory, "print the plan of device memory and end");
      flags.yes("--profile", t.profile, "time each op of one step and end");
      flags.yes("--block", t.block,
                "print the kernels of one block, fused and one per operation, with bytes and "
                "operations, and end");
      flags.text("--svg", t.svg, "FILE", "the loss as a plot");
      flags.text("--dump", t.dump, "FILE",
                 "loss, logits and gradients of the first batch as safetensors, and end");
      flags.text("--backend", o.backend, "B",
                 "simt (this CPU) or cuda; default: the GPU when there is one");
      flags.number("--seed", o.seed, "of the first values and the order of the data");
      add_json_flag(flags, o);
    },
    train,
    look_at_training};

}  // namespace warpath::cli
