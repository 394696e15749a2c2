// The few Python literals that NPY headers are made of, read left to right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pappus::formats {

/// Each call takes one thing off the text. Where the text doesn't go on with what the call asks
/// for, it throws a std::string that names what was expected.
class npy_literal {
 public:
  explicit npy_literal(std::string_view text) : rest_(text) {}

  /// Bytes that nothing took yet.
  std::size_t bytes_left() const noexcept { return rest_.size(); }

  /// Skips spaces; if the character follows, takes it and returns true.
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
