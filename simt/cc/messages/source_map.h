#pragma once

// Maps a line and column that the compiler names in translated text back to the user's file:
// through the translator's edits, and through the preprocessor's macros.

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "translate/source.h"

namespace simt::cc {

struct SourceLocation {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;  // in bytes from 1; 0 when it is not known
};

// The column of the user's line at which stands what is at `column` of the same line after the
// preprocessor. What a macro made has the location of the macro's name.
unsigned column_before_macros(std::string_view user_line, std::string_view line, unsigned column);

class SourceMap {
 public:
  // `preprocessed` and `translated` must outlive it.
  SourceMap(std::string_view preprocessed, std::string_view translated, std::vector<Piece> pieces);

  // The user's location for what the compiler names.
  SourceLocation of(const SourceLocation& compiled) const;
  // The user's location of an offset of the preprocessed text.
  SourceLocation of_offset(std::size_t offset) const;
  // A line of a file, empty if it cannot be read.
  std::string line_of(const std::string& file, unsigned line) const;

 private:
  // Where the lines of `translated` begin that are this line of this file.
  const std::vector<std::size_t>& begins(const std::string& file, unsigned line) const;
  std::size_t before_edits(std::size_t offset) const;

  std::string_view preprocessed_, translated_;
  std::vector<Piece> pieces_;
  std::unordered_map<std::string, std::vector<std::size_t>> begins_;
  mutable std::unordered_map<std::string, std::vector<std::string>> files_;
};

}  // namespace simt::cc
