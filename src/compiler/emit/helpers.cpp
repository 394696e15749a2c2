#include "compiler/emit/helpers.h"

#include <llvm/ADT/APInt.h>
#include <llvm/ADT/SmallString.h>

namespace pappus::compiler {
namespace {

// `text` with each T replaced by the type, F by the suffix of its functions.
std::string of_type(std::string text, c_type type) {
  const auto replace = [&](const std::string& mark, const std::string& by) {
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + by.size())) {
      text.replace(at, mark.size(), by);
    }
  };
  replace("@T", name_of(type));
  replace("@F", type.bits == 32 ? "f" : "");
  replace("@INF", type.bits == 32 ? "as_float(0x7F800000u)" : "as_double(0x7FF0000000000000ul)");
  return text;
}

std::string hex(std::uint64_t value, unsigned bits) {
  llvm::SmallString<24> digits;
  llvm::APInt(64, value).toString(digits, 16, false);
  return "0x" + std::string(digits.str()) + (bits == 64 ? "ul" : "u");
}

}  // namespace

std::string complex_product(c_type type) {
  return of_type(
      R"(DEVICE @T $f_multiply@F(@T a, @T b, @T c, @T d, bool imaginary) {
  @T re = a * c - b * d, im = a * d + b * c;
  if (re != re && im != im) {
    const @T inf = @INF;
    const bool overflows = fabs(a * c) == inf || fabs(b * d) == inf || fabs(a * d) == inf ||
                           fabs(b * c) == inf;
    const bool first = fabs(a) == inf || fabs(b) == inf;
    const bool second = fabs(c) == inf || fabs(d) == inf;
    if (first) {
      a = copysign((@T)(fabs(a) == inf ? 1 : 0), a);
      b = copysign((@T)(fabs(b) == inf ? 1 : 0), b);
    }
    if (first || (overflows && !second)) {
      if (c != c) c = copysign((@T)0, c);
      if (d != d) d = copysign((@T)0, d);
    }
    if (second) {
      c = copysign((@T)(fabs(c) == inf ? 1 : 0), c);
      d = copysign((@T)(fabs(d) == inf ? 1 : 0), d);
    }
    if (second || (overflows && !first)) {
      if (a != a) a = copysign((@T)0, a);
      if (b != b) b = copysign((@T)0, b);
    }
    if (first || second || overflows) {
      re = inf * (a * c - b * d);
      im = inf * (a * d + b * c);
    }
  }
  return imaginary ? im : re;
}
)",
      type);
}

// The divisor is scaled to a size near 1, so that its square neither overflows nor vanishes.
std::string complex_quotient(c_type type) {
  return of_type(
      R"(DEVICE @T $f_divide@F(@T a, @T b, @T c, @T d, bool imaginary) {
  const @T inf = @INF;
  const @T size = logb(fmax(fabs(c), fabs(d)));
  const int scale = fabs(size) < inf ? -(int)size : 0;
  c = ldexp(c, scale);
  d = ldexp(d, scale);
  const @T square = c * c + d * d;
  @T re = ldexp((a * c + b * d) / square, scale), im = ldexp((b * c - a * d) / square, scale);
  if (re != re && im != im) {
    if (square == 0 && (a == a || b == b)) {
      re = copysign(inf, c) * a;
      im = copysign(inf, c) * b;
    } else if ((fabs(a) == inf || fabs(b) == inf) && fabs(c) < inf && fabs(d) < inf) {
      a = copysign((@T)(fabs(a) == inf ? 1 : 0), a);
      b = copysign((@T)(fabs(b) == inf ? 1 : 0), b);
      re = inf * (a * c + b * d);
      im = inf * (b * c - a * d);
    } else if (size == inf && fabs(a) < inf && fabs(b) < inf) {
      c = copysign((@T)(fabs(c) == inf ? 1 : 0), c);
      d = copysign((@T)(fabs(d) == inf ? 1 : 0), d);
      re = 0 * (a * c + b * d);
      im = 0 * (b * c - a * d);
    }
  }
  return imaginary ? im : re;
}
)",
      type);
}

// e^a may be too large where the result isn't.
std::string complex_exponential(c_type type) {
  const std::string far = type.bits == 32 ? "80.0f" : "700.0";
  return of_type(
      R"(DEVICE @T $f_exponential@F(@T a, @T b, bool imaginary) {
  if (b == 0) return imaginary ? b : exp(a);
  if (fabs(a) == @INF && !(fabs(b) < @INF)) {
    if (a < 0) return imaginary ? copysign((@T)0, b) : 0;
    return imaginary ? b - b : a;
  }
  const bool far = fabs(a) > )" +
          far + R"(;
  const @T size = exp(far ? a / 2 : a);
  const @T part = size * (imaginary ? sin(b) : cos(b));
  return far ? part * size : part;
}
)",
      type);
}

// As glibc computes it. Sizes near the ends of what floats can be are scaled by an even power of 2.
std::string complex_root(c_type type) {
  const std::string large = type.bits == 32 ? "8.0e37f" : "4.0e307";
  const std::string small = type.bits == 32 ? "3.0e-38f" : "5.0e-308";
  return of_type(
      R"(DEVICE @T $f_root@F(@T a, @T b, bool imaginary) {
  const @T inf = @INF, zero = 0;
  if (fabs(b) == inf) return imaginary ? b : inf;
  if (fabs(a) == inf) {
    const @T rest = b != b ? b : zero;
    if (a < 0) return imaginary ? copysign(inf, b) : rest;
    return imaginary ? copysign(rest, b) : a;
  }
  if (a != a || b != b) return a + b;
  if (b == 0) {
    if (a < 0) return imaginary ? copysign(sqrt(-a), b) : zero;
    return imaginary ? b : fabs(sqrt(a));
  }
  const @T size = fmax(fabs(a), fabs(b));
  const int scale = size > )" +
          large + " ? -2 : size < " + small + R"( ? 108 : 0;
  a = ldexp(a, scale);
  b = ldexp(b, scale);
  const @T d = hypot(a, b);
  const @T near = sqrt((@T)0.5 * (d + fabs(a)));
  const @T other = (@T)0.5 * (fabs(b) / near);
  const @T part = ldexp((a < 0) == imaginary ? near : other, -scale / 2);
  return imaginary ? copysign(part, b) : part;
}
)",
      type);
}

namespace {

struct character_row {
  llvm::StringLiteral name;
  const char* result;
};
constexpr character_row character_table[] = {
    {"isalnum", "(c | 32) >= 'a' && (c | 32) <= 'z' || c >= '0' && c <= '9' ? 8 : 0"},
    {"isalpha", "(c | 32) >= 'a' && (c | 32) <= 'z' ? 1024 : 0"},
    {"isblank", "c == ' ' || c == 9 ? 1 : 0"},
    {"iscntrl", "c >= 0 && c < 32 || c == 127 ? 2 : 0"},
    {"isdigit", "c >= '0' && c <= '9' ? 2048 : 0"},
    {"isgraph", "c > 32 && c < 127 ? 32768 : 0"},
    {"islower", "c >= 'a' && c <= 'z' ? 512 : 0"},
    {"isprint", "c >= 32 && c < 127 ? 16384 : 0"},
    {"ispunct",
     "c > 32 && c < 127 && !((c | 32) >= 'a' && (c | 32) <= 'z' || c >= '0' && c <= '9') ? 4 : 0"},
    {"isspace", "c == ' ' || c >= 9 && c <= 13 ? 8192 : 0"},
    {"isupper", "c >= 'A' && c <= 'Z' ? 256 : 0"},
    {"isxdigit", "c >= '0' && c <= '9' || (c | 32) >= 'a' && (c | 32) <= 'f' ? 4096 : 0"},
    {"tolower", "c >= 'A' && c <= 'Z' ? c + 32 : c"},
    {"toupper", "c >= 'a' && c <= 'z' ? c - 32 : c"},
};

const character_row* find_character_function(llvm::StringRef name) {
  for (const auto& row : character_table)
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace

bool is_character_function(llvm::StringRef name) {
  return find_character_function(name) != nullptr;
}

std::string character_function(llvm::StringRef name) {
  return "DEVICE int $f_" + name.str() + "(int c) {\n  return " +
         find_character_function(name)->result + ";\n}\n";
}

std::string ordered_extreme(c_type type, bool least) {
  const std::string name = least ? "minimum" : "maximum";
  return of_type("DEVICE @T $f_" + name +
                     "@F(@T a, @T b) {\n"
                     "  if (a != a || b != b) return a + b;\n"
                     "  if (a == b) return copysign((@T)1, " +
                     (least ? "a" : "b") + ") < 0 ? a : b;\n" + "  return a " +
                     (least ? "<" : ">") + " b ? a : b;\n}\n",
                 type);
}

std::string float_kind(c_type type) {
  const bool single = type.bits == 32;
  const std::string word = single ? "uint" : "ulong";
  const unsigned fraction = single ? 23 : 52;
  const auto sign = hex(std::uint64_t{1} << (type.bits - 1), type.bits);
  const auto infinity = hex(single ? 0x7F800000 : std::uint64_t{0x7FF0000000000000}, type.bits);
  const auto quiet = hex(std::uint64_t{1} << (fraction - 1), type.bits);
  const auto normal = hex(std::uint64_t{1} << fraction, type.bits);
  return of_type("DEVICE uint $f_kind@F(" + word + " bits) {\n  const " + word +
                     " size = bits & ~" + sign +
                     ";\n  const bool negative = size != bits;\n  if (size > " + infinity +
                     ") return size & " + quiet + " ? 2u : 1u;\n  if (size == " + infinity +
                     ") return negative ? 4u : 512u;\n  if (size >= " + normal +
                     ") return negative ? 8u : 256u;\n  if (size != 0) return negative ? 16u : "
                     "128u;\n  return negative ? 32u : 64u;\n}\n",
                 type);
}

std::string saturating_conversion(c_type from, c_type to) {
  const auto least =
      to.is_signed ? llvm::APInt::getSignedMinValue(to.bits) : llvm::APInt(to.bits, 0);
  const auto most =
      to.is_signed ? llvm::APInt::getSignedMaxValue(to.bits) : llvm::APInt::getMaxValue(to.bits);
  const auto& semantics =
      from.bits == 32 ? llvm::APFloat::IEEEsingle() : llvm::APFloat::IEEEdouble();
  // The first number beyond, a power of two.
  const auto beyond = llvm::scalbn(llvm::APFloat(semantics, 1),
                                   static_cast<int>(to.is_signed ? to.bits - 1 : to.bits),
                                   llvm::APFloat::rmNearestTiesToEven);
  auto below = beyond;
  below.changeSign();
  const auto type = name_of(to);
  return of_type("DEVICE " + type + " $f_saturate_" + type +
                     "@F(@T x) {\n  if (x != x) return 0;\n" +
                     "  if (x <= " + (to.is_signed ? float_literal(below).text : "0") +
                     ") return " + integer_literal(least, to.is_signed).text +
                     ";\n  if (x >= " + float_literal(beyond).text + ") return " +
                     integer_literal(most, to.is_signed).text + ";\n  return (" + type + ")x;\n}\n",
                 from);
}

std::string integer_power(c_type type) {
  return of_type(R"(DEVICE @T $f_power@F(@T x, int n) {
  const bool inverse = n < 0;
  @T power = 1;
  for (;;) {
    if (n % 2 != 0) power *= x;
    n /= 2;
    if (n == 0) break;
    x *= x;
  }
  return inverse ? 1 / power : power;
}
)",
                 type);
}

std::string byte_swap(unsigned bits) {
  const auto type = name_of(integer_type(bits, false));
  std::string text;
  for (unsigned at = 0; at < bits; at += 8) {
    const unsigned to = bits - 8 - at;
    if (at > 0) text += " | ";
    text += "((x >> " + std::to_string(at) + " & 255u) << " + std::to_string(to) + ")";
  }
  return "DEVICE " + type + " $f_swap_bytes" + std::to_string(bits) + "(" + type +
         " x) {\n  return (" + type + ")(" + text + ");\n}\n";
}

std::string bit_reverse(unsigned bits) {
  const auto type = name_of(integer_type(bits, false));
  return "DEVICE " + type + " $f_reverse_bits" + std::to_string(bits) + "(" + type + " x) {\n  " +
         type + " y = 0;\n  for (uint i = 0; i < " + std::to_string(bits) + "; ++i) {\n    y = (" +
         type + ")(y << 1 | (x & 1u));\n    x = (" + type + ")(x >> 1);\n  }\n  return y;\n}\n";
}

std::string funnel_shift(unsigned bits, bool left) {
  const auto type = name_of(integer_type(bits, false));
  const auto width = std::to_string(bits);
  return "DEVICE " + type + " $f_shift_" + (left ? "left" : "right") + width + "(" + type +
         " high, " + type + " low, uint n) {\n  n %= " + width + ";\n  if (n == 0) return " +
         (left ? "high" : "low") + ";\n  return (" + type + ")(" +
         (left ? "(ulong)high << n | (ulong)low >> (" + width + " - n)"
               : "(ulong)high << (" + width + " - n) | (ulong)low >> n") +
         ");\n}\n";
}

std::string saturating_sum(c_type type, bool subtracts) {
  const auto name = name_of(type);
  const auto unsigned_name = name_of(integer_type(type.bits, false));
  const auto most = integer_literal(llvm::APInt::getSignedMaxValue(type.bits), true).text;
  const auto least = integer_literal(llvm::APInt::getSignedMinValue(type.bits), true).text;
  const std::string sign = subtracts ? " - " : " + ";
  auto text = "DEVICE " + name + " $f_" + (subtracts ? "subtract_" : "add_") + name + "(" + name +
              " a, " + name + " b) {\n  const " + name + " sum = (" + name + ")((" + unsigned_name +
              ")a" + sign + "(" + unsigned_name + ")b);\n";
  if (!type.is_signed) {
    return text + (subtracts ? "  return a < b ? 0 : sum;\n}\n"
                             : "  return sum < a ? (" + name + ")~(" + name + ")0 : sum;\n}\n");
  }
  return text + "  if (((a ^ sum) & (" + (subtracts ? "a ^ b" : "b ^ sum") +
         ")) < 0) return a < 0 ? " + least + " : " + most + ";\n  return sum;\n}\n";
}

std::string compare_bytes(const std::string& name, const std::string& p_space,
                          const std::string& q_space) {
  return "DEVICE int $f_" + name + "(" + p_space + "uchar* p, " + q_space +
         "uchar* q, ulong n) {\n  for (ulong i = 0; i < n; ++i) {\n    if (p[i] != q[i]) return "
         "(int)p[i] - (int)q[i];\n  }\n  return 0;\n}\n";
}

std::string compare_strings(const std::string& name, const std::string& p_space,
                            const std::string& q_space) {
  return "DEVICE int $f_" + name + "(" + p_space + "uchar* p, " + q_space +
         "uchar* q, ulong n) {\n  for (ulong i = 0; i < n; ++i) {\n    if (p[i] != q[i]) return "
         "(int)p[i] - (int)q[i];\n    if (p[i] == 0) return 0;\n  }\n  return 0;\n}\n";
}

std::string find_byte(const std::string& name, const std::string& space) {
  return "DEVICE " + space + "uchar* $f_" + name + "(" + space +
         "uchar* p, int byte, ulong n) {\n  for (ulong i = 0; i < n; ++i) {\n    if (p[i] == "
         "(uchar)byte) return p + i;\n  }\n  return 0;\n}\n";
}

std::string string_length(const std::string& name, const std::string& space) {
  return "DEVICE ulong $f_" + name + "(" + space +
         "uchar* p) {\n  ulong n = 0;\n  while (p[n] != 0) ++n;\n  return n;\n}\n";
}

}  // namespace pappus::compiler
