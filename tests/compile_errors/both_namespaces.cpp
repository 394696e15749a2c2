// Names of Pappus and of the standard library stand beside each other.
//
// flags: -Wall -Wextra -DUSE_BOTH_NAMESPACES
#include "every_operator.h"

void all(operands& in) { use_every_operator(in); }
