// The packages that Debian rests on: demo/pagerank.cpp as a program.
#include <iostream>

#include "examples/demo/pagerank.h"
#include "examples/support/program.h"

int main(int argc, char** argv) {
  return demo::run_program(argc, argv, "", [](auto& session, const auto& index, const auto&) {
    demo::run_pagerank(session, index, std::cout);
  });
}
