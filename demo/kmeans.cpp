// The kinds of package Debian is made of: queries/kmeans.cpp as a program.
#include <iostream>

#include "demo/queries/kmeans.h"
#include "demo/support/program.h"

int main(int argc, char** argv) {
  return demo::run_program(
      argc, argv, "[SVG]", [](auto& session, const auto& index, const auto& arguments) {
        const std::string svg = arguments.empty() ? "kmeans.svg" : arguments.front();
        demo::run_kmeans(session, index, svg, std::cout);
      });
}
