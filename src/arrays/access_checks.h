// Whether a launch's function touches what is known of it, and writes all that it is said to write:
// asked at each access, where a program is compiled with checks (detail/base/access_check.h).
//
// What an index may touch is computed when it touches the first element of an argument, from the
// formulas that the launch was planned by: so what is checked is what its order relies on. An
// element counts as written when its view hands it out. What can't be seen is which of two
// arguments' accesses an `updates` view is used for: it may touch all that either names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "arrays/launch.h"
#include "pappus/detail/base/access_check.h"
#include "pappus/error.h"
#include "regions/box.h"

namespace pappus::arrays {

/// What a check throws. It says where the launch and the index are, unlike users' exceptions.
class access_error : public usage_error {
 public:
  using usage_error::usage_error;
};

/// Of one loop over a box of a launch's indices.
class access_checks final : public detail::access_checker {
 public:
  explicit access_checks(const launch& of);

  void begin(const std::int64_t* numbers) override;
  void touch(std::size_t argument, const std::int64_t* numbers) override;
  void end() override;

 private:
  /// What the index at work touches through one access.
  struct place {
    const access* of;
    regions::box elements{};      // as the view numbers them
    bool all_written = false;     // whether each call writes all of them
    std::vector<bool> written{};  // where so
    std::int64_t left = 0;        // of these
  };
  struct touches {
    regions::box all;  // elements of the argument, as the view numbers them
    std::vector<place> places{};
    bool known = false;  // places are those of the index at work
  };

  void find(touches& of) const;
  [[noreturn]] void refuse(std::size_t argument, const std::string& why) const;
  [[noreturn]] void refuse_element(std::size_t argument, const regions::point& element) const;
  [[noreturn]] void refuse_left_out(const place& of) const;

  const launch& launch_;
  regions::box index_;  // at work; one place
  std::vector<touches> arguments_;
};

}  // namespace pappus::arrays
