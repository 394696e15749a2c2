#include "compiler/emit/flow.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>

#include <algorithm>

#include "compiler/emit/folding.h"

namespace pappus::compiler {
namespace {

using block_list = std::vector<const llvm::BasicBlock*>;
using kind = flow::statement::kind;

bool only_returns(const llvm::BasicBlock* block) {
  return llvm::isa<llvm::ReturnInst>(block->getTerminator()) && block->size() == 1;
}

bool never_entered(const llvm::BasicBlock* block) {
  return llvm::isa<llvm::UnreachableInst>(block->getTerminator()) && block->size() == 1;
}

bool leaves_list(const std::vector<flow::statement>& statements) {
  if (statements.empty()) return false;
  switch (statements.back().what) {
    case kind::go_break:
    case kind::go_continue:
    case kind::go_to:
    case kind::leave:
      return true;
    default:
      return false;
  }
}

// Whether one of the statements breaks out of the loop they stand in.
bool breaks(const std::vector<flow::statement>& statements) {
  return llvm::any_of(statements, [](const flow::statement& s) {
    if (s.what == kind::go_break) return true;
    if (s.what == kind::loop || s.what == kind::while_loop) return false;
    return llvm::any_of(s.arms, breaks);
  });
}

void append(std::vector<flow::statement>& to, std::vector<flow::statement>&& from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

}  // namespace

flow::flow(const llvm::Function& code, const llvm::DominatorTree& dominators,
           const llvm::LoopInfo& loops, const folding& folding)
    : dominators_(dominators), loops_(loops), folding_(folding) {
  attach(code, loops);
  move_short_exits();
  place(&code.getEntryBlock(), {}, statements_);
}

// An exit of a loop from which control returns at once: it may stand in the loop.
bool flow::is_short_exit(const llvm::BasicBlock* block) const {
  if (!block->getSinglePredecessor() || !dominators_.getNode(block)->isLeaf()) return false;
  const auto* end = block->getTerminator();
  if (llvm::isa<llvm::ReturnInst, llvm::UnreachableInst>(end)) return true;
  return end->getNumSuccessors() == 1 && only_returns(end->getSuccessor(0));
}

// Where a loop has several exits, those that return at once stand in it; what the others lead to
// follows the loop.
void flow::move_short_exits() {
  for (auto& [header, exits] : after_) {
    for (auto it = exits.begin(); it != exits.end() && exits.size() > 1;) {
      const auto* from = (*it)->getSinglePredecessor();
      if (from == header || !is_short_exit(*it)) {
        ++it;
        continue;
      }
      within_[from].push_back(*it);
      it = exits.erase(it);
    }
  }
}

void flow::attach(const llvm::Function& code, const llvm::LoopInfo& loops) {
  const llvm::ReversePostOrderTraversal<const llvm::Function*> order(&code);
  for (const auto* block : order) {
    const auto* node = dominators_.getNode(block)->getIDom();
    if (!node) continue;
    const auto* parent = node->getBlock();
    if (only_returns(block)) continue;
    // Out of the outermost loop that holds the dominator but not the block.
    const llvm::Loop* left = nullptr;
    for (const auto* loop = loops.getLoopFor(parent); loop && !loop->contains(block);
         loop = loop->getParentLoop()) {
      left = loop;
    }
    if (left) {
      after_[left->getHeader()].push_back(block);
    } else {
      within_[parent].push_back(block);
    }
  }
}

flow::scope flow::inside(scope outer) {
  parents_.push_back(outer);
  same_as_.push_back(static_cast<scope>(same_as_.size()));
  return static_cast<scope>(parents_.size() - 1);
}

flow::scope flow::resolved(scope s) const {
  while (same_as_[s] != s) s = same_as_[s];
  return s;
}

bool flow::is_within(scope inner, scope outer) const {
  outer = resolved(outer);
  for (auto s = resolved(inner);; s = resolved(parents_[s])) {
    if (s == outer) return true;
    if (s == 0) return false;
  }
}

bool flow::encloses(const llvm::BasicBlock* outer, const llvm::BasicBlock* inner) const {
  return is_within(scopes_.lookup(inner), scopes_.lookup(outer));
}

bool flow::copies_enclose(const llvm::BasicBlock* from, const llvm::BasicBlock* to,
                          const llvm::BasicBlock* inner) const {
  return is_within(scopes_.lookup(inner), edges_.lookup({from, to}));
}

bool flow::copies_enclose_others(const llvm::BasicBlock* from, const llvm::BasicBlock* to) const {
  const auto outer = edges_.lookup({from, to});
  return llvm::all_of(llvm::predecessors(to), [&](const llvm::BasicBlock* other) {
    return is_within(edges_.lookup({other, to}), outer);
  });
}

// Entered from one block only, but for the way back to a loop's start: its text stands there.
bool flow::is_inlined(const llvm::BasicBlock* block) const {
  const llvm::BasicBlock* from = nullptr;
  for (const auto* one : llvm::predecessors(block)) {
    if (dominators_.dominates(block, one)) continue;
    if (from && one != from) return false;
    from = one;
  }
  return from != nullptr;
}

void flow::place(const llvm::BasicBlock* block, context at, list& into) {
  const auto* loop = loops_.getLoopFor(block);
  if (!loop || loop->getHeader() != block) {
    place_node(block, at, into);
    return;
  }
  const auto& after = after_[block];
  const auto first_after = after.empty() ? at.next : after.front();
  list body;
  place_node(block, {block, block, first_after, false, inside(at.where)}, body);
  list copies;
  into.push_back(loop_of(block, std::move(body), copies));
  for (const auto& copy : copies) edges_[{copy.block, copy.to}] = at.where;
  append(into, std::move(copies));
  place_all(after, at, into);
}

// A loop that begins by asking whether to leave is a while. What phis take on leaving may come
// after it, if nothing else leaves.
flow::statement flow::loop_of(const llvm::BasicBlock* header, list&& body, list& after) const {
  statement loop{kind::loop, header, nullptr, false, {}, {}};
  const auto asks = [&] {
    if (body.size() < 2 || !is_silent(header) || labels_.contains(header)) return false;
    const auto& first = body[1];
    if (first.what != kind::branch || first.block != header || !first.arms[1].empty()) return false;
    const auto& leaving = first.arms[0];
    if (leaving.empty() || leaving.back().what != kind::go_break) return false;
    if (leaving.size() == 1) return true;
    return leaving.size() == 2 && leaving[0].what == kind::copies &&
           !breaks({body.begin() + 2, body.end()});
  };
  if (asks()) {
    auto& first = body[1];
    loop.what = kind::while_loop;
    loop.negated = !first.negated;
    first.arms[0].pop_back();
    append(after, std::move(first.arms[0]));
    body.erase(body.begin(), body.begin() + 2);
  }
  loop.arms.push_back(std::move(body));
  return loop;
}

// Whether nothing but the condition of its end has a text.
bool flow::is_silent(const llvm::BasicBlock* block) const {
  return llvm::all_of(*block, [&](const llvm::Instruction& i) {
    return llvm::isa<llvm::PHINode>(i) || i.isTerminator() || is_transparent(i) ||
           folding_.is_folded(i);
  });
}

// The blocks one after the other; each may fall into the next.
void flow::place_all(const block_list& blocks, context at, list& into) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    auto inner = at;
    if (i + 1 < blocks.size()) inner.next = blocks[i + 1];
    place(blocks[i], inner, into);
  }
}

void flow::place_node(const llvm::BasicBlock* block, context at, list& into) {
  scopes_[block] = at.where;
  block_list joins;
  for (const auto* inner : within_[block]) {
    if (!is_inlined(inner)) joins.push_back(inner);
  }
  into.push_back({kind::block, block, nullptr, false, {}, {}});
  auto end = at;
  if (!joins.empty()) end.next = joins.front();
  place_end(block, end, into);
  place_all(joins, at, into);
}

void flow::place_end(const llvm::BasicBlock* block, context at, list& into) {
  const auto* end = block->getTerminator();
  if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(end)) {
    if (branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1)) {
      place_branch(block, at, into);
    } else {
      jump(block, branch->getSuccessor(0), at, into);
    }
  } else if (llvm::isa<llvm::SwitchInst>(end)) {
    place_choice(block, at, into);
  } else {
    into.push_back({kind::leave, block, nullptr, false, {}, {}});
  }
}

void flow::place_branch(const llvm::BasicBlock* block, context at, list& into) {
  const auto* end = llvm::cast<llvm::BranchInst>(block->getTerminator());
  statement branch{kind::branch, block, nullptr, false, {}, {}};
  list arms[2];
  scope inner[2];
  for (const unsigned i : {0u, 1u}) {
    auto arm = at;
    arm.where = inner[i] = inside(at.where);
    jump(block, end->getSuccessor(i), arm, arms[i]);
  }
  // What follows an arm that jumps away needs no else.
  unsigned first = 0;
  bool flat = leaves_list(arms[0]);
  if (!flat && leaves_list(arms[1])) {
    first = 1;
    flat = true;
  }
  if (arms[first].empty()) first = 1 - first;
  const unsigned second = 1 - first;
  branch.negated = first == 1;
  branch.arms.push_back(std::move(arms[first]));
  if (flat) {
    same_as_[inner[second]] = at.where;
    branch.arms.emplace_back();
    into.push_back(std::move(branch));
    append(into, std::move(arms[second]));
  } else {
    branch.arms.push_back(std::move(arms[second]));
    into.push_back(std::move(branch));
  }
}

void flow::place_choice(const llvm::BasicBlock* block, context at, list& into) {
  statement choice{kind::choice, block, nullptr, false, {}, {}};
  for (const auto* target : llvm::successors(block)) {
    if (llvm::is_contained(choice.targets, target) || never_entered(target)) continue;
    auto arm = at;
    arm.in_choice = true;
    arm.where = inside(at.where);
    list statements;
    jump(block, target, arm, statements);
    choice.targets.push_back(target);
    choice.arms.push_back(std::move(statements));
  }
  into.push_back(std::move(choice));
}

void flow::jump(const llvm::BasicBlock* from, const llvm::BasicBlock* to, context at, list& into) {
  if (!to->phis().empty()) into.push_back({kind::copies, from, to, false, {}, {}});
  edges_[{from, to}] = at.where;
  if (only_returns(to)) {
    into.push_back({kind::leave, to, nullptr, false, {}, {}});
  } else if (is_inlined(to) && llvm::is_contained(within_[from], to)) {
    place(to, at, into);
  } else if (to == at.next) {
    return;
  } else if (to == at.after_loop && !at.in_choice) {
    into.push_back({kind::go_break, nullptr, nullptr, false, {}, {}});
  } else if (to == at.loop) {
    into.push_back({kind::go_continue, nullptr, nullptr, false, {}, {}});
  } else {
    labels_.insert(to);
    into.push_back({kind::go_to, nullptr, to, false, {}, {}});
  }
}

}  // namespace pappus::compiler
