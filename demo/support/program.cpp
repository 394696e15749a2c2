#include "demo/support/program.h"

#include <exception>
#include <iostream>

namespace demo {

int run_program(int argc, char** argv, const char* usage, const example& run) {
  try {
    pappus::session s(argc, argv);
    std::vector<std::string> files, arguments;
    for (int i = 1; i < argc; ++i) {
      const std::string argument = argv[i];
      const bool index = argument == "--index" && i + 1 < argc;
      if (index) {
        files.emplace_back(argv[++i]);
      } else if (argument.starts_with("--")) {
        const bool help = argument == "--help";
        (help ? std::cout : std::cerr)
            << "usage: " << argv[0] << " [--index FILE]... " << usage << '\n';
        return help ? 0 : 2;
      } else {
        arguments.push_back(argument);
      }
    }
    run(s, read_package_index(files.empty() ? find_index_files() : files), arguments);
    return 0;
  } catch (const std::exception& e) {
    std::cerr << argv[0] << ": " << e.what() << '\n';
    return 1;
  }
}

}  // namespace demo
