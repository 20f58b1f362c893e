#pragma once

// Where a debugger stops (simt/debug). Both are called only in a program that `warpath debug`
// started; others pay a load and a branch for each launch and each block.

#include <cstdint>

namespace simt {

struct Block;
struct Grid;

extern const bool has_debugger;

// Value of Grid::debug_block when no block is asked for.
inline constexpr std::uint64_t no_debug_block = ~std::uint64_t{0};

}  // namespace simt

extern "C" {
// A launch was accepted: the debugger may note in grid->debug_block which block it wants.
void simt_debug_grid_began(simt::Grid* grid);
// That block is about to run, on this OS thread.
void simt_debug_block_began(simt::Block* block);
// The grid has a fault, of the CUDA thread that runs here.
void simt_debug_faulted(const char* report);
// SIMT_DEBUG=1, or a program of `warpath cc --check --debug`: starts it again under the debugger.
void simt_open_debugger(int argc, char** argv);
}
