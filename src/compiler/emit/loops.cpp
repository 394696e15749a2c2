// Loops: `for (;;)`, `while (condition)`, and `for (int v2 = first; v2 < last; ++v2)` where a phi
// counts; without its condition where the loop doesn't begin by asking whether to leave.
//
// A phi counts if the branch of the loop's first block reads it, if one edge leads back to that
// block, and if what it takes there is itself and a number that doesn't change in the loop. That
// edge's other copies come first in the text, so they read the phi before its step, as they should;
// a `continue` is that edge, so the step follows it.
#include <llvm/ADT/STLExtras.h>

#include "compiler/emit/writer.h"

namespace pappus::compiler {
namespace {

/// "++v2" for v2 + 1, "v2 += 3", "v2 = (int)((uint)v2 + (uint)v1)".
std::string step_text(const std::string& name, const expression& next) {
  const llvm::StringRef text = next.text;
  for (const std::string sign : {"+", "-"}) {
    const auto begin = name + " " + sign + " ";
    if (next.binds != level::sum || !text.starts_with(begin)) continue;
    const auto by = text.drop_front(begin.size());
    if (by == "1") return sign + sign + name;
    if (!by.contains(' ')) return name + " " + sign + "= " + by.str();
  }
  return name + " = " + next.text;
}

}  // namespace

/// In its expression, as it stands in the text.
bool writer::reads_phi(const llvm::Value* value, const llvm::PHINode& phi) const {
  if (value == &phi) return true;
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || !(folding_.is_folded(*instruction) || is_transparent(*instruction)))
    return false;
  return llvm::any_of(instruction->operands(),
                      [&](const llvm::Use& use) { return reads_phi(use, phi); });
}

/// After the loop, or by what phis take on leaving it, which may come after it.
bool writer::is_read_after(const llvm::PHINode& phi, const llvm::Loop& loop) const {
  const auto* header = phi.getParent();
  for (const auto* next : llvm::successors(header)) {
    if (loop.contains(next)) continue;
    for (const auto& other : next->phis())
      if (reads_phi(other.getIncomingValueForBlock(header), phi)) return true;
  }
  return llvm::any_of(folding_.read_in(phi),
                      [&](const llvm::BasicBlock* reader) { return !loop.contains(reader); });
}

/// Whether the value's text may stand in the loop's head: nothing in it changes in the loop.
bool writer::is_steady(const llvm::Value* value, const llvm::Loop& loop) const {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction) return true;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction);
      load && folding_.is_folded(*load)) {
    const auto* from = load->getPointerOperand()->stripInBoundsConstantOffsets();
    return llvm::isa<llvm::Argument>(from) && spaces_.is_unchanging(from);
  }
  return !loop.contains(instruction) && !folding_.is_folded(*instruction) &&
         !is_transparent(*instruction);
}

/// What the phi takes at the end of each turn; none: that isn't a step.
std::optional<expression> writer::next_of(const llvm::PHINode& phi, const llvm::Loop& loop) {
  const auto* type = phi.getType();
  if (!type->isIntegerTy() || type->isIntegerTy(1) || !is_c_width(type->getIntegerBitWidth()))
    return std::nullopt;
  const auto* next =
      llvm::dyn_cast<llvm::BinaryOperator>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
  if (!next || next->getOperand(0) != &phi) return std::nullopt;
  if (next->getOpcode() != llvm::Instruction::Add && next->getOpcode() != llvm::Instruction::Sub)
    return std::nullopt;
  if (!is_steady(next->getOperand(1), loop)) return std::nullopt;
  const auto e = built(*next, 0);
  return with_sign(e, type_of(&phi).is_signed);
}

/// Where `after`, behind the copies from `entry`, is a loop with a counter: notes that.
void writer::count_by_phi(const llvm::BasicBlock& entry, const flow::statement& after) {
  using kind = flow::statement::kind;
  if ((after.what != kind::while_loop && after.what != kind::loop) || flow_.has_label(after.block))
    return;
  const auto* loop = loops_.getLoopFor(after.block);
  const auto* latch = loop->getLoopLatch();
  if (!latch || latch == &entry || loop->getLoopPredecessor() != &entry) return;
  const auto* end = llvm::dyn_cast<llvm::BranchInst>(after.block->getTerminator());
  if (!end || !end->isConditional()) return;
  for (const auto& phi : after.block->phis()) {
    if (!reads_phi(end->getCondition(), phi)) continue;
    const auto next = next_of(phi, *loop);
    if (!next) continue;
    const auto name = name_of_value(&phi, 0);
    counters_[after.block] = {&entry, name, "", step_text(name, *next), is_read_after(phi, *loop)};
    return;
  }
}

/// Takes the counter's copy, if there is one, for write_loop.
void writer::move_to_loop_head(const llvm::BasicBlock& from, const llvm::BasicBlock& to,
                               std::vector<copy>& copies) {
  const auto found = counters_.find(&to);
  if (found == counters_.end()) return;
  auto& counter = found->second;
  const auto own = llvm::find_if(copies, [&](const copy& c) { return c.to == counter.name; });
  if (own == copies.end()) return;
  if (&from == counter.entry) {
    // It would come after them.
    const bool waits = llvm::any_of(copies, [&](const copy& other) {
      return &other != &*own && own->reads.contains(other.to);
    });
    // A variable of the loop's head isn't there after the loop.
    if (waits || (!own->declared.empty() && counter.read_after)) return;
    counter.first = own->declared + own->to + " = " + own->from.text;
  }
  copies.erase(own);
}

void writer::write_loop(const flow::statement& s) {
  std::string test;
  if (s.what == flow::statement::kind::while_loop) {
    const auto* end = llvm::cast<llvm::BranchInst>(s.block->getTerminator());
    current_ = end;
    tell_line(*end);
    test = condition(end->getCondition(), s.negated).text;
  }
  const auto counted = counters_.find(s.block);
  if (counted != counters_.end()) {
    line("for (" + counted->second.first + (test.empty() ? ";; " : "; " + test + "; ") +
         counted->second.step + ") {");
  } else {
    line(test.empty() ? "for (;;) {" : "while (" + test + ") {");
  }
  write_within(s.arms[0]);
  line("}");
}

}  // namespace pappus::compiler
