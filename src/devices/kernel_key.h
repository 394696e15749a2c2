// What makes two kernel texts the same to a cache on disk.
#pragma once

#include <string>

#include "devices/kernel.h"

namespace pappus::devices {

/// The source's text without what only its readers need (kernel_source::legible): comments and the
/// like are left out, names are numbered in the order in which they first occur. So a function that
/// has moved within its file finds its kernel again. Equal results mean texts that differ in
/// nothing else.
std::string key_text(const kernel_source& source);

}  // namespace pappus::devices
