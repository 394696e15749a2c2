// What conditions of branches tell of a way through a function's blocks.
#pragma once

#include <utility>
#include <vector>

namespace llvm {
class BasicBlock;
class CallBase;
class Value;
}  // namespace llvm

namespace pappus::compiler {

/// Values that are true, or false.
using facts = std::vector<std::pair<llvm::Value*, bool>>;

/// What holds wherever control comes from one block to another, its successor.
facts led_to(const llvm::BasicBlock* to, const llvm::BasicBlock* from);

/// What follows from each of them. A comparison of no bytes finds them equal, whether it was made
/// or not.
facts in_both(const facts& some, const facts& others);

/// The value as a call that compares bytes, bcmp or memcmp; else null.
const llvm::CallBase* compared_bytes(const llvm::Value* value);

}  // namespace pappus::compiler
