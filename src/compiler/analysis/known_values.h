// What formulas are made of: the launch's index, and values that are known before the launch.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/analysis/hoist.h"
#include "compiler/analysis/source_names.h"
#include "compiler/kernel_function.h"
#include "regions/expression.h"

namespace pappus::compiler {

struct captured_value {
  std::vector<std::int64_t> path;  ///< {8}: at offset 8 of the captures; {8, 0}: at offset 0 behind
                                   ///< the pointer there
  std::int64_t size;               ///< bytes
  bool is_signed;
};

/// The number of elements of a view's array along a dimension.
struct view_extent {
  unsigned view, dimension;  ///< both from 0
};

/// A value that is known at launch.
struct symbol {
  std::string name;  ///< for people: "w", "in.extent(1)"
  std::variant<captured_value, view_extent> from;
};

class known_values {
 public:
  /// \param constants  hoisted in `code`
  known_values(const kernel_function& function, const source_names& source, llvm::Function& code,
               const std::vector<constant_load>& constants);

  /// An index or a symbol. None: it is neither.
  std::optional<regions::expression> of(const llvm::Value* value) const;
  /// Of a value of fewer than 64 bits.
  std::optional<regions::expression> extended(const llvm::Value* value, bool is_signed) const;

  const std::vector<symbol>& symbols() const { return symbols_; }
  regions::formula_names names() const { return {index_names_, symbol_names_}; }
  const std::vector<std::int64_t>& ranks() const { return ranks_; }  ///< of the views
  const std::string& view(unsigned number) const { return view_names_[number]; }
  unsigned first_view() const { return first_view_; }  ///< its parameter's number
  /// Null: the function doesn't look at it.
  llvm::Value* extent(unsigned view, std::size_t dimension) const;

 private:
  /// The numbers of a value's symbols. They differ where a function extends it in both ways.
  struct numbers {
    std::size_t as_signed, as_unsigned;
  };

  void name_views(const kernel_function& function, const source_names& source);
  void add_captured(const constant_load& c, const source_names& source);
  void add_extent(const constant_load& c);
  void name_indices(const kernel_function& function, const source_names& source,
                    llvm::Function& code);
  std::size_t add(symbol one);

  unsigned first_view_ = 0;
  std::vector<std::int64_t> ranks_;
  std::vector<std::string> view_names_, index_names_, symbol_names_;
  std::vector<symbol> symbols_;
  llvm::DenseMap<const llvm::Value*, std::size_t> indices_;
  llvm::DenseMap<llvm::Value*, numbers> numbers_;
};

}  // namespace pappus::compiler
