// What is generated, and what is refused, without any device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "codegen/element/element.h"
#include "codegen/points.h"
#include "codegen/text/c_text.h"
#include "pappus/pappus.h"

namespace pappus {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

struct named {
  std::string_view name;
  double weight;
};

/// Counts what is heavier than a threshold, which device code can't know of.
struct heavier_than {
  double threshold = 0;
  std::int64_t n = 0;
  void accumulate(double x) { n += x > threshold; }
  void merge(const heavier_than& other) { n += other.n; }
};

/// Its device code is in a file that isn't there.
struct lost_reducer {
  std::int64_t n = 0;
  void accumulate(double) { ++n; }
  void merge(const lost_reducer& other) { n += other.n; }
  static device_code on_device() { return device_file("no/such.cl", "add"); }
};

float scale(float x, float k) { return x * k; }
device_code scale_code() {
  return device_text("scale", "float scale(float x, float k) { return x * k; }");
}

template <typename Rows>
codegen::element_ptr element_of(const Rows& rows) {
  return codegen::element_of(*detail::access::node(rows));
}
template <typename E>
codegen::element_ptr element_of(const query<E>& rows) {
  return codegen::element_of(*detail::access::node(rows.materialise()));
}

class element_text : public ::testing::Test {
 protected:
  session session_;
  collection<point> points_ = session_.from(std::vector<point>(10));
  collection<named> named_ = session_.from(std::vector<named>(10));
};

TEST_F(element_text, names_operators_and_functions) {
  const auto made =
      element_of(points_.map(&point::x).map(with_device_code(fn<scale>, scale_code(), 2.0f)));
  EXPECT_THAT(made->reasons, ElementsAre());
  EXPECT_THAT(made->text, HasSubstr("// map: scale\n"));
  EXPECT_THAT(made->functions, ElementsAre(HasSubstr("scale (the text of scale, given at "
                                                     "element_text_test.cpp:")));
  EXPECT_FALSE(made->needs_doubles);
}

TEST_F(element_text, is_the_same_for_other_values) {
  const auto with = [&](float k, std::int32_t from) {
    return element_of(
        session_.range(from, from + 10)
            .map([](int) { return 0; })
            .map(with_device_code([](int, float) { return 1; },
                                  device_text("f", "int f(int i, float k) { return 1; }"), k)));
  };
  EXPECT_FALSE(with(1, 0)->possible());
  const auto scaled = [&](float k, std::int32_t from) {
    return session_.range(from, from + 10)
        .map(with_device_code([](int i, float by) { return static_cast<float>(i) * by; },
                              device_text("times", "float times(int i, float k) { return i * k; }"),
                              k))
        .materialise();
  };
  const auto a = scaled(2, 0), b = scaled(3, 5);
  EXPECT_EQ(element_of(a), element_of(b));
  const auto values = [](std::int64_t first, float k) {  // long first, float k, padding
    std::vector<std::byte> bytes(16);
    std::memcpy(bytes.data(), &first, sizeof first);
    std::memcpy(bytes.data() + 8, &k, sizeof k);
    return bytes;
  };
  EXPECT_EQ(codegen::values_of(*detail::access::node(a))->bytes, values(0, 2));
  EXPECT_EQ(codegen::values_of(*detail::access::node(b))->bytes, values(5, 3));
}

TEST_F(element_text, has_each_of_the_users_texts_once) {
  const auto code = scale_code();
  const auto twice = with_device_code(fn<scale>, code, 2.0f);
  const auto text = element_of(points_.map(&point::x).map(twice).map(twice))->text;
  EXPECT_EQ(text.find("return x * k;"), text.rfind("return x * k;"));
}

TEST_F(element_text, moves_types_of_the_users_records_behind_the_users_text) {
  const auto right = with_device_code([](const point& p) { return p.x > 0; },
                                      device_text("right",
                                                  "typedef struct { float x, y; long id; } point;\n"
                                                  "int right(point p) { return p.x > 0; }"));
  const auto text =
      element_of(points_.filter(right).materialise().zip(points_.filter(right)))->text;
  EXPECT_THAT(text, Not(HasSubstr("pappus_size_of_point")));  // between stages: bytes
  const auto fused = element_of(points_
                                    .zip(points_.map(with_device_code(
                                        [](const point& p) { return p.x; },
                                        device_text("x_of",
                                                    "typedef struct { float x, y; long id; } "
                                                    "point; float x_of(point p) { return p.x; }"))))
                                    .enumerate());
  EXPECT_THAT(fused->text, HasSubstr("pappus_size_of_point_must_be_16"));
  EXPECT_LT(fused->text.find("float x_of(point p)"),
            fused->text.find("} record_pair_point_float;"));
  EXPECT_LT(fused->text.find("} record_pair_point_float;"),
            fused->text.find("} record_indexed_pair_point_float;"));
}

TEST_F(element_text, treats_records_nobody_defines_as_aligned_words) {
  EXPECT_THAT(element_of(points_.map(&point::id))->text,
              HasSubstr("typedef struct {\n  ulong words[2];\n} record_point;"));
  struct three_bytes {
    std::uint8_t r, g, b;
  };
  const auto pixels = session_.from(std::vector<three_bytes>(4));
  EXPECT_THAT(element_of(pixels.map(&three_bytes::g))->text,
              HasSubstr("typedef struct {\n  uchar words[3];\n} record_three_bytes;"));
}

TEST_F(element_text, tells_records_of_one_name_apart) {
  struct outer {
    struct point {
      double a[5];
    };
  };
  const auto others = session_.from(std::vector<outer::point>(10));
  const auto text = element_of(points_.zip(others))->text;
  EXPECT_THAT(text, AllOf(HasSubstr("ulong words[2];\n} record_point;"),
                          HasSubstr("ulong words[5];\n} record_point_2;")));
}

TEST_F(element_text, puts_many_values_into_a_buffer) {
  struct large {
    double numbers[100];
  };
  const auto code = device_text("f", "float f(float x, large l) { return x; }");
  const auto made = element_of(points_.map(&point::x).map(
      with_device_code([](float x, const large&) { return x; }, code, large{})));
  EXPECT_THAT(made->text, HasSubstr("GLOBAL const values_t* values, long first_row"));
  EXPECT_THAT(made->text, HasSubstr("values->user_f_0"));
  EXPECT_EQ(made->values.bytes, 800u);
}

TEST_F(element_text, says_whether_the_device_needs_doubles) {
  EXPECT_FALSE(element_of(points_.map(&point::id).sum())->needs_doubles);
  EXPECT_TRUE(element_of(points_.map(&point::x).sum())->needs_doubles);
  EXPECT_TRUE(element_of(named_.map(&named::weight))->needs_doubles);
  const auto inside = device_text("f", "float f(float x) { return (float)(x * (double)2); }");
  EXPECT_TRUE(
      element_of(points_.map(&point::x).map(with_device_code([](float x) { return x; }, inside)))
          ->needs_doubles);
  const auto in_comment = device_text("f", "float f(float x) { return x; } // no double");
  EXPECT_FALSE(element_of(points_.map(&point::x).map(
                              with_device_code([](float x) { return x; }, in_comment)))
                   ->needs_doubles);
}

TEST_F(element_text, is_made_once_a_node) {
  const auto sum = points_.map(&point::id).sum();
  EXPECT_EQ(element_of(sum), element_of(sum));
}

std::string without_code(const std::string& op) {
  return op +
         ": its function has no device code: element_text_test.cpp was compiled without "
         "pappus_enable() (which takes clang; or give it some with with_device_code)";
}

TEST_F(element_text, refuses_functions_without_device_code_naming_their_operators) {
  const auto positive = [](float x) { return x > 0; };
  EXPECT_THAT(
      element_of(points_.map(&point::x).map([](float x) { return x; }).filter(positive))->reasons,
      ElementsAre(without_code("map"), without_code("filter")));
  EXPECT_THAT(element_of(points_.sort_by([](const point& p) { return p.x; }))->reasons,
              ElementsAre(without_code("sort_by")));
  EXPECT_THAT(element_of(points_.group_by([](const point& p) { return p.id; }).count())->reasons,
              ElementsAre(without_code("group_by.count")));
  EXPECT_THAT(element_of(points_.map(&point::x).inclusive_scan([](float a, float b) {
                return a + b;
              }))->reasons,
              ElementsAre(without_code("inclusive_scan")));
}

TEST_F(element_text, refuses_what_devices_cannot_do) {
  EXPECT_THAT(element_of(named_.sort_by(&named::name))->reasons,
              ElementsAre("sort_by: its key is a string"));
  using wide = std::array<std::int64_t, 2>;
  EXPECT_THAT(element_of(session_.from(std::vector<wide>(3)).distinct())->reasons,
              ElementsAre("group_by.keys: keys of more than 8 bytes are grouped on the CPU"));
  EXPECT_THAT(element_of(points_.join(points_, &point::id, &point::id,
                                      [](const point& a, const point&) { return a; }))
                  ->reasons,
              ElementsAre(without_code("join")));
  EXPECT_THAT(element_of(named_.map(&named::weight).reduce<heavier_than>())->reasons,
              ElementsAre("reduce: its reducer has no device code (compile it with clang and "
                          "pappus_enable(), or give it a static member on_device())"));
  EXPECT_THAT(element_of(points_.take(3))->reasons, ElementsAre("take: it runs on the CPU only"));
  const auto steps = with_device_code([](float) { return std::vector<float>(2); },
                                      device_text("steps",
                                                  "long steps_count(float x) { return 2; }"
                                                  "float steps_at(float x, long j) { "
                                                  "return x; }"));
  EXPECT_THAT(element_of(points_.map(&point::x).flat_map(steps).sum())->reasons,
              ElementsAre(HasSubstr("sum: floats are summed in lanes")));
}

TEST_F(element_text, refuses_reducers_whose_file_is_missing) {
  EXPECT_THAT(element_of(named_.map(&named::weight).reduce<lost_reducer>())->reasons,
              ElementsAre(HasSubstr("reduce: no/such.cl: expected a file with device code")));
}

TEST_F(element_text, refuses_texts_that_define_macros_of_the_operators) {
  for (const char* text : {"#define ITEMS 1\nint f(int x) { return x; }",
                           "#  undef GLOBAL\nint f(int x) { return x; }"})
    EXPECT_THAT(element_of(session_.range(0, 9).map(
                               with_device_code([](int x) { return x; }, device_text("f", text))))
                    ->reasons,
                ElementsAre(HasSubstr("which is Pappus's own: give that macro another name")));
  const char* other = "#define SQUARE(x) ((x) * (x)) // #define ITEM 1\nint f(int x) { return x; }";
  EXPECT_THAT(element_of(session_.range(0, 9).map(
                             with_device_code([](int x) { return x; }, device_text("f", other))))
                  ->reasons,
              ElementsAre());
}

TEST(device_code, needs_the_name_of_a_function) {
  for (const char* name : {"", "f(x)", "a b", "2nd", "f;"})
    EXPECT_THROW((void)device_text(name, "int f(int x) { return x; }"), usage_error) << name;
}

TEST(device_code, of_a_file_is_read_when_it_is_named) {
  const auto path = std::filesystem::temp_directory_path() / "pappus_element_text_test.cl";
  std::ofstream(path) << "float f(float x) { return x; }\n";
  const auto code = device_file(path.string(), "f");
  std::filesystem::remove(path);
  EXPECT_EQ(code.text, "float f(float x) { return x; }\n");
  EXPECT_EQ(code.origin, path.string());
  EXPECT_EQ(code.name, "f");
}

TEST(device_code, of_a_missing_file_names_path_and_function) {
  EXPECT_THAT([] { (void)device_file("no/such.cl", "nearest"); },
              ::testing::ThrowsMessage<format_error>(
                  "no/such.cl: expected a file with device code for nearest, got No such file or "
                  "directory; check the path"));
}

TEST(device_code, of_a_folder_is_refused) {
  EXPECT_THROW((void)device_file(std::filesystem::temp_directory_path().string(), "f"),
               format_error);
}

TEST(with_device_code, calls_the_cpp_function_with_the_values_last) {
  const auto f = with_device_code([](int a, int b, int c) { return 100 * a + 10 * b + c; },
                                  device_text("f", ""), 2, 3);
  EXPECT_EQ(f(1), 123);
}

TEST(with_device_code, leaves_loops_a_copy_without_device_code) {
  const auto f = with_device_code(fn<scale>, scale_code(), 2.0f);
  using bound = detail::bound_function<std::remove_cv_t<decltype(f)>>;
  static_assert(std::is_trivially_copyable_v<bound>);
  EXPECT_EQ(sizeof(bound), sizeof(float) + sizeof(float));  // an empty function, padded, and k
  EXPECT_EQ(bound(f)(3.0f), 6.0f);
}

TEST(c_text, finds_types_however_they_are_defined) {
  const auto defines = [](std::string_view text) {
    return codegen::defines_type(codegen::tokens_of(text), "point");
  };
  EXPECT_TRUE(defines("typedef struct { float x; } point;"));
  EXPECT_TRUE(defines("struct point { float x; };"));
  EXPECT_TRUE(defines("typedef float4 point;"));
  EXPECT_TRUE(defines("#define point float4\n"));
  EXPECT_FALSE(defines("float f(point p) { return p.x; }"));
  EXPECT_FALSE(defines("// typedef struct { float x; } point;\n/* struct point { */"));
  EXPECT_FALSE(defines("struct other { float point; };"));
}

}  // namespace
}  // namespace pappus
