#include "demo/support/scatter_plot.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "pappus/error.h"
#include "tests/demo/temporary_files.h"

namespace demo {
namespace {

using testing::temporary_files;

scatter_plot plot_of(std::vector<point> points) {
  scatter_plot plot;
  plot.title = "a < b & c";
  plot.x = {"x", {{0, "zero"}, {1, "one"}, {9, "outside"}}, 0, 1};
  plot.y = {"y", {}, 0, 1};
  plot.series.push_back({"all", {"note"}, "#123456", std::move(points), {0.5, 0.5}});
  return plot;
}

std::string svg_of(const scatter_plot& plot) {
  const temporary_files files;
  write_svg(plot, files.path("plot.svg"));
  std::ostringstream text;
  text << std::ifstream(files.path("plot.svg")).rdbuf();
  return text.str();
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(scatter_plot, draws_every_distinct_dot) {
  EXPECT_EQ(count(svg_of(plot_of({{0.1, 0.1}, {0.5, 0.5}, {0.9, 0.1}})), "h0"), 3u);
}

TEST(scatter_plot, draws_dots_that_cover_each_other_once_and_darker) {
  const auto svg = svg_of(plot_of(std::vector<point>(100'000, {0.3, 0.3})));
  EXPECT_EQ(count(svg, "h0"), 1u);
  EXPECT_EQ(count(svg, "stroke-opacity=\"0.95\""), 1u);
  EXPECT_LT(svg.size(), 4000u);
}

TEST(scatter_plot, leaves_out_ticks_beyond_the_axis) {
  const auto svg = svg_of(plot_of({}));
  EXPECT_EQ(count(svg, ">zero<"), 1u);
  EXPECT_EQ(count(svg, ">one<"), 1u);
  EXPECT_EQ(count(svg, ">outside<"), 0u);
}

TEST(scatter_plot, leaves_out_labels_that_would_cover_a_more_important_one) {
  auto plot = plot_of({});
  plot.labels = {
      {{0.5, 0.5}, "first"}, {{0.5, 0.5}, "second"}, {{0.5, 0.5}, "third"}, {{0.5, 0.9}, "fourth"}};
  const auto svg = svg_of(plot);
  EXPECT_EQ(count(svg, ">first<"), 1u);
  EXPECT_EQ(count(svg, ">second<"), 1u) << "fits on the dot's left";
  EXPECT_EQ(count(svg, ">third<"), 0u);
  EXPECT_EQ(count(svg, ">fourth<"), 1u);
}

TEST(scatter_plot, escapes_what_xml_reserves) {
  EXPECT_EQ(count(svg_of(plot_of({})), "a &lt; b &amp; c"), 1u);
}

TEST(scatter_plot, tells_which_file_it_cannot_write_and_leaves_nothing_behind) {
  const temporary_files files;
  const auto path = files.path("none/plot.svg");
  EXPECT_EQ(testing::message_of<pappus::format_error>([&] { write_svg(plot_of({}), path); }),
            path + ": can't be written; is the folder there and writable?");
  std::filesystem::create_directory(files.path("folder"));
  const auto folder = files.path("folder");
  EXPECT_THROW(write_svg(plot_of({}), folder), pappus::format_error);
  EXPECT_FALSE(std::filesystem::exists(folder + ".partial"));
}

}  // namespace
}  // namespace demo
