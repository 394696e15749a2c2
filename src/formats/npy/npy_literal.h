// The few Python literals that NPY headers are made of, read left to right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pappus::formats {

/// Throws std::string, the thing expected, where the text is not what a call asks for.
class npy_literal {
 public:
  explicit npy_literal(std::string_view text) : rest_(text) {}

  /// Skips spaces and the character if it is next.
  bool take(char wanted);
  void expect(char wanted);

  std::string string();
  std::int64_t integer();
  bool boolean();

  /// "(2, 3)", "(2,)" or "()".
  std::vector<std::int64_t> extents();

 private:
  void skip_spaces();

  std::string_view rest_;
};

}  // namespace pappus::formats
