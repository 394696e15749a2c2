// Categories are equal where their codes are, which devices compare; texts are the CPU's.
#include <string_view>

#include "compiler/thunks.h"
#include "pappus/category.h"

struct flight {
  pappus::category carrier;
  int delay;
};

void kernels(pappus::category wanted, std::string_view text) {
  using thunks::element;

  element<int, flight>([](const flight& f) { return f.carrier == "AA" ? f.delay : 0; });

  element<int, flight>([text](const flight& f) { return f.carrier == text ? f.delay : 0; });

  element<int, flight>([wanted](const flight& f) { return f.carrier < wanted ? f.delay : 0; });

  element<std::size_t, flight>([](const flight& f) { return f.carrier.text().size(); });

  element<int, flight>(
      [](const flight& f) { return f.carrier == pappus::category("AA") ? f.delay : 0; });
}
