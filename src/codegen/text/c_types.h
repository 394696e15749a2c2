// The C types of a stage's records: names, definitions, layouts.
//
// A C struct must have the bytes of the C++ type. Numbers become C's numbers of the same size;
// pairs and their like are written member by member, with padding spelt out wherever C would put a
// member earlier; records that the user's text defines are left to it and only their size is
// checked; any other is an array of words. Words are of the record's alignment, at most 8 bytes, so
// whatever is read is aligned.
//
// A type is named when it is first met, before all texts are known, so its name can't depend on
// them.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pappus/detail/base/device.h"

namespace pappus::codegen {

using detail::device_type;

/// Whether the type is C++'s bool, which is a uchar of 0 or 1 in C.
bool is_bool(const device_type& type);

/// Whether the type is an integer (bool included) or a float.
bool is_number(const device_type& type);

struct c_member {
  std::string type, name;
  std::size_t offset = 0, size = 0, align = 1;
};
/// "typedef struct {...} name;" of `size` bytes. \param align  of the struct; at least each
/// member's.
std::string struct_text(std::string_view name, std::span<const c_member> members, std::size_t size,
                        std::size_t align);

/// A C definition that doesn't compile unless the type `name` has exactly `size` bytes.
std::string size_check(std::string_view name, std::size_t size);

class c_types {
 public:
  /// The type's name in C. The type, and those that it points to, must outlive this object.
  std::string name(const device_type& type);
  /// The type's alignment in C, bytes; never more than in C++.
  std::size_t align(const device_type& type) const;
  /// A struct's member of a type that name() was called for before.
  c_member known_member(std::string name, std::size_t offset, const device_type& type) const;
  /// For records of the stage that users' texts mention: their names there, and in generated text.
  std::map<std::string, std::string, std::less<>> names_in(
      const std::vector<std::string_view>& tokens) const;
  /// Whether users' texts define a record of the stage by a macro.
  bool has_macros(const std::vector<std::string_view>& tokens) const;
  bool doubles() const noexcept { return doubles_; }

  struct definitions {
    std::string before;  ///< to stand before users' texts, which may use them
    std::string after;   ///< to stand after them: types made of users' types, and size checks
  };
  /// \param tokens  of all users' texts.
  definitions define(const std::vector<std::string_view>& tokens) const;

 private:
  struct entry {
    const device_type* type = nullptr;
    std::string name;
    std::vector<std::size_t> parts;  // entries it is made of
  };
  std::size_t find(const device_type& type);
  std::size_t add(const device_type& type);
  std::string free_name(std::string wanted, const device_type& type) const;
  std::string definition(const entry& of) const;
  std::string known_name(const device_type& type) const;

  std::vector<entry> entries_;  // parts before what is made of them
  bool doubles_ = false;
};

}  // namespace pappus::codegen
