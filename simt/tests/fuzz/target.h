#pragma once

#include <string_view>

// Translates the text as warpath-cc would. Must return, whatever the text is.
void try_translate(std::string_view text);
