// Calls a kernel that was compiled for the host once per work-item.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "devices/host/prelude.h"
#include "devices/kernel.h"

namespace pappus::devices::host {

template <typename T>
T argument_as(void* address) {
  if constexpr (std::is_pointer_v<T>)
    return static_cast<T>(address);  // of a buffer: its memory
  else
    return *static_cast<const T*>(address);
}

template <typename F>
struct caller;

template <typename... Parameters>
struct caller<void (*)(Parameters...)> {
  template <auto Kernel>
  static void run(const host_launch& launch, std::size_t begin, std::size_t end) {
    run_items<Kernel>(launch, begin, end, std::index_sequence_for<Parameters...>{});
  }

 private:
  template <auto Kernel, std::size_t... I>
  static void run_items(const host_launch& launch, std::size_t begin, std::size_t end,
                        std::index_sequence<I...>) {
    for (std::size_t item = begin; item < end; ++item) {
      current = {item, launch.items};
      Kernel(argument_as<Parameters>(launch.arguments[I])...);
    }
  }
};

/// A kernel whose first parameter stands for all arguments of an element function (ELEMENT_PARAMS):
/// a class made of (context, the leading arguments, their number).
template <typename Element, typename... Parameters>
  requires std::is_class_v<Element>
struct caller<void (*)(Element&, Parameters...)> {
  template <auto Kernel>
  static void run(const host_launch& launch, std::size_t begin, std::size_t end) {
    const std::size_t leading = launch.arguments_size - sizeof...(Parameters);
    Element element(launch.context, launch.arguments, leading);
    run_items<Kernel>(launch, element, leading, begin, end,
                      std::index_sequence_for<Parameters...>{});
  }

 private:
  template <auto Kernel, std::size_t... I>
  static void run_items(const host_launch& launch, Element& element, std::size_t leading,
                        std::size_t begin, std::size_t end, std::index_sequence<I...>) {
    for (std::size_t item = begin; item < end; ++item) {
      current = {item, launch.items};
      Kernel(element, argument_as<Parameters>(launch.arguments[leading + I])...);
    }
  }
};

template <auto Kernel>
inline constexpr host_kernel entry = &caller<decltype(Kernel)>::template run<Kernel>;

}  // namespace pappus::devices::host
