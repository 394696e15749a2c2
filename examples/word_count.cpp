// Word count: which words does a text use most?
//
//   word_count FILE...        examples/data/gettysburg.txt, or any text
//
// Shows lines of files, flat_map (a line becomes its words), text as key, and value_counts.
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <pappus/pappus.h>

using namespace pappus;

int main(int argc, char** argv) {
  session s{argc, argv};
  if (argc < 2) return std::cerr << "usage: word_count FILE...\n", 2;

  // SELECT unnest(regexp_extract_all(lower(line), '[a-z]+')) AS word, count(*) FROM lines
  // GROUP BY word ORDER BY count(*) DESC, word LIMIT 5
  s.lines(std::vector<std::string>(argv + 1, argv + argc))
      .flat_map([](std::string_view line) { return str::words(line, str::is_letter); })
      .value_counts([](std::string_view word) { return str::lower<32>(word); })
      .show(5);
}
