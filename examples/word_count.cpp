// Word count: which words does a text use most?
//
//   word_count FILE        examples/data/gettysburg.txt, or any text
//
// Shows flat_map (a line becomes its words), group_by with text as key, and top.
#include <cctype>
#include <fstream>
#include <iostream>
#include <iterator>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include <pappus/pappus.h>

int main(int argc, char** argv) {
  pappus::session s{argc, argv};
  std::ifstream file(argc > 1 ? argv[1] : "");
  if (!file) return std::cerr << "usage: word_count FILE\n", 2;
  std::string text{std::istreambuf_iterator<char>(file), {}};
  for (char& c : text) {
    const int lower = std::tolower(static_cast<unsigned char>(c));
    if (c != '\n') c = std::isalpha(lower) ? static_cast<char>(lower) : ' ';
  }

  std::vector<std::string_view> lines;
  for (auto line : text | std::views::split('\n')) lines.emplace_back(line.begin(), line.end());

  auto words = s.borrow(lines)
                   .flat_map([](std::string_view line) { return line | std::views::split(' '); })
                   .map([](auto word) { return std::string_view(word.begin(), word.end()); })
                   .filter([](std::string_view word) { return !word.empty(); });
  auto by_word = words.group_by([](std::string_view word) { return word; });

  for (const auto& [word, times] : by_word.count().top(5, [](auto g) { return g.value; }).collect())
    std::cout << word << " " << times << "\n";
}
