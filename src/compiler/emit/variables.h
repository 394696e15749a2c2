// What values are called after: the user's variables, where the source was compiled with -g.
//
// LLVM's passes carry variables along (dbg records), as they do for debuggers: when a variable in
// memory becomes values, each value knows the variable that it is of. Names are for readers. They
// begin with v_, as no name of a device's language, of a prelude or of an operator's text does;
// other values are v0, v1, ...
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>

#include <set>
#include <string>

namespace pappus::compiler {

/// A part of an identifier: "at_x" of ".at.x". Underscores at the ends, and several of them, are
/// the library's.
std::string identifier_of(llvm::StringRef name);

class variables {
 public:
  explicit variables(const llvm::Function& code);

  /// "v_price", "v_trade_at_x" of a part, "v_price_1" where a value is called so already; empty:
  /// the value is of no variable. Names that the text makes of it are free, too: with the number of
  /// one of `leaves`, or a word of writer's behind it.
  std::string name_of(const llvm::Value* value, unsigned leaves);
  /// As name_of, for what isn't a value: "v_captures".
  std::string name(const std::string& wanted, unsigned leaves = 1);

 private:
  llvm::DenseMap<const llvm::Value*, std::string> known_;  // "price"
  std::set<std::string> taken_;
};

}  // namespace pappus::compiler
