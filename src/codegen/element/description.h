// A stage's description of its element function as bytes, the key of element_cache.h.
//
// Two stages with equal keys have the same text. So the key holds all that the text is made of: the
// operators, the calls in order, the whole content of types, users' texts and descriptors; their
// addresses wouldn't do, because texts may be temporary and libraries are unloaded. Captured values
// are no part of it, only their types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "codegen/element/captured.h"
#include "codegen/element/element_writer.h"

namespace pappus::codegen {

class description final : public detail::device_writer {
 public:
  /// \param to  gets the same calls; may be null.
  explicit description(const graph::node& n, element_writer* to = nullptr);

  const std::string& key() const noexcept { return key_; }
  /// Where in values_t `to` put the values that were mentioned.
  const captured_layout& layout() const noexcept { return layout_; }
  /// The mentioned values, laid out as `layout` says, which is an equal description's.
  captured_values placed(const captured_layout& layout) const;

  void begin() override;
  void refuse(std::string_view reason, variable of = no_variable) override;
  variable load(int input, const device_type& type) override;
  variable counter(std::int64_t first, const device_type& type) override;
  variable row_number() override;
  variable call(const detail::device_call& what, std::span<const variable> arguments) override;
  variable call(const detail::compiled_call& what, std::span<const variable> arguments) override;
  variable compute(std::string_view expression, std::span<const variable> arguments,
                   const device_type& result) override;
  variable field(variable record, std::size_t offset, const device_type& type) override;
  variable make(const device_type& type, std::span<const variable> fields) override;
  variable probe(int side, detail::join_kind kind, const device_type* row) override;
  void keep_if(variable condition) override;
  void yield(variable record) override;
  void key(variable part, bool descending) override;
  void domain_key(variable index) override;
  void reduce(variable value, const device_type& state, std::string_view accumulate,
              const device_code* code) override;
  void reduce(variable value, const device_type& state, const char* descriptor) override;
  void fold(variable value, const device_type& state, std::string_view expression) override;
  variable begin_key(const device_type& record) override;
  variable begin_combine(const device_type& a, const device_type& b) override;
  void combined(variable value) override;

 private:
  enum class what : char;
  void put(what told) { key_ += static_cast<char>(told); }
  void put(std::uint64_t number);
  void put(std::string_view text);
  void put(const device_type& type);
  void put(const device_code& code);
  void put(variable v) { put(static_cast<std::uint64_t>(v)); }
  void put(std::span<const variable> variables);
  void put(std::span<const device_type* const> types);
  void put_text(const char* text);
  void mention(const detail::device_value& value);

  template <typename Tell>
  variable made(Tell&& tell);
  template <typename Mention, typename Tell>
  variable made_with_values(Mention&& mention_all, Tell&& tell);
  struct counts {
    std::size_t mentioned, captured, references;
  };
  void add_places(const counts& before);
  variable theirs(variable v) const;
  std::vector<variable> theirs(std::span<const variable> variables) const;

  struct value {
    const std::byte* from;  // in the stage's element; pointers of references are read there
    std::size_t at, bytes;  // in value_bytes_
  };
  std::string key_;
  std::vector<value> values_;
  std::vector<std::byte> value_bytes_;
  variable variables_ = 0;

  element_writer* to_;
  std::vector<variable> theirs_;  // what the writer calls our variables
  captured_layout layout_;
};

}  // namespace pappus::codegen
