#pragma once

// An input is of interest when it takes an edge of the translator that none before took.
void start_coverage();
unsigned new_edges();
