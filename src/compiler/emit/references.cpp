#include "compiler/emit/references.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "compiler/emit/offsets.h"
#include "compiler/emit/spaces.h"

namespace pappus::compiler {
namespace {

// Which bytes behind a captured pointer are accessed.
struct reach {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();  // empty
  std::int64_t end = std::numeric_limits<std::int64_t>::min();
  bool known = true;

  void add(const reach& other) {
    begin = std::min(begin, other.begin);
    end = std::max(end, other.end);
    known &= other.known;
  }
};

std::uint64_t magnitude(std::int64_t n) {
  return n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
}

// The greatest number of bytes that a step of the index makes, with `scale` bytes for one.
std::uint64_t step_max(const llvm::Value* index, std::uint64_t scale,
                       const llvm::DataLayout& layout) {
  if (llvm::isa<llvm::Constant>(index)) return 0;
  const auto multiple_of = [&] {
    const auto zeros = llvm::computeKnownBits(index, layout).countMinTrailingZeros();
    return llvm::SaturatingMultiply(scale, std::uint64_t{1} << std::min(zeros, 63u));
  };
  const auto* op = llvm::dyn_cast<llvm::Operator>(index);
  if (op == nullptr) return multiple_of();
  switch (op->getOpcode()) {
    case llvm::Instruction::SExt:
    case llvm::Instruction::ZExt:
    case llvm::Instruction::Trunc:
      return step_max(op->getOperand(0), scale, layout);
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::Or:
      return std::max(step_max(op->getOperand(0), scale, layout),
                      step_max(op->getOperand(1), scale, layout));
    case llvm::Instruction::Mul: {
      const auto* number = llvm::dyn_cast<llvm::ConstantInt>(op->getOperand(1));
      if (number == nullptr || number->getBitWidth() > 64) return multiple_of();
      const auto by = magnitude(number->getSExtValue());
      return step_max(op->getOperand(0), llvm::SaturatingMultiply(scale, by), layout);
    }
    default:
      return multiple_of();
  }
}

std::uint64_t step_max(const llvm::GEPOperator& gep, const llvm::DataLayout& layout) {
  llvm::MapVector<llvm::Value*, llvm::APInt> terms;
  llvm::APInt offset(64, 0);
  if (!gep.collectOffset(layout, 64, terms, offset))
    return std::numeric_limits<std::uint64_t>::max();
  auto longest = magnitude(offset.getSExtValue());
  for (const auto& [index, scale] : terms)
    longest = std::max(longest, step_max(index, magnitude(scale.getSExtValue()), layout));
  return longest;
}

// Whether the access lies within an object of `whole` bytes at the pointer's root. Pointers that
// are computed stay within their array (else C++ doesn't say what happens), but that may be one of
// such objects: steps from one of these to the next are as long as an object.
bool stays_within(std::uint64_t whole, const llvm::Use& use, const llvm::DataLayout& layout) {
  if (whole == 0) return false;
  for (const auto* value : origins_of(use.get()))
    if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(value))
      if (step_max(*gep, layout) >= whole) return false;
  const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(use.getUser());
  return copy == nullptr || step_max(copy->getLength(), 1, layout) < whole;
}

// Whether what comes after the first index stays within the object: not so where a last array of
// one element or none stands for more.
bool stays_inside(const llvm::GEPOperator& gep) {
  const auto* first = llvm::dyn_cast<llvm::ConstantInt>(gep.idx_begin()->get());
  if (first == nullptr || !first->isZero()) return false;
  auto* type = gep.getSourceElementType();
  for (const auto& index : llvm::drop_begin(gep.indices())) {
    const auto* array = llvm::dyn_cast<llvm::ArrayType>(type);
    if (array && array->getNumElements() < 2 && !llvm::isa<llvm::ConstantInt>(index)) return false;
    type = llvm::GetElementPtrInst::getTypeAtIndex(type, index.get());
  }
  return true;
}

// Follows a pointer back to the captured one.
class way_back {
 public:
  way_back(const llvm::Value& captured, const llvm::DataLayout& layout)
      : captured_(captured), layout_(layout) {}

  // Of an access to bytes begin to end behind the pointer.
  reach of(const llvm::Value* pointer, std::int64_t begin, std::int64_t end) {
    while (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
      pointer = gep->getPointerOperand();
      llvm::APInt offset(64, 0);
      if (gep->accumulateConstantOffset(layout_, offset)) {
        begin += offset.getSExtValue();
        end += offset.getSExtValue();
        continue;
      }
      const auto object = static_cast<std::int64_t>(
          layout_.getTypeAllocSize(gep->getSourceElementType()).getFixedValue());
      if (!stays_inside(*gep) || std::abs(begin) >= object) return {0, 0, false};
      begin = 0;
      end = object;
    }
    if (pointer == &captured_) return {begin, end};
    reach all;
    if (llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::FreezeInst>(pointer)) {
      const auto [found, is_new] = seen_.try_emplace(pointer, begin);
      if (!is_new) return {0, 0, found->second == begin};
      const auto* way = llvm::cast<llvm::Instruction>(pointer);
      for (const auto& from : way->operands())
        if (from->getType()->isPointerTy()) all.add(of(from.get(), begin, end));
      return all;
    }
    all.known = !llvm::isa<llvm::CallBase>(pointer);
    return all;
  }

 private:
  const llvm::Value& captured_;
  const llvm::DataLayout& layout_;
  std::map<const llvm::Value*, std::int64_t> seen_;
};

reach reach_of(const llvm::Value& captured, const llvm::Use& use, std::int64_t size,
               const llvm::DataLayout& layout) {
  return way_back(captured, layout).of(use.get(), 0, size);
}

// What a part of an object that a type tells of ends at, and what it is an offset from.
struct part {
  const llvm::Value* root;
  std::int64_t end;
};

std::optional<part> part_at(const llvm::Value* pointer, std::int64_t size,
                            const llvm::DataLayout& layout) {
  std::int64_t end = size;
  while (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
    pointer = gep->getPointerOperand();
    llvm::APInt offset(64, 0);
    if (gep->accumulateConstantOffset(layout, offset)) {
      end += offset.getSExtValue();
      continue;
    }
    if (!stays_inside(*gep)) return std::nullopt;
    end = static_cast<std::int64_t>(
        layout.getTypeAllocSize(gep->getSourceElementType()).getFixedValue());
  }
  return part{pointer, end};
}

// Whether no captured pointer is behind it: there is nothing to learn.
bool is_of_known_size(const llvm::Value* pointer) {
  return llvm::all_of(roots_of(pointer), [](const llvm::Value* root) {
    return llvm::isa<llvm::AllocaInst, llvm::Argument, llvm::Constant>(root);
  });
}

// What a use reads, in bytes.
std::optional<std::int64_t> bytes_read(const llvm::Use& use, const llvm::DataLayout& layout) {
  const auto* user = use.getUser();
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
    return static_cast<std::int64_t>(layout.getTypeStoreSize(load->getType()));
  }
  const llvm::Value* length = nullptr;
  if (const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(user)) {
    length = copy->getLength();
  } else if (llvm::isa<llvm::ICmpInst, llvm::PtrToIntInst, llvm::StoreInst, llvm::IntrinsicInst>(
                 user)) {
    return 0;
  } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(user)) {
    const auto* callee = call->getCalledFunction();
    if (callee && llvm::is_contained({"memcmp", "bcmp", "memchr"}, callee->getName()))
      length = call->getArgOperand(2);
  }
  const auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(length);
  if (!number) return std::nullopt;
  return number->getSExtValue();
}

}  // namespace

void take_sizes(kernel_function& kernel) {
  const bool captures =
      !kernel.parameters.empty() && kernel.parameters.front().what == role::captures;
  const auto& layout = kernel.code->getParent()->getDataLayout();
  for (auto& instruction : llvm::make_early_inc_range(llvm::instructions(*kernel.code))) {
    auto* assumption = llvm::dyn_cast<llvm::AssumeInst>(&instruction);
    if (!assumption ||
        !llvm::PatternMatch::match(assumption->getArgOperand(0), llvm::PatternMatch::m_One()))
      continue;
    bool taken = true;
    for (unsigned i = 0; i < assumption->getNumOperandBundles(); ++i) {
      const auto bundle = assumption->getOperandBundleAt(i);
      const auto* size = bundle.getTagName() == "dereferenceable" && bundle.Inputs.size() == 2
                             ? llvm::dyn_cast<llvm::ConstantInt>(bundle.Inputs[1])
                             : nullptr;
      if (!size) continue;
      // Of a part of the object, maybe, at an offset.
      const auto found = part_at(bundle.Inputs[0], size->getSExtValue(), layout);
      const auto offset =
          found && captures ? captured_offset(found->root, *kernel.code) : std::nullopt;
      if (offset) {
        auto& known = kernel.captured_sizes[*offset];
        known = std::max(known, found->end);
      } else {
        taken &= is_of_known_size(bundle.Inputs[0]);
      }
    }
    if (taken) assumption->eraseFromParent();
  }
}

// A read so far behind the pointer, of which a type says nothing, isn't taken for a promise that
// there is so much: where a condition decides, it may be about the size.
bool is_guarded_and_far(const reach& at, std::int64_t whole, const llvm::Instruction& user) {
  constexpr std::int64_t far = 1 << 16;
  return at.end > std::max(whole, far) && user.getParent() != &user.getFunction()->getEntryBlock();
}

reference_sizes captured_references(const kernel_function& kernel) {
  const spaces where(kernel);
  offsets loops(*kernel.code);
  const auto& layout = kernel.code->getParent()->getDataLayout();
  reference_sizes sizes;
  std::map<std::int64_t, reference> found;
  const auto& noted = kernel.captured_sizes;
  for (const auto* load : where.captured()) {
    const auto offset = *where.captured_at(load);
    auto& one = found.try_emplace(offset, reference{offset, 0, 1}).first->second;
    const auto object = noted.find(offset);
    const auto whole = object == noted.end() ? 0 : object->second;
    one.size = std::max(one.size, whole);
    for_uses_of_memory(load, [&](const llvm::Use& use) {
      const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      const auto bytes = bytes_read(use, layout);
      if (bytes == 0) return;
      auto at = bytes ? reach_of(*load, use, *bytes, layout) : reach{0, 0, false};
      if (bytes && !at.known) {
        if (const auto moved = loops.of(use.get(), load, *user))
          at = {moved->low, moved->high + *bytes};
      }
      const bool loops_there = bytes && !reach_of(*load, use, *bytes, layout).known;
      const bool promised = loops_there || !is_guarded_and_far(at, whole, *user);
      const bool known = at.known ? at.begin >= 0 && promised
                                  : stays_within(static_cast<std::uint64_t>(whole), use, layout);
      if (!known) sizes.unknown.push_back(user);
      if (known && at.known) one.size = std::max(one.size, at.end);
      if (const auto* access = llvm::dyn_cast<llvm::LoadInst>(user)) {
        one.align = std::max(one.align, static_cast<std::int32_t>(access->getAlign().value()));
      }
    });
  }
  for (const auto& [offset, one] : found) sizes.known.push_back(one);
  return sizes;
}

}  // namespace pappus::compiler
