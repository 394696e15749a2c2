// Functions that a text brings along because devices lack them: C text, with `$f_` before the name.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <string>

#include "compiler/emit/expression.h"

namespace pappus::compiler {

/// $f_multiply[f](a, b, c, d, imaginary): a part of (a + bi)(c + di), as C's annex G has it.
std::string complex_product(c_type type);
std::string complex_quotient(c_type type);
/// $f_exponential[f](a, b, imaginary), $f_root[f](a, b, imaginary): a part of e^(a + bi), and of
/// the square root of a + bi that isn't left of 0.
std::string complex_exponential(c_type type);
std::string complex_root(c_type type);
/// $f_isspace(c) and its like, in the C locale; what they yield are glibc's bits.
std::string character_function(llvm::StringRef name);
/// Whether it is one of <cctype>.
bool is_character_function(llvm::StringRef name);
/// $f_minimum[f](a, b)
std::string ordered_extreme(c_type type, bool least);
/// $f_kind[f](bits): the bit of LLVM's is.fpclass.
std::string float_kind(c_type type);
/// $f_saturate_<int>[f](x)
std::string saturating_conversion(c_type from, c_type to);
/// $f_power[f](x, n)
std::string integer_power(c_type type);
/// $f_swap_bytes<bits>(x), $f_reverse_bits<bits>(x)
std::string byte_swap(unsigned bits);
std::string bit_reverse(unsigned bits);
/// $f_shift_left<bits>(high, low, n): the upper half of both shifted; right: the lower half.
std::string funnel_shift(unsigned bits, bool left);
/// $f_add_<int>(a, b), $f_subtract_<int>(a, b), held at the type's ends
std::string saturating_sum(c_type type, bool subtracts);
/// `name`(p, q, n), of two spaces: like memcmp; of bytes that differ the difference, as glibc does.
std::string compare_bytes(const std::string& name, const std::string& p_space,
                          const std::string& q_space);
/// `name`(p, q, n): like strncmp.
std::string compare_strings(const std::string& name, const std::string& p_space,
                            const std::string& q_space);
/// `name`(p, byte, n): like memchr.
std::string find_byte(const std::string& name, const std::string& space);
/// `name`(p): like strlen.
std::string string_length(const std::string& name, const std::string& space);

}  // namespace pappus::compiler
