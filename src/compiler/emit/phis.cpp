// What phis take on the edges between blocks.
#include <llvm/ADT/STLExtras.h>

#include "compiler/emit/leaves.h"
#include "compiler/emit/writer.h"

namespace pappus::compiler {

// The first copy may declare the variable: where all that read and write it see the declaration.
bool writer::is_declared_by_copy(const llvm::PHINode& phi, const llvm::BasicBlock& from) {
  const auto* block = phi.getParent();
  if (flow_.has_labels() || !flow_.copies_enclose_others(&from, block)) return false;
  return llvm::all_of(folding_.read_in(phi), [&](const llvm::BasicBlock* reader) {
    return flow_.copies_enclose(&from, block, reader);
  });
}

std::vector<writer::copy> writer::copies_between(const llvm::BasicBlock& from,
                                                 const llvm::BasicBlock& to) {
  std::vector<copy> all;
  for (const auto& phi : to.phis()) {
    if (phi.use_empty()) continue;
    for (unsigned i = 0; i < leaf_count(phi.getType()); ++i) {
      copy one;
      one.to = name_of_value(&phi, i);
      if (!declared_.contains({&phi, i}) && is_declared_by_copy(phi, from)) {
        declared_.insert({&phi, i});
        one.declared = declared_type(&phi, i);
      }
      declare(&phi, i);
      phis_read_ = &one.reads;
      const auto* incoming = phi.getIncomingValueForBlock(&from);
      const auto type = type_of(&phi, i);
      const bool is_integer =
          type.what == c_type::kind::integer && !leaf_type(phi.getType(), i)->isPointerTy();
      one.from = is_integer ? integer(incoming, type.is_signed, i) : value(incoming, i);
      phis_read_ = nullptr;
      if (one.from.text != one.to || !one.declared.empty()) all.push_back(std::move(one));
    }
  }
  return all;
}

// The type of the phi's variable of this name.
std::string writer::first_type(const llvm::BasicBlock& block, const std::string& name) {
  for (const auto& phi : block.phis()) {
    for (unsigned i = 0; i < leaf_count(phi.getType()); ++i) {
      if (!phi.use_empty() && name_of_value(&phi, i) == name) return declared_type(&phi, i);
    }
  }
  return {};
}

// All phis take their values at once: a variable is written after those that read it, and what
// reads in a circle goes through temporaries.
void writer::write_copies(const llvm::BasicBlock& from, const llvm::BasicBlock& to) {
  auto open = copies_between(from, to);
  move_to_loop_head(from, to, open);
  bool braces = false;
  while (!open.empty()) {
    const auto ready = llvm::find_if(open, [&](const copy& c) {
      return llvm::none_of(
          open, [&](const copy& other) { return &other != &c && other.reads.contains(c.to); });
    });
    if (ready != open.end()) {
      line(ready->declared + ready->to + " = " + ready->from.text + ";");
      open.erase(ready);
      continue;
    }
    if (!braces) {
      line("{");
      ++depth_;
      braces = true;
    }
    auto& first = open.front();
    const auto temporary = first.to + "_next";
    line("const " + first_type(to, first.to) + temporary + " = " + first.from.text + ";");
    first.from = {temporary, level::primary, first.from.type};
    first.reads.clear();
  }
  if (braces) {
    --depth_;
    line("}");
  }
}

}  // namespace pappus::compiler
