// Some systems' headers define min and max. libstdc++ takes them back where its first header is
// included, so all of its headers come before.
//
// flags: -Wall -Wextra -Werror
#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdio>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <ranges>
#include <source_location>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))

#include "every_operator.h"

void all(operands& in) { use_every_operator(in); }
