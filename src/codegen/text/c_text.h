// What must be known of device code that users wrote: which names it uses and which types it
// defines. It isn't parsed, only cut into tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pappus::codegen {

/// Identifiers, numbers and single characters of punctuation; no comments, no literals. Points into
/// the text.
std::vector<std::string_view> tokens_of(std::string_view text);

bool mentions(const std::vector<std::string_view>& tokens, std::string_view name);

/// Whether a type of this name is defined: by typedef, as a struct or union, or by #define.
bool defines_type(const std::vector<std::string_view>& tokens, std::string_view name);

/// Whether it is a struct without a typedef, which C wants to be called `struct name`.
bool lacks_typedef(const std::vector<std::string_view>& tokens, std::string_view name);

/// A macro of the preludes that the text defines anew or undefines; empty: none. Operators' texts
/// come after users' and would mean something else.
std::string_view redefined_macro(const std::vector<std::string_view>& tokens);

/// Names that generated text uses at file scope: users' own get another one by #define.
bool is_generated_name(std::string_view name);
/// The name in generated text of a user's function or type: "user_element" for "element".
std::string device_name(std::string_view name);
/// Whether a function that comes with this text is the device language's own: sqrt with an empty
/// one.
bool is_of_language(std::string_view name, std::string_view text);

}  // namespace pappus::codegen
