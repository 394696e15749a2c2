// What the compiler plugin is told of a user's function, and what it tells in return.
//
// A function that a query calls gets a thunk: a function of a fixed shape, all pointers and row
// counts, that calls it once. Beside it lies a slot. The plugin (src/compiler/) finds the slots of
// a translation unit by their annotation, reads the thunk's code from the compiler and adds a
// constructor to the object file that sets slot.compiled. So objects compiled with and without the
// plugin mix freely, whichever copy of a slot the linker keeps, and each shared library brings its
// own.
#pragma once

#include <cstdint>
#include <string>

namespace pappus::detail {

/// The version of slots, thunks' parameters and descriptors; it changes with any of them. The
/// plugin reads slots of this version alone, and the library descriptors of this version alone;
/// functions of another version run on the CPU. So that each can tell, in all versions the
/// annotation has the version as its argument, a slot begins with `compiled`, and a descriptor has
/// a member "version".
inline constexpr std::int32_t compiler_version = 4;

/// One parameter of a thunk: an integer for roles count and index, else a pointer. Parameters come
/// in the order of the enumerators. There may be several inputs; there are as many counts as sides,
/// as many shapes as views, and one index for each dimension of a launch.
struct thunk_parameter {
  enum class role : std::int32_t {
    captures,  ///< the function object, const; 0 bytes if it captures nothing
    input,     ///< a record, const
    match,     ///< a record or null, const
    side,      ///< rows shared by all calls, const
    count,     ///< std::int64_t: the rows of the first, second, ... side
    view,      ///< elements of an array, reached through view_elements (detail/base/view.h) alone
    shape,     ///< extents and strides of the first, second, ... view: a view_shape, const
    index,     ///< std::int64_t: which element of a range, or a launch's index
    state,     ///< a reducer, read and written
    output,    ///< the result, only written
  };
  role what = role::input;
  std::int32_t align = 1;  ///< of what the parameter points to
  std::int64_t size = 0;   ///< its bytes; 8 for counts and indices
};

/// What lies beside a thunk for the plugin, which reads the members by their numbers.
/// \tparam Thunk  the thunk's function type.
template <typename Thunk>
struct device_slot {
  const char* compiled = nullptr;  ///< a descriptor, JSON (codegen/plugin/descriptor.h); null: none
  Thunk* thunk = nullptr;
  const thunk_parameter* parameters = nullptr;
  std::int64_t parameter_count = 0;
  const char* function = nullptr;  ///< the type of the user's function as the compiler spells it
};

/// The footprint of a function of views by its descriptor: "read in[i], write out[i]".
std::string footprint_text(const char* descriptor);

// pappus_enable(target FLOATS fast) defines PAPPUS_FAST_FLOATS. The plugin is told the C library,
// too: it may have vector versions of <cmath>.
#if !defined(__clang__)
#define PAPPUS_DEVICE_SLOT
#elif !defined(PAPPUS_FAST_FLOATS)
#define PAPPUS_DEVICE_SLOT [[clang::annotate("pappus.slot", ::pappus::detail::compiler_version)]]
#elif defined(__GLIBC_MINOR__)
#define PAPPUS_DEVICE_SLOT                                              \
  [[clang::annotate("pappus.slot", ::pappus::detail::compiler_version), \
    clang::annotate("pappus.fast_floats", __GLIBC_MINOR__)]]
#else
#define PAPPUS_DEVICE_SLOT                                              \
  [[clang::annotate("pappus.slot", ::pappus::detail::compiler_version), \
    clang::annotate("pappus.fast_floats", 0)]]
#endif

}  // namespace pappus::detail
