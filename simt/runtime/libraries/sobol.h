#pragma once

// Direction vectors of Sobol sequences, as cuRAND's host functions give them out and draw from.

namespace simt {

// NVIDIA's cuRAND has 20,000; the numbers of these are in sobol_numbers.inc.
inline constexpr unsigned sobol_dimensions = 2048;

// The vectors of one dimension follow those of the one before; Word is unsigned int or unsigned long
// long. Scrambled: each is multiplied by a random triangular matrix (J. Matousek, 1998), whose bits
// are simt's own: NVIDIA has published neither its matrices nor its constants.
template <class Word>
const Word (*sobol_vectors(bool scrambled))[sizeof(Word) * 8];

// What is added, bit by bit, to each number of a scrambled dimension.
template <class Word>
const Word* sobol_constants();

}  // namespace simt
