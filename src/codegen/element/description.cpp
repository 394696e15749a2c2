#include "codegen/element/description.h"

#include "graph/operator_entry.h"

#include <cstring>

#include "graph/node.h"
#include "pappus/detail/fuse/device_type.h"

namespace pappus::codegen {

// What follows each in the key is of a fixed form, so that no two descriptions have the same.
enum class description::what : char {
  begin,
  refuse,
  load,
  counter,
  row_number,
  call,
  compiled_call,
  compute,
  field,
  make,
  probe,
  keep_if,
  yield,
  key,
  domain_key,
  reduce,
  reduce_compiled,
  fold,
  begin_key,
  begin_combine,
  combined,
};

description::description(const graph::node& n, element_writer* to) : to_(to) {
  key_.reserve(1024);
  key_ += static_cast<char>(n.op->uses_elements());
  key_ += static_cast<char>(n.stage.yields);
  if (n.op->uses_elements() == graph::element_use::fold)
    put(static_cast<std::uint64_t>(n.as<detail::fold_params>().reducer.lanes));
  put(n.stage.inputs.size());
  put(n.stage.sides.size());
  put(n.stage.ops.size());
  for (const auto& op : n.stage.ops) put(std::string_view(op.name));
  put(std::string_view(n.name));
}

void description::put(std::uint64_t number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  key_.append(bytes, sizeof bytes);
}

void description::put(std::string_view text) {
  put(text.size());
  key_ += text;
}

void description::put_text(const char* text) {
  put(std::uint64_t{text != nullptr});
  if (text != nullptr) put(std::string_view(text));
}

void description::put(const device_type& type) {
  key_ += static_cast<char>(type.what);
  key_ += static_cast<char>(type.is_signed);
  put(type.size);
  put(type.align);
  put(type.cpp_name);
  put(type.fields.size());
  for (const auto& field : type.fields) {
    put(field.name);
    put(field.offset);
    put(*field.type);
  }
  key_ += static_cast<char>(type.element != nullptr);
  if (type.element != nullptr) put(*type.element);
}

void description::put(const device_code& code) {
  put(std::string_view(code.text));
  put(std::string_view(code.origin));
  put(std::string_view(code.name));
}

void description::put(std::span<const variable> variables) {
  put(variables.size());
  for (const auto v : variables) put(v);
}

void description::put(std::span<const device_type* const> types) {
  put(types.size());
  for (const auto* type : types) put(*type);
}

void description::mention(const detail::device_value& value) {
  put(*value.type);
  const auto* from = static_cast<const std::byte*>(value.data);
  values_.push_back({from, value_bytes_.size(), value.type->size});
  value_bytes_.insert(value_bytes_.end(), from, from + value.type->size);
}

captured_values description::placed(const captured_layout& layout) const {
  captured_values placed;
  placed.bytes.resize(layout.bytes);
  for (const auto& place : layout.places)
    std::memcpy(placed.bytes.data() + place.to, value_bytes_.data() + values_[place.value].at,
                place.bytes);
  for (const auto& r : layout.references)
    placed.references.push_back({values_[r.value].from + r.offset, r.to, r.bytes});
  return placed;
}

using variable = description::variable;

variable description::theirs(variable v) const {
  return v < 0 ? v : theirs_[static_cast<std::size_t>(v)];
}

std::vector<variable> description::theirs(std::span<const variable> variables) const {
  std::vector<variable> names;
  for (const auto v : variables) names.push_back(theirs(v));
  return names;
}

/// What the writer captured since are the values mentioned since, in their order, and then room for
/// what the first of them refers to.
void description::add_places(const counts& before) {
  auto value = before.mentioned;
  for (auto i = before.captured; i < to_->values.size() && value < values_.size(); ++i, ++value)
    layout_.places.push_back({value, to_->values[i].offset, values_[value].bytes});
  for (auto i = before.references; i < to_->references.size(); ++i) {
    const auto& r = to_->references[i];
    layout_.references.push_back({before.mentioned, r.offset, r.to, r.bytes});
  }
}

/// A new variable, the result of a call that `tell` repeats to the writer.
template <typename Tell>
variable description::made(Tell&& tell) {
  if (to_ != nullptr) theirs_.push_back(tell());
  return variables_++;
}

/// The same of a call with values.
template <typename Mention, typename Tell>
variable description::made_with_values(Mention&& mention_all, Tell&& tell) {
  const auto mentioned = values_.size();
  mention_all();
  if (to_ == nullptr) return made(tell);
  const counts before{mentioned, to_->values.size(), to_->references.size()};
  const auto v = made(tell);
  add_places(before);
  return v;
}

void description::begin() {
  put(what::begin);
  if (to_ != nullptr) to_->begin();
}

void description::refuse(std::string_view reason, variable of) {
  put(what::refuse);
  put(reason);
  if (to_ != nullptr) to_->refuse(reason, theirs(of));
}

variable description::load(int input, const device_type& type) {
  put(what::load);
  put(input);
  put(type);
  return made([&] { return to_->load(input, type); });
}

variable description::counter(std::int64_t first, const device_type& type) {
  put(what::counter);
  put(type);
  return made_with_values([&] { mention({&first, &detail::device_type_of<std::int64_t>}); },
                          [&] { return to_->counter(first, type); });
}

variable description::row_number() {
  put(what::row_number);
  return made([&] { return to_->row_number(); });
}

variable description::call(const detail::device_call& call, std::span<const variable> arguments) {
  put(what::call);
  put(*call.code);
  put(call.first_side);
  put(call.sides);
  put(*call.result);
  put(std::uint64_t{call.range});
  put(arguments);
  put(call.values.size());
  return made_with_values(
      [&] {
        for (const auto& value : call.values) mention(value);
      },
      [&] { return to_->call(call, theirs(arguments)); });
}

variable description::call(const detail::compiled_call& call, std::span<const variable> arguments) {
  put(what::compiled_call);
  put_text(call.descriptor);
  if (call.descriptor == nullptr) put_text(call.unit);  // told in the reason
  put_text(call.pick);
  put(call.first_side);
  put(call.sides);
  put(*call.result);
  put(std::uint64_t{call.range});
  put(arguments);
  return made_with_values([&] { mention(call.captures); },
                          [&] { return to_->call(call, theirs(arguments)); });
}

variable description::compute(std::string_view expression, std::span<const variable> arguments,
                              const device_type& result) {
  put(what::compute);
  put(expression);
  put(arguments);
  put(result);
  return made([&] { return to_->compute(expression, theirs(arguments), result); });
}

variable description::field(variable record, std::size_t offset, const device_type& type) {
  put(what::field);
  put(record);
  put(offset);
  put(type);
  return made([&] { return to_->field(theirs(record), offset, type); });
}

variable description::make(const device_type& type, std::span<const variable> fields) {
  put(what::make);
  put(type);
  put(fields);
  return made([&] { return to_->make(type, theirs(fields)); });
}

variable description::probe(int side, detail::join_kind kind, const device_type* row) {
  put(what::probe);
  put(side);
  put(static_cast<std::uint64_t>(kind));
  put(std::uint64_t{row != nullptr});
  if (row != nullptr) put(*row);
  return made([&] { return to_->probe(side, kind, row); });
}

void description::keep_if(variable condition) {
  put(what::keep_if);
  put(condition);
  if (to_ != nullptr) to_->keep_if(theirs(condition));
}

void description::yield(variable record) {
  put(what::yield);
  put(record);
  if (to_ != nullptr) to_->yield(theirs(record));
}

void description::key(variable part, bool descending) {
  put(what::key);
  put(part);
  put(std::uint64_t{descending});
  if (to_ != nullptr) to_->key(theirs(part), descending);
}

void description::domain_key(variable index) {
  put(what::domain_key);
  put(index);
  if (to_ != nullptr) to_->domain_key(theirs(index));
}

void description::reduce(variable value, const device_type& state, std::string_view accumulate,
                         const device_code* code) {
  put(what::reduce);
  put(value);
  put(state);
  put(accumulate);
  put(std::uint64_t{code != nullptr});
  if (code != nullptr) put(*code);
  if (to_ != nullptr) to_->reduce(theirs(value), state, accumulate, code);
}

void description::reduce(variable value, const device_type& state, const char* descriptor) {
  put(what::reduce_compiled);
  put(value);
  put(state);
  put_text(descriptor);
  if (to_ != nullptr) to_->reduce(theirs(value), state, descriptor);
}

void description::fold(variable value, const device_type& state, std::string_view expression) {
  put(what::fold);
  put(value);
  put(state);
  put(expression);
  if (to_ != nullptr) to_->fold(theirs(value), state, expression);
}

variable description::begin_key(const device_type& record) {
  put(what::begin_key);
  put(record);
  return made([&] { return to_->begin_key(record); });
}

variable description::begin_combine(const device_type& a, const device_type& b) {
  put(what::begin_combine);
  put(a);
  put(b);
  const auto first = made([&] { return to_->begin_combine(a, b); });
  made([&] { return theirs(first) + 1; });
  return first;
}

void description::combined(variable value) {
  put(what::combined);
  put(value);
  if (to_ != nullptr) to_->combined(theirs(value));
}

}  // namespace pappus::codegen
