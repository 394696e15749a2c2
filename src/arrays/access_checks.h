// Whether a launch's function touches what is known of it, writes all that it is said to write, and
// leaves alone what other indices write: asked at each access, where a program is compiled with
// checks (detail/base/access_check.h).
//
// What an index may touch is computed when it touches the first element of an argument, from the
// formulas that the launch was planned by: so what is checked is what its order relies on. An
// element counts as written when its view hands it out. Which of its accesses an `updates` view is
// used for can't be seen, so it may touch all that they name. Where nothing is known of a launch,
// indices are held against each other (element_users.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "arrays/element_users.h"
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
  /// \param users  of the launch; null: they aren't noted
  access_checks(const launch& of, element_users* users);

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
  /// An element that was handed out to be read or written, as it was then.
  struct handed_out {
    std::size_t number;
    const std::byte* at;
    std::vector<std::byte> was;
  };
  struct touches {
    regions::box all;  // elements of the argument, as the view numbers them
    std::vector<place> places{};
    bool known = false;  // places are those of the index at work
    bool noted = false;  // who uses its elements
    detail::view_place where{};
    std::vector<handed_out> log{};  // of the index at work, where elements are updated
  };

  void find(touches& of) const;
  void note(std::size_t argument, const regions::point& element);
  void note_written(std::size_t argument);
  [[noreturn]] void refuse(std::size_t argument, const std::string& why) const;
  [[noreturn]] void refuse_element(std::size_t argument, const regions::point& element) const;
  [[noreturn]] void refuse_left_out(const place& of) const;
  [[noreturn]] void refuse_meeting(std::size_t argument, std::size_t element, std::int64_t other,
                                   bool written) const;

  const launch& launch_;
  element_users* const users_;
  regions::box index_;       // at work; one place
  std::int64_t number_ = 0;  // its, where users are noted
  std::vector<touches> arguments_;
};

}  // namespace pappus::arrays
