// The program's command line: what there is to type, read by CLI11. Only this file includes it, for
// it is slow to compile.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <sstream>
#include <string_view>

#include "cli/command.h"
#include "cli/op_names.h"
#include "core/host/nearest.h"

namespace warpath::cli {
namespace {

CLI::App& app(void* command) {
  return *static_cast<CLI::App*>(command);
}

constexpr const char* footer = R"(
Start here:
  ./warpath                    a short tour
  ./warpath run softmax        one ladder, checked; timed on a GPU
  ./warpath days               a course of five tracks; ./warpath day A1 is its first page
  ./warpath ops                what there is
Every command has --help with examples.)";

// Listed so that the help shows them. The first ones are programs of their own (run_tool). The launcher
// ./warpath carries out the others, because it has the tests, Python and the formatters at hand.
struct Elsewhere {
  const char *name, *summary;
};
constexpr Elsewhere elsewhere[] = {
    {"train", "trains a transformer on the kernels of the ops (warpath train --help)"},
    {"generate", "goes on with a text, by a model that was trained (warpath generate --help)"},
    {"cc", "the CUDA compiler for this CPU, used as nvcc is (warpath cc --help)"},
    {"debug",
     "gdb at a CUDA thread: of a rung, your kernel, or what cc made (warpath debug --help)"},
    {"image", "the image ops on a picture of yours: grayscale, blur, resize, augment"},
    {"test", "every test, or those of some ops: ./warpath test softmax"},
    {"python", "Python with torch and `import warpath`; what follows goes to it"},
    {"compare", "an op by PyTorch, Triton, ONNX Runtime, WebGPU and others, in one table"},
    {"format", "formats the sources"},
};

// CLI11 writes --no-peers{false} for a flag that says no.
struct Names : CLI::Formatter {
  std::string make_option_name(const CLI::Option* option, bool positional) const override {
    std::string names = CLI::Formatter::make_option_name(option, positional);
    constexpr std::string_view mark = "{false}";
    for (std::size_t at = names.find(mark); at != names.npos; at = names.find(mark))
      names.erase(at, mark.size());
    return names;
  }
};

bool has(std::span<const Command* const> commands, std::string_view name) {
  return std::ranges::any_of(commands, [&](const Command* c) { return c->name == name; });
}

void add_command(CLI::App& app, const Command& command, Options& options, int& status) {
  app.footer(command.examples);
  Flags flags(&app);
  command.flags(flags, options);
  app.callback([&command, &options, &status] {
    if (std::getenv("WARPATH_LOOK") == nullptr)
      status = command.run(options);
    else if (command.look != nullptr)
      command.look(options);
  });
}

void add_commands(CLI::App& app, std::span<const Command* const> commands, Options& options,
                  int& status) {
  for (const Command* command : commands) {
    CLI::App* c = app.add_subcommand(command->name, command->summary);
    add_command(*c, *command, options, status);
  }
  for (const Elsewhere& e : elsewhere) {
    if (has(commands, e.name)) continue;
    CLI::App* c = app.add_subcommand(e.name, e.summary);
    c->prefix_command();
    c->callback([&e] {
      throw Refusal(
          fmt::format("type ./warpath {}: the launcher does that, not this program", e.name));
    });
  }
}

// A first word that is no command: the message suggests the nearest one.
void refuse_unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> known;
  for (const CLI::App* c : app.get_subcommands({})) known.push_back(c->get_name());
  if (std::find(known.begin(), known.end(), argv[1]) == known.end())
    throw Refusal(did_you_mean("command", argv[1], known));
}

int refuse(const std::string& why) {
  fmt::print(stderr, "warpath: {}\n", why);
  return cannot;
}

// "day is required" with what that is, and of which command.
std::string what_is_missing(const CLI::App& app, const std::string& said) {
  const auto used = app.get_subcommands();
  const CLI::App& command = used.empty() ? app : *used.front();
  const std::string typed = (used.empty() ? "" : "./warpath ") + command.get_name();
  for (const CLI::Option* option : command.get_options())
    if (said == option->get_name() + " is required")
      return fmt::format("{0} needs {1}; see {0} --help", typed, option->get_description());
  return fmt::format("{}; see {} --help", said, typed);
}

// CLI11's sentence about words it does not know; of the first option among them, the one that was probably meant.
std::string unexpected(const CLI::App& app, const std::string& said) {
  const auto used = app.get_subcommands();
  std::vector<std::string> known;
  for (const CLI::Option* option : (used.empty() ? app : *used.front()).get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  std::istringstream words(said.substr(std::min(said.size(), said.find(": ") + 1)));
  for (std::string word; words >> word;)
    if (word.starts_with("--"))
      if (const std::string near = nearest(word.substr(0, word.find('=')), known); !near.empty())
        return fmt::format("no option '{}'; did you mean '{}'?", word, near);
  return said + "; see --help";
}

// The exit status of `run`; what it throws becomes one line.
template <class Run>
int guarded(const CLI::App& app, Run run) {
  try {
    return run();
  } catch (const CLI::Success& e) {
    return app.exit(e);  // --help, --version
  } catch (const CLI::RequiredError& e) {
    return refuse(what_is_missing(app, e.what()));
  } catch (const CLI::ExtrasError& e) {
    return refuse(unexpected(app, e.what()));
  } catch (const CLI::ParseError& e) {
    return refuse(fmt::format("{}; see --help", std::string_view(e.what())));
  } catch (const Refusal& e) {
    return refuse(e.what());
  } catch (const std::exception& e) {
    return refuse(e.what());
  }
}

}  // namespace

// CLI11's own checks print both ends of the range, the last one with all of its 309 digits.
template <class Number>
static std::function<std::string(const std::string&)> at_least(Number least, bool itself = true) {
  return [least, itself](const std::string& text) -> std::string {
    Number value{};
    const bool number = CLI::detail::lexical_cast(text, value);
    if (number && (itself ? value >= least : value > least)) return {};
    const char* const kind = std::is_integral_v<Number> ? "whole number" : "number";
    return itself ? fmt::format("'{}' is no {} from {} on", text, kind, least)
                  : fmt::format("'{}' is no {} above {}", text, kind, least);
  };
}

void Flags::names(std::vector<std::string>& into, const char* help, bool required) {
  words("ops", into, help, required);
}
void Flags::words(const char* what, std::vector<std::string>& into, const char* help,
                  bool required) {
  app(command_).add_option(what, into, help)->required(required);
}
void Flags::yes(const char* flag, bool& into, const char* help) {
  app(command_).add_flag(flag, into, help);
}
void Flags::text(const char* flag, std::string& into, const char* type, const std::string& help) {
  app(command_).add_option(flag, into, help)->type_name(type);
}
void Flags::list(const char* flag, std::vector<std::string>& into, bool commas, const char* type,
                 const char* help) {
  CLI::Option* o = app(command_).add_option(flag, into, help);
  o->type_name(type)->allow_extra_args(false);
  if (commas) o->delimiter(',');
}
void Flags::seconds(const char* flag, double& into, const char* help) {
  app(command_)
      .add_option(flag, into, help)
      ->type_name("S")
      ->check(at_least(0.0, false))
      ->capture_default_str();
}
void Flags::seconds(const char* flag, std::optional<double>& into, const std::string& help) {
  app(command_).add_option(flag, into, help)->type_name("S")->check(at_least(0.0, false));
}
void Flags::real(const char* flag, double& into, const char* help) {
  app(command_).add_option(flag, into, help)->type_name("X")->check(at_least(0.0));
}
void Flags::number(const char* flag, std::uint64_t& into, const char* help) {
  const auto is_number = [](const std::string& text) -> std::string {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (!text.empty() && stop == end && error == std::errc()) return {};
    return fmt::format("'{}' is no whole number from 0 on", text);
  };
  app(command_)
      .add_option(flag, into, help)
      ->type_name("N")
      ->check(is_number)
      ->capture_default_str();
}
void Flags::count(const char* flag, int& into, const char* help, int least) {
  app(command_).add_option(flag, into, help)->type_name("N")->check(at_least(least));
}
void Flags::count_or_all(const char* flag, int& into, int all, const char* help) {
  constexpr const char* word = "all";
  const auto read = [&into, all](const std::string& text) {
    if (text == word)
      into = all;
    else
      CLI::detail::lexical_cast(text, into);
  };
  const auto check = [](const std::string& text) {
    return text == word ? std::string() : at_least(0)(text);
  };
  app(command_)
      .add_option_function<std::string>(flag, read, help)
      ->type_name("[N]")
      ->expected(0, 1)
      ->default_str(word)
      ->check(check);
}

int run_program(int argc, char** argv, std::span<const Command* const> commands) {
  Options options;
  int status = all_passed;
  CLI::App app("Every kernel of the 100-days curricula, made real: checked, timed, explained.",
               "warpath");
  app.formatter(std::make_shared<Names>());  // of the commands too
  app.footer(footer);
  app.set_version_flag("--version", std::string("warpath 0.1"));
  Flags flags(&app);
  add_json_flag(flags, options);
  add_commands(app, commands, options, status);

  return guarded(app, [&] {
    if (argc > 1 && !has(commands, argv[1])) run_tool(argc - 1, argv + 1);
    refuse_unknown_command(app, argc, argv);
    app.parse(argc, argv);
    const bool looks = std::getenv("WARPATH_LOOK") != nullptr;
    return app.get_subcommands().empty() && !looks ? tour(options) : status;
  });
}

int run_alone(const Command& command, int argc, char** argv) {
  Options options;
  int status = all_passed;
  CLI::App app(command.summary, std::string("warpath ") + command.name);
  app.formatter(std::make_shared<Names>());
  add_command(app, command, options, status);
  return guarded(app, [&] {
    app.parse(argc, argv);
    return status;
  });
}

}  // namespace warpath::cli
