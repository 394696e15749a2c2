#include <llvm/ADT/STLExtras.h>

#include "compiler/emit/leaves.h"
#include "compiler/emit/writer.h"

namespace pappus::compiler {

using kind = flow::statement::kind;

void writer::line(const std::string& text) {
  body_.append(2 * depth_, ' ');
  body_ += text;
  body_ += '\n';
}

/// In braces.
void writer::write_within(const std::vector<flow::statement>& statements) {
  const auto around = source_line_;
  ++depth_;
  write(statements);
  --depth_;
  source_line_ = around;
}

void writer::write(const std::vector<flow::statement>& statements) {
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const auto& s = statements[i];
    switch (s.what) {
      case kind::block:
        write_block(*s.block);
        break;
      case kind::copies:
        if (i + 1 < statements.size()) count_by_phi(*s.block, statements[i + 1]);
        write_copies(*s.block, *s.to);
        break;
      case kind::branch:
        write_branch(s);
        break;
      case kind::choice:
        write_switch(s);
        break;
      case kind::loop:
      case kind::while_loop:
        write_loop(s);
        break;
      case kind::go_break:
        line("break;");
        break;
      case kind::go_continue:
        line("continue;");
        break;
      case kind::go_to:
        line("goto " + label_of(*s.to) + ";");
        break;
      case kind::leave:
        line("return;");
        break;
    }
  }
}

std::string writer::label_of(const llvm::BasicBlock& block) {
  auto& label = labels_[&block];
  if (label == 0) label = ++next_label_;
  return "L" + std::to_string(label);
}

void writer::write_block(const llvm::BasicBlock& block) {
  if (flow_.has_label(&block)) {
    // A label stands before a statement.
    body_ += label_of(block) + ":;\n";
  }
  begin_block(block);
  for (const auto& instruction : block) {
    if (instruction.isTerminator() || llvm::isa<llvm::PHINode, llvm::AllocaInst>(instruction) ||
        is_transparent(instruction) || folding_.is_folded(instruction)) {
      continue;
    }
    current_ = &instruction;
    const auto before = body_.size();
    write_instruction(instruction);
    if (body_.size() != before) tell_line(instruction);
  }
  current_ = block.getTerminator();
}

void writer::write_instruction(const llvm::Instruction& instruction) {
  if (const auto* op = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    store(*op);
  } else if (const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&instruction)) {
    transfer(*copy);
  } else if (const auto* set = llvm::dyn_cast<llvm::MemSetInst>(&instruction)) {
    fill(*set);
  } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    write_call(*call);
  } else if (!spaces_.captured_at(&instruction)) {
    write_value(instruction);
  }
}

void writer::write_call(const llvm::CallBase& call) {
  const auto* callee = call.getCalledFunction();
  if (callee && callee->getName() == "pappus.trap") {
    result_.traps = true;
    line("SET_TRAP(trap);");
    return;
  }
  if (const auto* function = find_maths(call);
      function && function->what == maths_function::shape::to_pointers) {
    write_results(call, *function);
  } else if (call.getType()->isVoidTy()) {
    reject(cause::unknown_call, &call);
  } else {
    write_value(call);
  }
}

// frexp and its like: further results go through pointers.
void writer::write_results(const llvm::CallBase& call, const maths_function& function) {
  auto* type = call.getArgOperand(0)->getType();
  const auto c = floating_type(type->isFloatTy() ? 32 : 64);
  result_.doubles |= c.bits == 64;
  note_maths(function, type);
  const std::string name = function.name;
  const auto place = [&](unsigned i, const std::string& from, c_type t) {
    const auto at = locate(call.getArgOperand(i));
    if (may_follow(at, true)) line(access(at, t) + " = " + from + ";");
  };
  const auto x = value(call.getArgOperand(0)).text;
  if (name == "sincos") {
    place(1, "sin(" + x + ")", c);
    place(2, "cos(" + x + ")", c);
    return;
  }
  const auto second = name == "modf" ? c : integer_type(32, true);
  const auto own = name_of_value(&call, 0);
  declarations_ +=
      "  " + name_of(c) + " " + own + ";\n  " + name_of(second) + " " + own + "_second;\n";
  const auto others = name == "remquo" ? x + ", " + value(call.getArgOperand(1)).text : x;
  line(own + " = " + name + "(" + others + ", &" + own + "_second);");
  place(name == "remquo" ? 2 : 1, own + "_second", second);
}

// Visible wherever it is read, and no goto passes it by.
bool writer::declared_in_place(const llvm::Instruction& value) {
  if (flow_.has_labels()) return false;
  return llvm::all_of(folding_.read_in(value), [&](const llvm::BasicBlock* block) {
    return flow_.encloses(value.getParent(), block);
  });
}

// Whether a leaf is used: parts of aggregates often aren't.
bool writer::is_read(const llvm::Instruction& value, unsigned leaf) {
  if (leaf_count(value.getType()) == 1) return true;
  return llvm::any_of(value.users(), [&](const llvm::User* user) {
    const auto* part = llvm::dyn_cast<llvm::ExtractValueInst>(user);
    if (!part) return true;
    const auto first = first_leaf(value.getType(), part->getIndices(), nullptr);
    return leaf >= first && leaf < first + leaf_count(part->getType());
  });
}

void writer::write_value(const llvm::Instruction& instruction) {
  const bool removable =
      !instruction.mayHaveSideEffects() || (llvm::isa<llvm::CallBase>(instruction) &&
                                            is_pure_call(llvm::cast<llvm::CallBase>(instruction)));
  if (removable && folding_.read_in(instruction).empty()) return;
  const bool in_place = declared_in_place(instruction);
  writing_ = &instruction;
  for (unsigned i = 0; i < leaf_count(instruction.getType()); ++i) {
    if (!is_read(instruction, i) || (in_place && declare_pointer(instruction))) continue;
    const auto type = type_of(&instruction, i);
    auto e = built(instruction, i);
    if (type.what == c_type::kind::integer && e.type.what == c_type::kind::integer &&
        e.type.is_signed != type.is_signed && e.type.bits == type.bits) {
      e = with_sign(e, type.is_signed);
    }
    const auto name = name_of_value(&instruction, i);
    if (in_place) {
      const bool is_pointer = type.what == c_type::kind::pointer;
      const auto declared = declared_type(&instruction, i);
      line((is_pointer ? declared + "const " : "const " + declared) + name + " = " + e.text + ";");
    } else {
      declare(&instruction, i);
      line(name + " = " + e.text + ";");
    }
  }
  writing_ = nullptr;
}

void writer::declare(const llvm::Value* value, unsigned leaf) {
  if (!declared_.insert({value, leaf}).second) return;
  declarations_ += "  " + declared_type(value, leaf) + name_of_value(value, leaf) + ";\n";
}

void writer::write_branch(const flow::statement& s) {
  if (s.arms[0].empty() && s.arms[1].empty()) return;
  current_ = s.block->getTerminator();
  const auto* end = llvm::cast<llvm::BranchInst>(s.block->getTerminator());
  tell_line(*end);
  line("if (" + condition(end->getCondition(), s.negated).text + ") {");
  write_within(s.arms[0]);
  if (!s.arms[1].empty()) {
    line("} else {");
    write_within(s.arms[1]);
  }
  line("}");
}

void writer::write_switch(const flow::statement& s) {
  const auto* end = llvm::cast<llvm::SwitchInst>(s.block->getTerminator());
  current_ = end;
  const auto* test = end->getCondition();
  const auto bits = test->getType()->getIntegerBitWidth();
  if (bits > 64) {
    reject(cause::int128, end);
    return;
  }
  const auto e = value(test);
  tell_line(*end);
  line("switch (" + e.text + ") {");
  for (std::size_t i = 0; i < s.arms.size(); ++i) {
    const auto* target = s.targets[i];
    std::string cases;
    for (const auto& one : end->cases()) {
      if (one.getCaseSuccessor() != target || target == end->getDefaultDest()) continue;
      if (!cases.empty()) cases += " ";
      cases += "case " +
               integer_literal(one.getCaseValue()->getValue(), e.type.is_signed, true).text + ":";
    }
    if (target == end->getDefaultDest()) cases = "default:";
    line("  " + cases + " {");
    ++depth_;
    write_within(s.arms[i]);
    const bool jumps = !s.arms[i].empty() && is_jump(s.arms[i].back().what);
    if (!jumps) line("  break;");
    --depth_;
    line("  }");
  }
  line("}");
}

bool writer::is_jump(kind what) {
  return what == kind::go_break || what == kind::go_continue || what == kind::go_to ||
         what == kind::leave;
}

}  // namespace pappus::compiler
