// Whether a function touches what its launch says: asked at each access, in units that are compiled
// with PAPPUS_CHECK_ACCESS.
//
// There views have another type, so a program may have units of both kinds. A view asks through a
// pointer that only the loop of a launch sets: of other views, and where the compiler plugin looks
// at a function, it is a constant null, so what the plugin finds doesn't depend on checks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace pappus::detail {

/// What a launch's function touches, as its loop over a box goes on; src/arrays/access_checks.h
/// implements it. For one thread.
class access_checker {
 public:
  /// To be called before the function is, for an index.
  /// \param numbers  of the index, in each of its dimensions
  virtual void begin(const std::int64_t* numbers) = 0;
  /// Throws usage_error where the index at work mustn't touch this element.
  /// \param numbers  of the element, in each of the array's dimensions
  virtual void touch(std::size_t argument, const std::int64_t* numbers) = 0;
  /// To be called when the function has returned. Throws usage_error where it left out elements
  /// that it should have written.
  virtual void end() = 0;

 protected:
  ~access_checker() = default;
};

/// A view without checks has nothing beside its elements.
struct unchecked_access {
  static constexpr bool checks = false;
};

/// What a view with checks has.
class checked_access {
 public:
  static constexpr bool checks = true;
  constexpr checked_access() noexcept = default;
  /// \param checker  null: nothing is checked
  constexpr checked_access(access_checker* checker, std::size_t argument) noexcept
      : checker_(checker), argument_(argument) {}

  template <typename... Numbers>
  void at(Numbers... numbers) const {
    if (checker_ == nullptr) return;
    const std::array<std::int64_t, sizeof...(Numbers)> all{numbers...};
    checker_->touch(argument_, all.data());
  }

 private:
  access_checker* checker_ = nullptr;
  std::size_t argument_ = 0;
};

#ifdef PAPPUS_CHECK_ACCESS
using compiled_access = checked_access;
#else
using compiled_access = unchecked_access;
#endif

}  // namespace pappus::detail
