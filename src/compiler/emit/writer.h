// Writes one function: values as expressions, instructions as statements.
//
// The class's functions stand in several files: values.cpp (what a value is called), integers.cpp,
// floats.cpp, memory.cpp, fields.cpp, calls.cpp, phis.cpp, loops.cpp, lines.cpp (where in the
// source it is), and function.cpp, which puts blocks in the order of flow.h.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/analysis/reasons.h"
#include "compiler/emit/emit.h"
#include "compiler/emit/expression.h"
#include "compiler/emit/flow.h"
#include "compiler/emit/folding.h"
#include "compiler/emit/maths.h"
#include "compiler/emit/records.h"
#include "compiler/emit/references.h"
#include "compiler/emit/spaces.h"
#include "compiler/emit/tables.h"
#include "compiler/emit/variables.h"

namespace pappus::compiler {

class writer {
 public:
  explicit writer(const kernel_function& kernel);
  emitted run(const reference_sizes& references);

 private:
  /// `base + offset`, base being a pointer or, of the host's addresses, a ulong.
  struct location {
    expression base;
    std::int64_t offset = 0;
    space where;
    /// Of a record that pointers_ knows, or of the one at `index` behind it; null: none's.
    const llvm::Value* root = nullptr;
    expression index = {};  // no text: none
  };
  struct record_pointer {
    const record* to = nullptr;
    std::string name;
    bool used = false;
  };
  /// Of a loop.
  struct counter {
    const llvm::BasicBlock* entry = nullptr;  // from where the loop is entered
    std::string name, first, step;  // "v2", "int v2 = 0" (empty: stands before the loop), "++v2"
    bool read_after = false;        // after the loop
  };
  struct copy {
    std::string to, declared;  // declared: the type, where this declares the variable
    expression from;
    std::set<std::string> reads;  // phis' variables in `from`
  };

  // values.cpp
  void name_parameters();
  std::string pointed_at(unsigned parameter, const std::string& variable,
                         const std::string& otherwise);
  c_type type_of(const llvm::Value* value, unsigned leaf = 0);
  int sign_votes(const llvm::Value* value, int depth);
  bool prefers_signed(const llvm::Value* value);
  std::string name_of_value(const llvm::Value* value, unsigned leaf);
  std::string declared_type(const llvm::Value* value, unsigned leaf);
  expression value(const llvm::Value* value, unsigned leaf = 0);
  expression constant(const llvm::Constant* value, unsigned leaf);
  expression transparent(const llvm::Instruction& value, unsigned leaf);
  expression built(const llvm::Instruction& value, unsigned leaf);
  expression selected(const llvm::SelectInst& select, unsigned leaf);
  expression bits_as(const llvm::BitCastInst& bits, unsigned leaf);
  expression element(const llvm::ExtractElementInst& extract);
  expression with_element(const llvm::InsertElementInst& insert, unsigned leaf);
  expression condition(const llvm::Value* value, bool negated = false, unsigned leaf = 0);

  // integers.cpp
  expression integer(const llvm::Value* value, bool is_signed, unsigned leaf = 0,
                     bool bare = false);
  expression with_sign(const expression& e, bool is_signed);
  expression masked(const expression& e, unsigned bits);
  expression arithmetic(const llvm::BinaryOperator& op, unsigned leaf);
  expression logical(const llvm::BinaryOperator& op, unsigned leaf);
  expression comparison(const llvm::ICmpInst& compare, bool negated, unsigned leaf);
  expression converted(const llvm::CastInst& op, unsigned leaf);
  expression widened(const llvm::CastInst& op, unsigned leaf);
  expression narrowed(const llvm::CastInst& op, unsigned leaf);
  expression difference(const llvm::BinaryOperator& op);

  // floats.cpp
  expression float_arithmetic(const llvm::BinaryOperator& op, unsigned leaf);
  expression float_comparison(const llvm::FCmpInst& compare, bool negated, unsigned leaf);
  expression complex_call(const llvm::CallBase& call, const maths_function& function,
                          unsigned leaf);
  expression maths_call(const llvm::CallBase& call, const maths_function& function, unsigned leaf);
  expression extreme(const llvm::CallBase& call, bool least, unsigned leaf);
  expression classified(const llvm::CallBase& call, unsigned leaf);
  expression saturated(const llvm::CallBase& call, bool is_signed, unsigned leaf);
  void note_maths(const maths_function& function, const llvm::Type* type);
  std::string bits_of_float(const expression& e);

  // calls.cpp
  expression called(const llvm::CallBase& call, unsigned leaf);
  expression intrinsic(const llvm::IntrinsicInst& call, unsigned leaf);
  expression bit_count(const llvm::IntrinsicInst& call, unsigned leaf);
  expression integer_extreme(const llvm::IntrinsicInst& call, unsigned leaf);
  expression overflowing(const llvm::WithOverflowInst& op, unsigned leaf);
  expression saturating(const llvm::IntrinsicInst& call, unsigned leaf);
  expression memory_call(const llvm::CallBase& call);
  std::string helper(const std::string& name, const std::string& text);

  // fields.cpp
  void know_records();
  const record& own_name(std::unique_ptr<record> one);
  static std::string pointer_type(const record& to, const space& where);
  std::optional<expression> field_at(const location& at, c_type type);
  static std::string element_number(const location& at, std::int64_t number);
  void add_index(location& at, const llvm::Value* index, expression term, std::int64_t scale);
  bool declare_pointer(const llvm::Instruction& value);
  std::string declared_records() const;

  // memory.cpp
  location locate(const llvm::Value* pointer);
  expression written_pointer(const llvm::Instruction& value);
  expression pointer(const location& at);
  expression pointer(const llvm::Value* value) { return pointer(locate(value)); }
  std::string access(const location& at, c_type type);
  expression loaded(const location& at, llvm::Type* type, bool is_signed, std::uint64_t align);
  void store_leaf(const location& at, llvm::Type* type, const expression& from,
                  std::uint64_t align);
  void store(const llvm::StoreInst& op);
  void transfer(const llvm::MemTransferInst& op);
  void fill(const llvm::MemSetInst& op);
  bool may_follow(const location& at, bool writes);
  void declare_local(const llvm::AllocaInst& local);

  // lines.cpp
  const llvm::DILocation* source_of(const llvm::Instruction& instruction) const;
  void begin_block(const llvm::BasicBlock& block);
  void tell_line(const llvm::Instruction& written);
  void begin_line_of_title();

  // phis.cpp
  bool is_declared_by_copy(const llvm::PHINode& phi, const llvm::BasicBlock& from);
  std::vector<copy> copies_between(const llvm::BasicBlock& from, const llvm::BasicBlock& to);
  std::string first_type(const llvm::BasicBlock& block, const std::string& name);
  void write_copies(const llvm::BasicBlock& from, const llvm::BasicBlock& to);

  // loops.cpp
  bool reads_phi(const llvm::Value* value, const llvm::PHINode& phi) const;
  bool is_read_after(const llvm::PHINode& phi, const llvm::Loop& loop) const;
  bool is_steady(const llvm::Value* value, const llvm::Loop& loop) const;
  std::optional<expression> next_of(const llvm::PHINode& phi, const llvm::Loop& loop);
  void count_by_phi(const llvm::BasicBlock& entry, const flow::statement& after);
  void move_to_loop_head(const llvm::BasicBlock& from, const llvm::BasicBlock& to,
                         std::vector<copy>& copies);
  void write_loop(const flow::statement& s);

  // function.cpp
  std::string signature() const;
  void write_within(const std::vector<flow::statement>& statements);
  void write(const std::vector<flow::statement>& statements);
  void write_block(const llvm::BasicBlock& block);
  void write_instruction(const llvm::Instruction& instruction);
  void write_value(const llvm::Instruction& instruction);
  void write_call(const llvm::CallBase& call);
  void write_results(const llvm::CallBase& call, const maths_function& function);
  static bool is_jump(flow::statement::kind what);
  void write_branch(const flow::statement& s);
  void write_switch(const flow::statement& s);
  static bool is_read(const llvm::Instruction& value, unsigned leaf);
  bool declared_in_place(const llvm::Instruction& value);
  void declare(const llvm::Value* value, unsigned leaf);
  std::string label_of(const llvm::BasicBlock& block);
  void line(const std::string& text);
  void reject(cause why, const llvm::Instruction* at = nullptr);

  const kernel_function& kernel_;
  const llvm::Function& code_;
  const llvm::DataLayout& layout_;
  llvm::DominatorTree dominators_;
  llvm::LoopInfo loops_;
  spaces spaces_;
  folding folding_;
  flow flow_;
  tables tables_;
  variables variables_;
  std::vector<std::unique_ptr<record>> records_;
  llvm::DenseMap<const llvm::Value*, record_pointer> pointers_;

  emitted result_;
  std::set<std::string> maths_;
  std::map<std::string, std::string> helpers_;  // by name
  llvm::DenseMap<const llvm::Value*, std::string> names_;
  llvm::DenseMap<const llvm::Value*, int> signs_;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> labels_;
  std::set<std::pair<const llvm::Value*, unsigned>> declared_;  // at the top
  unsigned next_name_ = 0, next_local_ = 0, next_label_ = 0;
  llvm::DenseMap<const llvm::BasicBlock*, counter> counters_;  // by the loop's first block
  std::set<std::string>* phis_read_ = nullptr;  // collects names while copies are written
  std::string declarations_, body_;
  unsigned depth_ = 1;
  std::string source_line_;  // "kmeans.cpp:12", of the statements that are written
  struct {
    const llvm::BasicBlock* block = nullptr;
    std::size_t begin = 0;                      // of its text
    bool told = false;                          // its line
  } head_;                                      // of the block that is written
  const llvm::Instruction* current_ = nullptr;  // what is written, for positions
  const llvm::Instruction* writing_ = nullptr;  // whose variable is written
};

}  // namespace pappus::compiler
