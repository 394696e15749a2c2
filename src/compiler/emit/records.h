// Records by their fields, where the source was compiled with -g: a struct that has each field at
// the byte where the record has it.
//
// What lies between is padding that is spelt out: what C has no number for, bit-fields, unions, and
// fields that a packed record has at odd bytes. These are read and written as bytes, like all of a
// record without names. Fields are numbers that may alias (int_a, ..) in a struct that may alias,
// for accesses by name and as bytes mix. No field is aligned to more than the record is.
//
// Fields' names begin with m_: no macro or word of a language does.
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/emit/expression.h"

namespace pappus::compiler {

struct field {
  std::string path;  ///< "m_at.m_x"
  c_type type;
};

class record {
 public:
  /// \param bytes, align  of the record; null: `type` is no struct of that size with a field
  static std::unique_ptr<record> of(const llvm::DIType* type, std::uint64_t bytes,
                                    std::uint64_t align);

  /// The field of this kind and size at this byte, whatever its sign.
  std::optional<field> at(std::uint64_t offset, c_type type) const;
  std::int64_t bytes() const { return static_cast<std::int64_t>(whole_.bytes); }
  /// "typedef struct .. record_point;", in lines with two blanks before them.
  std::string definition() const;
  const std::string& name() const { return name_; }  ///< "record_point"
  void rename(std::string name) { name_ = std::move(name); }

 private:
  struct member;
  /// A number, a struct, or an array where count isn't 0, of what parts[0] is.
  struct shape {
    std::uint64_t bytes = 0, align = 1, count = 0;
    std::optional<c_type> number;
    std::vector<member> parts;
  };
  struct member {
    std::string name;
    std::uint64_t offset;
    shape what;
  };

  static std::optional<shape> shape_of(const llvm::DIType* type, std::uint64_t align);
  static std::optional<shape> array_of(const llvm::DICompositeType& type, std::uint64_t align);
  static std::optional<shape> struct_of(const llvm::DICompositeType& type, std::uint64_t align);
  static std::optional<field> in(const shape& what, std::uint64_t offset, c_type type);
  static std::string declared(const shape& what, const std::string& name, std::size_t blanks);
  static std::string body(const shape& what, std::size_t blanks);

  shape whole_;
  std::string name_;
};

}  // namespace pappus::compiler
