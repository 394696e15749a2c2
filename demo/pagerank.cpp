// The packages that Debian rests on: queries/pagerank.cpp as a program.
#include <iostream>

#include "demo/queries/pagerank.h"
#include "demo/support/program.h"

int main(int argc, char** argv) {
  return demo::run_program(argc, argv, "", [](auto& session, const auto& index, const auto&) {
    demo::run_pagerank(session, index, std::cout);
  });
}
