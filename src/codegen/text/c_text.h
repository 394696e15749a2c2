// What must be known of device code that users wrote: which names it uses and which types it
// defines. It isn't parsed, only cut into tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pappus::codegen {

// A name of the user's has one of these before it in generated text. No name of a device's
// language, of a prelude or of an operator's text begins so: users call things what they like, and
// nobody has to know what languages to come will have. Users' own texts keep their names: around
// them, macros have the compiler read the longer ones.
inline constexpr std::string_view record_prefix = "record_";  ///< types
inline constexpr std::string_view compiled_prefix = "fn_";  ///< functions that the plugin compiled
inline constexpr std::string_view given_prefix = "user_";   ///< all others of users' own texts

/// Identifiers, numbers and single characters of punctuation; no comments, no literals. Points into
/// the text.
std::vector<std::string_view> tokens_of(std::string_view text);

bool mentions(const std::vector<std::string_view>& tokens, std::string_view name);

/// Whether a type of this name is defined: by typedef, as a struct or union, or by #define.
bool defines_type(const std::vector<std::string_view>& tokens, std::string_view name);

/// Whether the text defines a macro of this name.
bool is_macro(const std::vector<std::string_view>& tokens, std::string_view name);

/// Whether it is a struct without a typedef, which C wants to be called `struct name`.
bool lacks_typedef(const std::vector<std::string_view>& tokens, std::string_view name);

/// A macro of the preludes that the text defines anew or undefines; empty: none. Operators' texts
/// come after users' and would mean something else.
std::string_view redefined_macro(const std::vector<std::string_view>& tokens);

/// Whether a member of records that Pappus defines is called so, such as first: in users' texts it
/// can't have another name.
bool is_member(std::string_view name);

/// The names of functions, types, variables and enumerators that the text declares at file scope;
/// no macros.
std::vector<std::string> declared_names(std::string_view text);

}  // namespace pappus::codegen
