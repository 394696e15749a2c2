// Where in the source the text comes from: a comment at the head of each block whose line isn't
// that of the text around it.
#include <llvm/Support/Path.h>

#include "compiler/analysis/positions.h"
#include "compiler/analysis/slots.h"
#include "compiler/emit/writer.h"

namespace pappus::compiler {
namespace {

/// "kmeans.cpp:12". The text's reader knows $ and \ otherwise.
std::string line_text(llvm::StringRef path, unsigned line) {
  std::string text;
  for (const char c : llvm::sys::path::filename(path))
    if (c != '$' && c != '\n' && c != '\\') text += c;
  return text + ":" + std::to_string(line);
}

}  // namespace

/// Of what is folded into the statement where it has none itself: the store of a result is Pappus'.
const llvm::DILocation* writer::source_of(const llvm::Instruction& instruction) const {
  if (const auto* at = users_location(instruction)) return at;
  for (const auto& operand : instruction.operands()) {
    const auto* inner = llvm::dyn_cast<llvm::Instruction>(operand);
    if (!inner || !(folding_.is_folded(*inner) || is_transparent(*inner))) continue;
    if (const auto* at = source_of(*inner)) return at;
  }
  return nullptr;
}

void writer::begin_block(const llvm::BasicBlock& block) { head_ = {&block, body_.size(), false}; }

/// The line of a block is that of its first statement that has one.
void writer::tell_line(const llvm::Instruction& written) {
  if (head_.block != written.getParent()) begin_block(*written.getParent());
  const auto* at = head_.told ? nullptr : source_of(written);
  if (!at) return;
  head_.told = true;
  auto line = line_text(at->getFilename(), at->getLine());
  if (line == source_line_) return;
  body_.insert(head_.begin, std::string(2 * depth_, ' ') + "// " + line + "\n");
  source_line_ = std::move(line);
}

/// A lambda's title names the line of what follows.
void writer::begin_line_of_title() {
  const auto place = place_of(kernel_.function);
  if (!place.path.empty()) source_line_ = line_text(place.path, place.line);
}

}  // namespace pappus::compiler
