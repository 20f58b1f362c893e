// The program: one file a command.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string_view>

#include "cli/options.h"
#include "harness/process.h"

using namespace warpath;
using namespace warpath::cli;

namespace {

constexpr const char* footer = R"(
Start here:
  ./warpath                    a short tour
  ./warpath run softmax        one ladder, checked; timed on a GPU
  ./warpath ops                what there is
Every command has --help with examples.)";

int refuse(const std::string& why) {
  fmt::print(stderr, "warpath: {}\n", why);
  return cannot;
}

}  // namespace

int main(int argc, char** argv) {
  harness::install_signal_handlers();
  Options options;
  int status = all_passed;
  CLI::App app("Every kernel of the 100-days curricula, made real: checked, timed, explained.",
               "warpath");
  app.footer(footer);
  app.set_version_flag("--version", std::string("warpath 0.1"));
  add_json_flag(app, options);
  Registry registry{app, options, status};
  for (const AddCommand add :
       {add_doctor, add_ops, add_run, add_check, add_bench, add_tables, add_cc})
    add(registry);

  try {
    // Before any parsing: --help and -o after `cc` are not ours.
    run_tool(argc - 1, argv + 1);
    app.parse(argc, argv);
    if (app.get_subcommands().empty()) status = tour(options);
  } catch (const CLI::Success& e) {
    return app.exit(e);  // --help, --version
  } catch (const CLI::ParseError& e) {
    return refuse(fmt::format("{}; see --help", std::string_view(e.what())));
  } catch (const Refusal& e) {
    return refuse(e.what());
  } catch (const std::exception& e) {
    return refuse(e.what());
  }
  return status;
}
