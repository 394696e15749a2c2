// A program of every operator compiles without a word under the warnings that users turn on.
//
// flags: -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Werror
#include "every_operator.h"

void all(operands& in) { use_every_operator(in); }
