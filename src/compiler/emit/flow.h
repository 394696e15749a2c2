// Control flow as C has it: loops, ifs and switches, and gotos for the rest.
//
// The dominator tree decides what stands inside of what (Ramsey, "Beyond Relooper", ICFP 2022): a
// block that one edge enters stands in the arm of the branch that leads there; a block where
// branches join stands after the statement that dominates it; what a loop's exits lead to stands
// after the loop. Where control can't get to a block by falling off the end, by break or by
// continue, it goes there by goto; so any graph has a text, and common ones have no gotos.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include <vector>

#include "compiler/emit/folding.h"

namespace pappus::compiler {

class flow {
 public:
  struct statement {
    enum class kind {
      block,       ///< the instructions of `block`; with a label if has_label(block)
      copies,      ///< what phis of `to` take on the edge from `block`
      branch,      ///< on the condition of `block`: arms[0], else arms[1] (may be empty)
      choice,      ///< a switch on the condition of `block`; arms by targets
      loop,        ///< for ever: arms[0]
      while_loop,  ///< while the condition of `block` holds: arms[0]
      go_break,
      go_continue,
      go_to,  ///< `to`
      leave   ///< return
    };
    kind what;
    const llvm::BasicBlock* block = nullptr;
    const llvm::BasicBlock* to = nullptr;
    bool negated = false;  ///< of branch and while_loop
    std::vector<std::vector<statement>> arms = {};
    /// Of choice: the target of each arm.
    std::vector<const llvm::BasicBlock*> targets = {};
  };

  flow(const llvm::Function& code, const llvm::DominatorTree& dominators,
       const llvm::LoopInfo& loops, const folding& folding);

  const std::vector<statement>& statements() const { return statements_; }
  bool has_label(const llvm::BasicBlock* block) const { return labels_.contains(block); }
  bool has_labels() const { return !labels_.empty(); }
  /// Whether what `outer`'s text declares is visible in `inner`'s.
  bool encloses(const llvm::BasicBlock* outer, const llvm::BasicBlock* inner) const;
  /// Whether what the copies on the edge into `to` declare is visible in a block's text, and where
  /// the other edges into `to` copy.
  bool copies_enclose(const llvm::BasicBlock* from, const llvm::BasicBlock* to,
                      const llvm::BasicBlock* inner) const;
  bool copies_enclose_others(const llvm::BasicBlock* from, const llvm::BasicBlock* to) const;

 private:
  using scope = unsigned;
  /// What stands around a statement.
  struct context {
    const llvm::BasicBlock* next = nullptr;        // entered by falling off the end
    const llvm::BasicBlock* loop = nullptr;        // continue enters it
    const llvm::BasicBlock* after_loop = nullptr;  // break enters it
    bool in_choice = false;                        // break leaves the switch
    scope where = 0;
  };
  using list = std::vector<statement>;

  statement loop_of(const llvm::BasicBlock* header, list&& body, list& after) const;
  bool is_silent(const llvm::BasicBlock* block) const;
  void attach(const llvm::Function& code, const llvm::LoopInfo& loops);
  bool is_short_exit(const llvm::BasicBlock* block) const;
  void move_short_exits();
  scope inside(scope outer);
  scope resolved(scope s) const;
  bool is_within(scope inner, scope outer) const;
  bool is_inlined(const llvm::BasicBlock* block) const;
  void place(const llvm::BasicBlock* block, context at, list& into);
  void place_node(const llvm::BasicBlock* block, context at, list& into);
  void place_all(const std::vector<const llvm::BasicBlock*>& blocks, context at, list& into);
  void place_end(const llvm::BasicBlock* block, context at, list& into);
  void place_branch(const llvm::BasicBlock* block, context at, list& into);
  void place_choice(const llvm::BasicBlock* block, context at, list& into);
  void jump(const llvm::BasicBlock* from, const llvm::BasicBlock* to, context at, list& into);

  const llvm::DominatorTree& dominators_;
  const llvm::LoopInfo& loops_;
  const folding& folding_;
  // Dominated blocks, in order: inside, and after where the block is a loop's header.
  llvm::DenseMap<const llvm::BasicBlock*, std::vector<const llvm::BasicBlock*>> within_, after_;
  llvm::DenseSet<const llvm::BasicBlock*> labels_;
  llvm::DenseMap<const llvm::BasicBlock*, scope> scopes_;
  // Of the copies on an edge.
  llvm::DenseMap<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, scope> edges_;
  std::vector<scope> parents_{0};
  std::vector<scope> same_as_{0};
  list statements_;
};

}  // namespace pappus::compiler
