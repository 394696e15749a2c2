#include "compiler/analysis/validate.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/analysis/callees.h"
#include "compiler/analysis/extract.h"
#include "compiler/analysis/positions.h"
#include "compiler/analysis/reasons.h"

namespace pappus::compiler {
namespace {

class validation {
 public:
  validation(const kernel_function& function, const std::string& otherwise)
      : function_(function), otherwise_(otherwise) {}

  std::vector<reason> run() {
    for (const auto& i : llvm::instructions(*function_.code)) note_written(i);
    for (const auto& i : llvm::instructions(*function_.code)) {
      if (!check_types(i)) continue;
      check_variables(i);
      check_memory(i);
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) check_call(*call);
      if (const auto* array = llvm::dyn_cast<llvm::AllocaInst>(&i))
        if (!array->isStaticAlloca()) add(cause::variable_array, "", i);
      if (llvm::isa<llvm::IndirectBrInst>(i)) add(cause::computed_goto, "", i);
    }
    drop_frees();
    return std::move(reasons_);
  }

 private:
  /// Once a line. Of what the standard library does inside a class that owns memory, all there is
  /// to say is that it owns memory; once more where that is given back would be too much.
  void add(cause why, const std::string& name, const llvm::Instruction& at) {
    const auto place = position_of(at, otherwise_);
    const auto owner = objection_to_owner(place.functions);
    auto r = owner ? reason_for(owner->why, owner->name, place) : reason_for(why, name, place);
    const bool is_end = owner && destroys(place.functions);
    const auto same = [&](const reason& other) {
      return other.what == r.what && (is_end || line_of(other) == line_of(r));
    };
    if (llvm::none_of(reasons_, same)) reasons_.push_back(std::move(r));
  }

  /// What allocates also frees; saying both helps nobody.
  void drop_frees() {
    const auto has = [](const char* id) { return [id](const reason& r) { return r.id == id; }; };
    if (llvm::any_of(reasons_, has("allocates"))) llvm::erase_if(reasons_, has("frees"));
  }

  bool check_type(const llvm::Type* type, const llvm::Instruction& at) {
    const auto* scalar = type->getScalarType();
    const bool is_wide = scalar->isIntegerTy() && scalar->getIntegerBitWidth() > 64;
    const bool is_long = scalar->isX86_FP80Ty() || scalar->isFP128Ty() || scalar->isPPC_FP128Ty();
    if (is_wide) add(cause::int128, "", at);
    if (is_long) add(cause::long_double, "", at);
    return !is_wide && !is_long;
  }

  /// False: there is no point in looking at what is done with such numbers.
  bool check_types(const llvm::Instruction& i) {
    bool possible = check_type(i.getType(), i);
    for (const auto& operand : i.operands()) possible &= check_type(operand->getType(), i);
    return possible;
  }

  void note_written(const llvm::Instruction& i);
  void check_variables(const llvm::Instruction& i);
  void check_variable(const llvm::GlobalVariable& variable, const llvm::Instruction& at);
  void check_memory(const llvm::Instruction& i);
  void check_written(const llvm::Value* pointer, const llvm::Instruction& at);
  void check_call(const llvm::CallBase& call);
  void check_float_environment(const llvm::ConstrainedFPIntrinsic& call);

  const kernel_function& function_;
  const std::string& otherwise_;
  std::vector<reason> reasons_;
  llvm::SmallPtrSet<const llvm::Value*, 4> written_;  // variables
};

/// Null: it writes no memory.
const llvm::Value* written_by(const llvm::Instruction& i) {
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) return store->getPointerOperand();
  if (const auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&i)) return copy->getRawDest();
  return nullptr;
}

void validation::note_written(const llvm::Instruction& i) {
  const auto* pointer = written_by(i);
  if (pointer == nullptr) return;
  llvm::SmallVector<const llvm::Value*> roots;
  llvm::getUnderlyingObjects(pointer, roots, nullptr, 0);
  for (const auto* root : roots) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(root);
    if (call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::threadlocal_address)
      root = call->getArgOperand(0);
    if (llvm::isa<llvm::GlobalVariable>(root)) written_.insert(root);
  }
}

constexpr llvm::StringLiteral guard = "_ZGV";

/// Mentioned anywhere in the constants that an instruction uses.
void validation::check_variables(const llvm::Instruction& i) {
  llvm::SmallVector<const llvm::Constant*> pending;
  llvm::SmallPtrSet<const llvm::Constant*, 8> seen;
  for (const auto& operand : i.operands())
    if (const auto* constant = llvm::dyn_cast<llvm::Constant>(operand)) pending.push_back(constant);
  while (!pending.empty()) {
    const auto* constant = pending.pop_back_val();
    if (!seen.insert(constant).second) continue;
    if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(constant))
      check_variable(*variable, i);
    else if (!llvm::isa<llvm::GlobalValue>(constant))
      for (const auto& part : constant->operands())
        pending.push_back(llvm::cast<llvm::Constant>(part));
  }
}

void validation::check_variable(const llvm::GlobalVariable& variable, const llvm::Instruction& at) {
  if (variable.hasInitializer()) return;
  const auto symbol = variable.getName();
  const auto name = short_name(symbol);
  // A guard's variable is looked at, too; what has no name is the compiler's; and an argument says
  // how operator new fails.
  if (symbol.empty() || symbol.starts_with(guard) || name == "std::nothrow") return;
  const auto* module = variable.getParent();
  const auto guarded = "_ZGV" + symbol.drop_front(std::min<std::size_t>(2, symbol.size())).str();
  if (module->getNamedGlobal(guarded) != nullptr) {
    add(cause::static_local, name, at);
  } else if (written_.contains(&variable)) {
    add(cause::writes_global, name, at);
  } else if (variable.isThreadLocal()) {
    add(cause::thread_local_, name, at);
  } else if (llvm::StringRef(name).starts_with("std::c") &&
             llvm::StringSwitch<bool>(name)
                 .Cases("std::cout", "std::cerr", "std::clog", "std::cin", true)
                 .Default(false)) {
    add(cause::prints, name == "std::cin" ? "std::istream" : "std::ostream", at);
  } else if (variable.isConstant()) {
    if (!symbol.starts_with("_ZT")) add(cause::unseen_value, name, at);
  } else {
    add(cause::mutable_global, name, at);
  }
}

/// Whether an atomic access only asks if a static variable is set up.
bool is_guard(const llvm::Value* pointer) {
  return pointer->stripPointerCasts()->getName().starts_with(guard);
}

void validation::check_memory(const llvm::Instruction& i) {
  const auto* pointer = llvm::getLoadStorePointerOperand(&i);
  if (i.isVolatile()) add(cause::volatile_access, "", i);
  if (i.isAtomic() && (pointer == nullptr || !is_guard(pointer))) add(cause::atomic, "", i);
  if (const auto* written = written_by(i)) check_written(written, i);
}

void validation::check_written(const llvm::Value* pointer, const llvm::Instruction& at) {
  llvm::SmallVector<const llvm::Value*> roots;
  llvm::getUnderlyingObjects(pointer, roots, nullptr, 0);
  for (const auto* root : roots) {
    const auto* loaded = llvm::dyn_cast<llvm::LoadInst>(root);
    if (loaded != nullptr) root = llvm::getUnderlyingObject(loaded->getPointerOperand(), 0);
    const auto* argument = llvm::dyn_cast<llvm::Argument>(root);
    if (argument == nullptr) continue;
    const auto what = function_.parameters[argument->getArgNo()].what;
    if (loaded != nullptr) {
      if (what == role::captures) add(cause::writes_reference, "", at);
    } else if (what == role::captures) {
      add(cause::writes_captures, "", at);
    } else if (what == role::input || what == role::match) {
      add(cause::writes_argument, "", at);
    } else if (what == role::side) {
      add(cause::writes_side, "", at);
    }
  }
}

/// Part of what throwing, catching or a static variable's set-up are made of.
bool is_part_of_another(llvm::StringRef symbol) {
  for (const llvm::StringRef prefix : {"__cxa_guard_", "__cxa_begin_catch", "__cxa_end_catch"})
    if (symbol.starts_with(prefix)) return true;
  for (const llvm::StringRef whole : {"__cxa_throw", "__cxa_rethrow", "__cxa_allocate_exception",
                                      "__cxa_free_exception", "__cxa_atexit"})
    if (symbol == whole) return true;
  return false;
}

/// Once a function, and whatever else there is to say of its floats.
void validation::check_float_environment(const llvm::ConstrainedFPIntrinsic& call) {
  if (llvm::any_of(reasons_, [](const reason& r) { return r.id == "float-environment"; })) return;
  const bool rounds = call.getRoundingMode() == llvm::RoundingMode::Dynamic;
  add(cause::float_environment, rounds ? "-frounding-math" : "-ffp-exception-behavior", call);
}

void validation::check_call(const llvm::CallBase& call) {
  if (llvm::isa<llvm::InvokeInst>(call)) add(cause::catches, "", call);
  const auto* callee = call.getCalledFunction();
  if (callee != nullptr) {
    const auto symbol = callee->getName();
    if (symbol == trap_name || is_part_of_another(symbol)) return;
    if (callee->isIntrinsic()) {
      if (callee->isTargetIntrinsic())
        add(cause::asks_processor, symbol.drop_front(5).str(), call);
      else if (symbol.starts_with("llvm.coro."))
        add(cause::coroutine, "", call);
      else if (callee->getIntrinsicID() == llvm::Intrinsic::ubsantrap)
        add(cause::trapping, "", call);
      else if (const auto* constrained = llvm::dyn_cast<llvm::ConstrainedFPIntrinsic>(&call))
        check_float_environment(*constrained);
      else if (symbol.starts_with("llvm.va_"))
        add(cause::variadic, "", call);
      return;
    }
  }
  const auto found = objection_to(call);
  if (!found) return;
  const bool inside = found->why == cause::setjmp || found->why == cause::computed_goto;
  if (inside && callee != nullptr && !callee->isDeclaration())
    add(found->why, found->name, *obstacle_in(*callee).at);
  else
    add(found->why, found->name, call);
}

}  // namespace

std::vector<reason> validate(const kernel_function& function, const std::string& otherwise) {
  return validation(function, otherwise).run();
}

}  // namespace pappus::compiler
