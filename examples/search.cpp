// A search for Debian packages: demo/search.cpp as a program.
#include <iostream>

#include "examples/demo/search.h"
#include "examples/support/program.h"

int main(int argc, char** argv) {
  return demo::run_program(argc, argv, "[WORD]...",
                           [](auto& session, const auto& index, const auto& words) {
                             demo::run_search(session, index, words, std::cout);
                           });
}
