// The folder for files that are kept between runs but can be made again.
#pragma once

#include <filesystem>

namespace pappus::base {

/// `pappus` below XDG_CACHE_HOME, else below .cache in HOME; empty where neither says. Relative
/// paths are ignored, as the XDG base directory specification wants it.
/// \param xdg_cache_home, home  the variables' values; may be null.
std::filesystem::path cache_folder(const char* xdg_cache_home, const char* home);
/// The same by this process's environment.
std::filesystem::path cache_folder();

}  // namespace pappus::base
