// The plugin's entry: at the start of clang's pipeline, at every level of optimisation, it compiles
// the functions in a module's slots for devices.
//
//   slots -> extract -> clean -> validate and emit -> embed, report
//
// Later in the pipeline loops would be unrolled and the text depend on the options. A module
// without slots costs a look at the names of its functions. What the CPU's own loops need (loops/)
// is done here, too, where it leaves the text as it is, where LLVM is about to unroll and to
// vectorise loops, and at the end.
#include <llvm-c/Core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "compiler/analysis/clean.h"
#include "compiler/analysis/extract.h"
#include "compiler/analysis/footprint.h"
#include "compiler/analysis/slots.h"
#include "compiler/analysis/validate.h"
#include "compiler/embed/descriptor.h"
#include "compiler/embed/embed.h"
#include "compiler/embed/remarks.h"
#include "compiler/emit/copyable.h"
#include "compiler/emit/emit.h"
#include "compiler/emit/references.h"
#include "compiler/emit/sizes.h"
#include "compiler/loops/fast_floats.h"
#include "compiler/loops/gathering.h"
#include "compiler/loops/inlining.h"
#include "compiler/loops/interleaving.h"
#include "compiler/loops/prefetching.h"
#include "compiler/loops/split_records.h"
#include "compiler/loops/splitting.h"
#include "compiler/loops/streaming.h"
#include "compiler/loops/unrolling.h"
#include "compiler/loops/vector_maths.h"

// Compilers before 16 lack it.
#pragma weak LLVMGetVersion

namespace pappus::compiler {
namespace {

/// What emission says of a pointer matters beside the analysis' reasons; not so where the memory
/// shouldn't be there at all, and not what the analysis has said in better words.
bool adds(const reason& r, const std::vector<reason>& known) {
  for (const llvm::StringRef covered :
       {"int128", "long-double", "mutable-global", "unknown-call", "unknown-code", "writes-shared"})
    if (r.id == covered) return false;
  // The object's pointer to its virtual functions.
  const bool of_class = r.id == "keeps-address" || r.id == "table-pointers";
  const auto stands = [&](const reason& k) {
    if ((k.id == "virtual-call" && of_class) || (k.id == "looks-up" && r.id == k.id)) return true;
    const bool of_thread = k.id == "thread-local" || k.id == "writes-global";
    if (of_thread && r.id == "host-pointer") return true;
    return k.id == "allocates" || k.id == "coroutine" || k.id == "ubsan" || k.where == r.where;
  };
  return llvm::none_of(known, stands);
}

/// What is only said of pointers because a function follows those of what it mustn't use at all.
void drop_what_follows(std::vector<reason>& reasons) {
  const auto is_one_of = [](const reason& r, llvm::ArrayRef<llvm::StringRef> ids) {
    return llvm::is_contained(ids, llvm::StringRef(r.id));
  };
  const llvm::StringRef whole[] = {"looks-up", "std-any", "run-time-type", "locks"};
  const llvm::StringRef follows[] = {"host-pointer",   "mixed-memory",   "keeps-address",
                                     "unknown-code",   "table-pointers", "address-as-number",
                                     "reference-size", "virtual-call"};
  if (llvm::any_of(reasons, [&](const reason& r) { return is_one_of(r, whole); }))
    llvm::erase_if(reasons, [&](const reason& r) { return is_one_of(r, follows); });
}

emitted merge(std::vector<reason> reasons, emitted code, const std::string& place) {
  for (auto& r : code.reasons)
    if (r.where.empty()) r.where = place;
  drop_what_follows(code.reasons);
  if (reasons.empty()) return code;
  const auto known = reasons;
  for (auto& r : code.reasons)
    if (adds(r, known)) reasons.push_back(std::move(r));
  drop_what_follows(reasons);
  emitted result;
  result.reasons = std::move(reasons);
  return result;
}

/// For tests: PAPPUS_COMPILER_PRINT=ir, text, footprint or descriptor.
void print(const kernel_function& function, const emitted& code,
           const std::optional<footprint>& touched, const std::string& descriptor) {
  const char* chosen = std::getenv("PAPPUS_COMPILER_PRINT");
  if (chosen == nullptr) return;
  const llvm::StringRef what = chosen;
  if (what == "ir") function.code->print(llvm::errs());
  if (what == "footprint" && touched) llvm::errs() << touched->text() << "\n";
  if (what == "text" && code.reasons.empty()) llvm::errs() << code.text << "\n";
  if (what == "text" && !code.reasons.empty())
    llvm::errs() << explanation(code.reasons, function.function) << "\n\n";
  if (what == "descriptor") llvm::errs() << descriptor << "\n";
}

/// Of a thunk's parameters only records that have no match are null, and what is written is nothing
/// that is read.
void mark_pointers(const kernel_function& kernel) {
  for (unsigned i = 0; i < kernel.parameters.size(); ++i) {
    if (!kernel.code->getArg(i)->getType()->isPointerTy()) continue;
    const auto what = kernel.parameters[i].what;
    if (what != role::match && what != role::side)
      kernel.code->addParamAttr(i, llvm::Attribute::NonNull);
    if (what == role::output || what == role::state)
      kernel.code->addParamAttr(i, llvm::Attribute::NoAlias);
  }
}

/// What the start of the pipeline tells its later parts of the module.
struct module_facts {
  std::optional<unsigned> fast_floats;  ///< fast_floats_in()
};

class device_compilation : public llvm::PassInfoMixin<device_compilation> {
 public:
  device_compilation(std::shared_ptr<module_facts> facts, bool optimises)
      : facts_(std::move(facts)), optimises_(optimises) {}

  // Called for functions marked optnone, too: at -O0 that is all of them.
  static bool isRequired() { return true; }

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    if (optimises_) inline_into_loops(module);
    const auto [slots, foreign] = find_slots(module);
    *facts_ = {fast_floats_in(module)};
    if (slots.empty() && foreign.empty()) return llvm::PreservedAnalyses::none();
    std::vector<described_slot> described;
    for (const auto& other : foreign)
      described.push_back({other.variable, descriptor_of_version()});
    if (!foreign.empty()) warn_of_version(module, foreign.front().version);
    if (!slots.empty()) compile(module, slots, described);
    embed(module, described);
    return llvm::PreservedAnalyses::none();
  }

 private:
  void compile(llvm::Module& module, const std::vector<slot>& slots,
               std::vector<described_slot>& described) const {
    auto code = extract(module, slots);
    if (facts_->fast_floats) allow_fast_floats(slots);
    cleaner clean(code);
    note_sizes(*code.module);
    std::vector<kernel_function> functions;
    std::vector<source_names> names;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const auto& s = slots[i];
      functions.push_back({code.thunks[i], s.parameters, name_of(s.function), s.function,
                           facts_->fast_floats && may_have_fast_floats(s)});
      functions[i].records = records_of(s);
      names.push_back(names_of(s, code.copied));
      functions[i].names = names[i].of_thunk(s);
      mark_pointers(functions[i]);
    }
    clean.inline_all([&](std::size_t i) { take_sizes(functions[i]); });
    std::vector<std::optional<footprint>> footprints;
    for (std::size_t i = 0; i < slots.size(); ++i)
      footprints.push_back(footprint_of(functions[i], names[i]));
    clean.inline_accesses();
    std::vector<std::vector<reason>> reasons;
    for (const auto& f : functions) reasons.push_back(validate(f, place_of(f.function).text()));
    clean.finish();
    reporter remarks(module, code.copied);
    analyses for_work;
    std::vector<call_work> works;
    for (const auto& f : functions) works.push_back(work_of(f, for_work));
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const auto place = place_of(slots[i].function).text();
      if (footprints[i] && reasons[i].empty())
        footprints[i]->references = copyable_references(functions[i]);
      // There is no device code yet for functions of views.
      const auto code_of = footprints[i] ? emitted() : emit(functions[i]);
      const auto compiled = merge(std::move(reasons[i]), code_of, place);
      described.push_back({slots[i].variable,
                           descriptor_of(functions[i], compiled, footprints[i], works[i], place)});
      print(functions[i], compiled, footprints[i], described.back().descriptor);
      if (footprints[i]) remarks.report_footprint(slots[i], functions[i], footprints[i]->text());
      if (!footprints[i] || !compiled.reasons.empty())
        remarks.report(slots[i], functions[i], compiled);
    }
  }

  std::shared_ptr<module_facts> facts_;
  bool optimises_;
};

/// When functions are inlined.
class launches_before_loops : public llvm::PassInfoMixin<launches_before_loops> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    let_launches_gather(module, analyses);
    return llvm::PreservedAnalyses::all();
  }
};

/// Before LLVM vectorises loops.
class host_loops : public llvm::PassInfoMixin<host_loops> {
 public:
  explicit host_loops(std::shared_ptr<const module_facts> facts) : facts_(std::move(facts)) {}

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    const bool split = split_at_guards(function, analyses);
    ask_to_interleave(function, analyses);
    split_records(function, analyses);
    if (facts_->fast_floats) offer_vector_maths(function, analyses, *facts_->fast_floats);
    llvm::PreservedAnalyses kept;
    if (split) return kept;
    kept.preserveSet<llvm::CFGAnalyses>();
    return kept;
  }

 private:
  std::shared_ptr<const module_facts> facts_;
};

/// Before LLVM unrolls loops.
class launched_loops : public llvm::PassInfoMixin<launched_loops> {
 public:
  llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager&,
                              llvm::LoopStandardAnalysisResults& analyses, llvm::LPMUpdater&) {
    ask_to_unroll(loop, analyses.LI, analyses.SE);
    return llvm::PreservedAnalyses::all();
  }
};

/// After LLVM has vectorised loops.
class launched_vectors : public llvm::PassInfoMixin<launched_vectors> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    prefetch_streams(function, analyses);
    llvm::PreservedAnalyses kept;
    if (stream_stores(function, analyses)) return kept;
    kept.preserveSet<llvm::CFGAnalyses>();
    return kept;
  }
};

/// LLVM's interfaces change with every major version.
void refuse_other_compilers() {
  unsigned major = 0;
  if (LLVMGetVersion != nullptr) LLVMGetVersion(&major, nullptr, nullptr);
  if (major == LLVM_VERSION_MAJOR) return;
  std::fprintf(stderr,
               "error: libpappus-compiler.so was built for clang %d, this is %s%s; use clang++-%d, "
               "or compile without the plugin (functions then run on the CPU)\n",
               LLVM_VERSION_MAJOR, major == 0 ? "an older one" : "clang ",
               major == 0 ? "" : std::to_string(major).c_str(), LLVM_VERSION_MAJOR);
  std::exit(1);
}

}  // namespace
}  // namespace pappus::compiler

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  pappus::compiler::refuse_other_compilers();
  return {LLVM_PLUGIN_API_VERSION, "pappus", LLVM_VERSION_STRING, [](llvm::PassBuilder& builder) {
            const auto facts = std::make_shared<pappus::compiler::module_facts>();
            builder.registerPipelineStartEPCallback(
                [facts](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
                  passes.addPass(pappus::compiler::device_compilation(
                      facts, level != llvm::OptimizationLevel::O0));
                });
            builder.registerOptimizerEarlyEPCallback(
                [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
                  passes.addPass(pappus::compiler::launches_before_loops());
                });
            builder.registerLateLoopOptimizationsEPCallback(
                [](llvm::LoopPassManager& passes, llvm::OptimizationLevel) {
                  passes.addPass(pappus::compiler::launched_loops());
                });
            builder.registerVectorizerStartEPCallback(
                [facts](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) {
                  passes.addPass(pappus::compiler::host_loops(facts));
                });
            builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes,
                                                       llvm::OptimizationLevel) {
              passes.addPass(
                  llvm::createModuleToFunctionPassAdaptor(pappus::compiler::launched_vectors()));
            });
          }};
}
