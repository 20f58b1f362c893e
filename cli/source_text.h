// The text of a CUDA source, read without a compiler.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warpath::cli {

// The whole file; refuses what cannot be read.
std::string read_text(const std::filesystem::path& file);

// How a page or a source is named to a reader: short where it lies in the current folder.
std::string near_path(const std::filesystem::path& path);

// The text with comments, strings and character literals as spaces: what is left is code, at the same
// offsets.
std::string only_code(const std::string& text);

// Where `word` stands in `code` by itself, from an offset on; npos: nowhere.
std::size_t find_word(const std::string& code, std::string_view word, std::size_t from);

bool is_word(char c);  // of an identifier

// Whether the file is a whole program: it defines main.
bool has_main(const std::filesystem::path& file);

// What its #include lines name, in their order.
std::vector<std::string> includes_of(const std::string& text);

}  // namespace warpath::cli
