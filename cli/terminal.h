// Output to the terminal: colour only where it is seen, tables, one line of progress.
#pragma once
#include <string>
#include <vector>

namespace warpath::cli {

enum class Tone { plain, good, bad, dim, strong, note };

// With the escape codes when stdout is a terminal and NO_COLOR is not set.
std::string paint(Tone tone, const std::string& text);

struct Cell {
  Cell(std::string t, Tone c = Tone::plain) : text(std::move(t)), tone(c) {}
  Cell(const char* t, Tone c = Tone::plain) : text(t), tone(c) {}
  std::string text;
  Tone tone;
};

class Table {
 public:
  explicit Table(std::vector<std::string> heads, std::string right = "");
  void add(std::vector<Cell> row);
  void print() const;  // indented, aligned; columns marked 'r' in `right` are right-aligned
 private:
  std::vector<std::string> heads_;
  std::string right_;  // one letter per column: 'r' or 'l'
  std::vector<std::vector<Cell>> rows_;
};

// A bar of `width` characters filled to the fraction, in eighths.
std::string bar(double fraction, int width);

// Overwrites its line on stderr when that is a terminal; says nothing otherwise.
class Progress {
 public:
  ~Progress() { clear(); }
  void show(const std::string& text);
  void clear();

 private:
  bool shown_ = false;
};

}  // namespace warpath::cli
