// Which names device code that users wrote uses and which types it defines. It isn't parsed, only
// cut into tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pappus::codegen {

// A name of the user's has one of these prefixes in generated text. No name of a device's language,
// of a prelude or of an operator's text begins so: users call things what they like, whatever later
// languages reserve. Users' own texts keep the short names: macros around a text, such as
// `#define nearest user_nearest`, make the compiler read the long ones. Variables of functions that
// the plugin compiled have v_, fields m_.
inline constexpr std::string_view record_prefix = "record_";  ///< types
inline constexpr std::string_view compiled_prefix = "fn_";  ///< functions that the plugin compiled
inline constexpr std::string_view given_prefix = "user_";   ///< all other names in users' texts

/// Identifiers, numbers and single characters of punctuation; no comments, no literals. Points into
/// the text.
std::vector<std::string_view> tokens_of(std::string_view text);

bool mentions(const std::vector<std::string_view>& tokens, std::string_view name);

/// Whether a type of this name is defined: by typedef, as a struct or union, or by #define.
bool defines_type(const std::vector<std::string_view>& tokens, std::string_view name);

/// Whether the text defines a macro of this name.
bool is_macro(const std::vector<std::string_view>& tokens, std::string_view name);

/// Whether `name` is a struct without a typedef, which C only knows as `struct name`.
bool lacks_typedef(const std::vector<std::string_view>& tokens, std::string_view name);

/// A macro of the preludes that the text redefines or undefines; empty: none. It would change the
/// meaning of operators' texts, which come after users'.
std::string_view redefined_macro(const std::vector<std::string_view>& tokens);

/// Whether a record that Pappus defines has a member of this name, such as first. Then users' texts
/// use the name for the member, and it gets no prefix.
bool is_member(std::string_view name);

/// The names of functions, types, variables and enumerators that the text declares at file scope;
/// no macros.
std::vector<std::string> declared_names(std::string_view text);

}  // namespace pappus::codegen
