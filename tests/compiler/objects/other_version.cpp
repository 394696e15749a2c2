// Prints what a slot is told by a plugin of another version than its headers.
#include <cstdio>

#include "compiler/objects/kernel.h"

int main() { std::puts(shared_descriptor()); }
