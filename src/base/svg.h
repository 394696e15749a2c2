// Pictures as SVG documents: pieces of text, boxes and paths, in characters of one width, so that
// what lies where is known without a font.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pappus::base {

/// Pixels; of the text that svg::text draws.
inline constexpr double letter_width = 7.3, line_height = 16;

/// Characters of a text in UTF-8.
std::size_t letters(std::string_view text);
/// With "…" in the place of its middle where it is longer than that. \param letters_max  > 2
std::string shortened(std::string_view text, std::size_t letters_max);
/// Lines of at most so many letters, cut at spaces, or anywhere in words that are longer.
std::vector<std::string> wrapped(std::string_view text, std::size_t letters_max);

/// As it stands between tags of XML and HTML. What isn't UTF-8, or can't be part of XML, is
/// replaced.
std::string escaped_xml(std::string_view text);

/// Everything is in pixels from the top left. A `kind` is a class of the style. Later pieces cover
/// earlier ones.
class svg {
 public:
  /// \param x, y  where the line of text begins, and what it stands on
  void text(double x, double y, std::string_view kind, std::string_view content);
  /// \param tip  shown where a viewer's pointer rests on the box; empty: nothing
  void box(double x, double y, double width, double height, std::string_view kind,
           std::string_view tip = {});
  /// \param steps  "M 0 0 H 10": as SVG's paths are written
  void path(std::string_view kind, std::string_view steps, std::string_view tip = {});
  /// \param style  rules of CSS for the kinds
  std::string document(double width, double height, std::string_view style) const;
  /// As a part of a page, which has the style and the background.
  std::string fragment(double width, double height) const;

 private:
  std::string pieces_;
};

}  // namespace pappus::base
