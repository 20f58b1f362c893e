// warpath image: runs the image ops on a person's picture.
#include "cli/image/image.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/image/files.h"
#include "cli/image/steps.h"
#include "cli/op_names.h"
#include "cli/select.h"
#include "cli/terminal.h"

namespace warpath::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* image_examples = R"(
Examples:
  ./warpath image                                            draws a picture and shows every step on it
  ./warpath image photo.jpg grayscale blur:5 --output out.png
  ./warpath image photo.jpg resize:640x480                   writes photo-resize.jpg beside it
  ./warpath image photo.png resize:50% blur:9:box:border=clamp augment:seed=3:cut=40
  ./warpath image blur:15 --backend simt --json              on the picture that it draws

Steps, one after the other; options follow after colons:
  grayscale
  blur:SIZE          gaussian or box; sigma=S; border=reflect, clamp or zero. SIZE is odd, 1 to 127
  resize:WxH or N%   antialias=false takes the two nearest pixels only
  augment            seed=N draws other values; rotation=DEGREES flip=P brightness=S contrast=S saturation=S
                     cut=PIXELS crop=WxH padding=PIXELS. Without them: rotation=15, each colour strength 0.4

PNG and JPEG; the output's name says which. Without --output a new file beside the input; nothing is overwritten.
Exit status: 0 written, 2 the command was wrong or the file is no picture.)";

struct Done {
  Step step;
  std::vector<Ran> ran;
  Picture picture;
};

std::string shape_text(const Picture& p) {
  return fmt::format("{}x{} {}{}", p.width, p.height, p.colour_name(),
                     p.bits == 16 ? ", 16 bits" : "");
}

nlohmann::ordered_json shape_json(const Picture& p) {
  return {{"width", p.width}, {"height", p.height}, {"channels", p.channels}, {"bits", p.bits}};
}

std::string size_text(std::size_t bytes) {
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  if (bytes < 1'000'000) return fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1e3);
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

// photo.jpg after blur:5 and resize:50% is photo-blur-resize.
fs::path default_stem(const fs::path& input, const std::vector<Step>& steps) {
  std::string name = input.empty() ? "warpath-image" : input.stem().string();
  for (const Step& s : steps) name += "-" + s.op;
  constexpr std::size_t longest = 120;  // of a chain of many steps
  return input.parent_path() / name.substr(0, std::max(longest, input.stem().string().size()));
}

std::vector<Done> run_steps(models::Backend& backend, const std::vector<Step>& steps,
                            const Picture& picture) {
  std::vector<Done> done;
  Progress progress;
  for (const Step& step : steps) {
    progress.show(fmt::format("{} …", step.text));
    Done d{step, {}, {}};
    d.picture = run_step(backend, step, done.empty() ? picture : done.back().picture, d.ran);
    done.push_back(std::move(d));
  }
  return done;
}

// Without any words: every step on its own, and the four pictures as one.
std::vector<Done> run_sheet(models::Backend& backend, const Picture& picture, Picture& sheet) {
  std::vector<Picture> four = {picture};
  std::vector<Done> done;
  for (const char* text : {"grayscale", "blur:15", "augment:seed=5:cut=70"}) {
    done.push_back(std::move(run_steps(backend, {parse_step(text)}, picture).front()));
    four.push_back(done.back().picture);
  }
  sheet = sheet_of(four);
  return done;
}

std::vector<std::string> rungs_of(const Done& d) {
  std::vector<std::string> rungs;
  for (const Ran& r : d.ran) add_unique(rungs, r.op + "/" + r.rung);
  return rungs;
}

void print_table(const std::string& from, const Picture& input, const std::vector<Done>& done) {
  Table table({"step", "rung", "picture"});
  table.add({from, "", shape_text(input)});
  for (const Done& d : done)
    table.add({d.step.text, d.ran.empty() ? "is gray already" : join(rungs_of(d)),
               shape_text(d.picture)});
  table.print();
}

nlohmann::ordered_json steps_json(const std::vector<Done>& done, bool gpu) {
  auto all = nlohmann::ordered_json::array();
  for (const Done& d : done) {
    nlohmann::ordered_json one = {{"step", d.step.text}, {"rungs", rungs_of(d)}};
    one.update(shape_json(d.picture));
    double microseconds = 0;
    for (const Ran& r : d.ran) microseconds += r.microseconds;
    if (gpu) one["time_us"] = microseconds;
    all.push_back(std::move(one));
  }
  return all;
}

int image(const Options& o) {
  std::vector<std::string> words = o.names;
  fs::path input;
  std::error_code ignored;
  if (!words.empty() && (!is_step(words.front()) || fs::is_regular_file(words.front(), ignored))) {
    input = words.front();
    words.erase(words.begin());
  }
  std::vector<Step> steps;
  for (const std::string& word : words) steps.push_back(parse_step(word));
  std::optional<Format> format;
  if (!o.output.empty()) format = format_of(o.output);
  Picture picture;
  Format input_format = Format::png;
  if (input.empty()) {
    picture = drawn_picture();
  } else {
    ReadPicture read = read_picture(input);
    picture = std::move(read.picture);
    input_format = read.format;
    if (steps.empty())
      throw Refusal(
          fmt::format("{}: what should be done with it? e.g. ./warpath image {} grayscale blur:5; "
                      "there are: {}",
                      input.string(), input.string(), join(step_names())));
    if (!o.output.empty() && fs::equivalent(input, o.output, ignored))
      throw Refusal(fmt::format("--output {} is the input; name another file", o.output));
  }

  const harness::Places places = harness::find_places();
  const Backend chosen = choose_backend(places, o.backend);
  models::Backend backend(places, chosen.name);
  Picture result;
  const std::vector<Done> done =
      steps.empty() ? run_sheet(backend, picture, result) : run_steps(backend, steps, picture);
  if (!steps.empty()) result = done.back().picture;

  // What JPEG cannot hold.
  Format out = format.value_or(input_format);
  if (!format && result.has_alpha()) out = Format::png;
  std::string note;
  if (out == Format::jpeg && (result.has_alpha() || result.bits == 16)) {
    note = result.has_alpha() ? "JPEG has no alpha: white is behind it"
                              : "JPEG has 8 bits: 16 are rounded";
    result = in_bytes(on_white(result));
  }
  const Bytes bytes = encode(result, out);
  fs::path file = o.output;
  if (file.empty())
    file = write_new_file(default_stem(input, steps), out, bytes);
  else
    write_file(file, bytes);

  const std::string from = input.empty() ? "(drawn)" : input.string();
  if (o.json) {
    nlohmann::ordered_json j = {{"input", shape_json(picture)}};
    j["input"]["file"] =
        input.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(input.string());
    j["backend"] = chosen.name;
    j["device"] = backend.info().name;
    j["steps"] = steps_json(done, backend.gpu());
    j["output"] = shape_json(result);
    j["output"]["file"] = file.string();
    j["output"]["bytes"] = bytes.size();
    fmt::print("{}\n", j.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return all_passed;
  }
  print_table(from, picture, done);
  if (!note.empty()) fmt::print("{}\n", note);
  fmt::print("wrote {} ({}, {}) on {}\n", file.string(), shape_text(result),
             size_text(bytes.size()), backend.gpu() ? backend.info().name : "this CPU");
  fmt::print("{} {}\n", paint(Tone::note, "next:"),
             input.empty()
                 ? "./warpath image photo.jpg grayscale blur:5, with a picture of yours"
                 : fmt::format("./warpath run {} shows the kernels behind it", steps.back().op));
  return all_passed;
}

}  // namespace

const Command image_command = {
    "image", "run the image ops on a picture: PNG and JPEG", image_examples,
    [](Flags& flags, Options& o) {
      flags.words("words", o.names, "a PNG or JPEG file, then the steps", false);
      flags.text("--output,-o", o.output, "FILE", "where to write; .png, .jpg or .jpeg");
      flags.text("--backend", o.backend, "B",
                 "simt (this CPU) or cuda; default: the GPU when there is one");
      add_json_flag(flags, o);
    },
    image};

}  // namespace warpath::cli
