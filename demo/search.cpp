// A search for Debian packages: queries/search.cpp as a program.
#include <iostream>

#include "demo/queries/search.h"
#include "demo/support/program.h"

int main(int argc, char** argv) {
  return demo::run_program(argc, argv, "[WORD]...",
                           [](auto& session, const auto& index, const auto& words) {
                             demo::run_search(session, index, words, std::cout);
                           });
}
