// Element functions run on the OpenCL devices that there are, against the CPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "codegen/element_runner.h"
#include "codegen/points.h"
#include "pappus/detail/base/keys.h"

namespace pappus {
namespace {

using ::testing::HasSubstr;

struct centre {
  float x, y;
};
struct mixed {
  double a;
  std::uint8_t b;
  bool flag;
  std::int16_t c;
  float d;
  std::array<std::int32_t, 3> e;
};
struct both_keys {
  std::int16_t high;
  float low;
};

constexpr const char* point_text = R"(
typedef struct { float x, y; long id; } point;
typedef struct { float x, y; } centre;

int nearest(point p, GLOBAL const centre* centres, long n, float scale) {
  int best = 0;
  float least = 0;
  for (long i = 0; i < n; ++i) {
    const float dx = p.x * scale - centres[i].x, dy = p.y * scale - centres[i].y;
    const float d = dx * dx + dy * dy;
    if (i == 0 || d < least) {
      least = d;
      best = (int)i;
    }
  }
  return best;
}
point moved(point p, centre by) {
  p.x += by.x;
  p.y += by.y;
  return p;
}
int right(point p) { return p.x > 0; }
long steps_count(point p) { return p.id % 4; }
float steps_at(point p, long j) { return p.x + (float)j; }
)";

int nearest(const point& p, std::span<const centre> centres, float scale) {
  int best = 0;
  float least = 0;
  for (std::size_t i = 0; i < centres.size(); ++i) {
    const float dx = p.x * scale - centres[i].x, dy = p.y * scale - centres[i].y;
    const float d = dx * dx + dy * dy;
    if (i == 0 || d < least) {
      least = d;
      best = static_cast<int>(i);
    }
  }
  return best;
}
point moved(point p, centre by) { return {p.x + by.x, p.y + by.y, p.id}; }
bool right(const point& p) { return p.x > 0; }
std::vector<float> steps(const point& p) {
  std::vector<float> all(static_cast<std::size_t>(p.id % 4));
  for (std::size_t j = 0; j < all.size(); ++j) all[j] = p.x + static_cast<float>(j);
  return all;
}

device_code of_points(std::string function) { return device_text(std::move(function), point_text); }

struct centre_of_mass {
  double x = 0, y = 0;
  std::int64_t n = 0;
  void accumulate(const point& p) {
    x += static_cast<double>(p.x);
    y += static_cast<double>(p.y);
    ++n;
  }
  void merge(const centre_of_mass& other) {
    x += other.x;
    y += other.y;
    n += other.n;
  }
  static device_code on_device() {
    return device_text("add_point", std::string(point_text) + R"(
typedef struct { double x, y; long n; } centre_of_mass;
void add_point(centre_of_mass* s, point p) {
  s->x += (double)p.x;
  s->y += (double)p.y;
  s->n += 1;
}
)");
  }
};

template <typename Key>
void sort_stably(std::vector<std::size_t>& order, const Key& key) {
  std::vector<std::pair<std::uint64_t, std::size_t>> keyed;  // with the place before
  for (std::size_t i = 0; i < order.size(); ++i) keyed.emplace_back(key(order[i]), i);
  std::ranges::sort(keyed);
  const auto before = order;
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = before[keyed[i].second];
}

/// Every device that OpenCL offers here.
class element_on_device : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const auto& d : devices::all_devices())
      if (d->about().speaks == devices::dialect::opencl_c) found_.push_back(d);
    if (found_.empty()) GTEST_SKIP() << "no OpenCL device";
  }

  std::vector<point> points(std::size_t n) {
    std::mt19937_64 random(seed_);
    std::normal_distribution<float> coordinate;
    std::vector<point> all(n);
    for (auto& p : all)
      p = {coordinate(random), coordinate(random), static_cast<std::int64_t>(random() % 1000)};
    return all;
  }

  /// f(runner) for a node on each device.
  template <typename F>
  void on_each(const detail::node_ptr& node, F&& f) {
    const auto reasons = codegen::element_of(*node)->reasons;
    ASSERT_TRUE(reasons.empty()) << reasons.front();
    for (const auto& d : found_) {
      SCOPED_TRACE(d->about().name);
      const std::lock_guard lock(d->lock);
      try {
        f(testing::element_runner(*d, *node));
      } catch (const devices::device_error& e) {
        ADD_FAILURE() << e.what() << "\n" << e.log << codegen::element_of(*node)->text;
      }
    }
  }
  /// Records of type T without padding, bit by bit.
  template <typename Query>
  void expect_same_records(const Query& query) {
    const auto rows = query.materialise();
    const auto expected = rows.collect();
    on_each(detail::access::node(rows), [&](testing::element_runner run) {
      const auto got = run.records();
      ASSERT_EQ(got.size(), expected.size() * sizeof(expected[0]));
      EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size()), 0);
    });
  }
  template <typename Value>
  void expect_same_value(const Value& value) {
    const auto expected = value.get();
    on_each(detail::access::node(value), [&](testing::element_runner run) {
      const auto got = run.folded();
      ASSERT_EQ(got.size(), sizeof expected);
      EXPECT_EQ(std::memcmp(got.data(), &expected, sizeof expected), 0);
    });
  }
  template <typename K>
  static K nth(const std::vector<std::byte>& bytes, std::size_t i) {
    K key;
    std::memcpy(&key, bytes.data() + i * sizeof key, sizeof key);
    return key;
  }

  session session_;
  std::uint64_t seed_ = 1;
  ::testing::ScopedTrace trace_{__FILE__, __LINE__, "seed 1"};

 private:
  std::vector<devices::attached_ptr> found_;
};

TEST_F(element_on_device, gives_functions_shared_rows_and_values) {
  const auto all = session_.from(points(1000));
  const auto centres = session_.from(std::vector<centre>{{0, 0}, {1, 1}, {-1, 0.5f}});
  const auto code = of_points("nearest");
  expect_same_records(all.map(with_device_code(fn<nearest>, code, 2.0f), centres.shared()));
  expect_same_value(all.map(with_device_code(fn<nearest>, code, 0.5f), centres.shared()).sum());
}

TEST_F(element_on_device, keeps_the_records_that_filters_keep) {
  const auto all = session_.from(points(1000));
  const auto is_right = with_device_code(fn<right>, of_points("right"));
  const auto move = with_device_code(fn<moved>, of_points("moved"), centre{0.25f, -1});
  expect_same_records(all.map(move).filter(is_right).map(&point::id));
  expect_same_value(all.filter(is_right).map(move).filter(is_right).count());
}

TEST_F(element_on_device, yields_every_record_of_a_flat_map) {
  const auto all = session_.from(points(500));
  const auto every_step = with_device_code(fn<steps>, of_points("steps"));
  const auto positive =
      with_device_code([](float x) { return x > 0; },
                       device_text("positive", "int positive(float x) { return x > 0; }"));
  expect_same_records(all.flat_map(every_step));
  expect_same_records(all.flat_map(every_step).filter(positive));
  expect_same_records(
      all.filter(with_device_code(fn<right>, of_points("right"))).flat_map(every_step));
  expect_same_value(all.flat_map(every_step).count());
}

TEST_F(element_on_device, numbers_rows_and_zips) {
  const auto all = session_.from(points(300));
  expect_same_records(session_.range(std::int64_t{-5}, std::int64_t{250}).zip(all));
  expect_same_records(all.enumerate());
  expect_same_records(
      all.zip(all.map(&point::id)).enumerate().map(fn<&indexed<pair<point, std::int64_t>>::value>));
  expect_same_records(session_.range(std::uint32_t{4294967290u}, std::uint32_t{4294967295u}));
}

TEST_F(element_on_device, reads_every_member_where_cpp_put_it) {
  std::vector<mixed> rows(100);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const int n = static_cast<int>(i);
    rows[i] = {n * 0.5,    static_cast<std::uint8_t>(3 * n),
               n % 3 == 0, static_cast<std::int16_t>(-n),
               n * 0.25f,  {n, -n, 7}};
  }
  const auto all = session_.from(rows);
  expect_same_records(all.map(&mixed::a));
  expect_same_records(all.map(&mixed::b));
  expect_same_records(all.map(&mixed::flag));
  expect_same_records(all.map(&mixed::c));
  expect_same_records(all.map(&mixed::d));
  expect_same_records(all.map(&mixed::e));
  // Opaque within a pair, at an offset that C would choose otherwise.
  expect_same_records(all.map(&mixed::flag)
                          .zip(all.map(&mixed::e))
                          .map(fn<&pair<bool, std::array<std::int32_t, 3>>::second>));
}

TEST_F(element_on_device, pads_records_as_cpp_does) {
  struct alignas(16) wide {
    double d[2];
    bool operator==(const wide&) const = default;
  };
  const auto numbers = session_.range(0, 100);
  const auto wides = session_.from(std::vector<wide>(100, wide{{1.5, -2.5}}));
  const auto deep = numbers.zip(numbers.zip(wides));
  const auto rows = deep.materialise();
  on_each(detail::access::node(rows), [&](testing::element_runner run) {
    const auto got = run.records();
    const auto expected = rows.collect();
    using record = pair<int, pair<int, wide>>;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      alignas(record) std::byte bytes[sizeof(record)];
      std::memcpy(bytes, got.data() + i * sizeof(record), sizeof(record));
      EXPECT_EQ(std::bit_cast<record>(bytes), expected[i]) << i;
    }
  });
  expect_same_records(
      deep.map(fn<&pair<int, pair<int, wide>>::second>).map(fn<&pair<int, wide>::second>));
}

TEST_F(element_on_device, passes_large_values_in_a_buffer) {
  struct table {
    std::int64_t numbers[100];
  };
  table t{};
  std::iota(std::begin(t.numbers), std::end(t.numbers), 5);
  const auto look_up = with_device_code(
      [](int i, std::int16_t shift, const table& of) { return of.numbers[i % 100] + shift; },
      device_text("look_up",
                  "typedef struct { long numbers[100]; } table;\n"
                  "long look_up(int i, short shift, table of) { return of.numbers[i % "
                  "100] + shift; }"),
      std::int16_t{-3}, t);
  expect_same_records(session_.range(7, 300).map(look_up));
}

TEST_F(element_on_device, accumulates_as_the_ready_made_reducers_do) {
  auto rows = points(200);
  rows[17].x = -0.0f;
  const auto all = session_.from(rows);
  const auto x = all.map(&point::x);
  expect_same_value(all.count());
  expect_same_value(x.sum());
  expect_same_value(x.mean());
  expect_same_value(x.variance());
  expect_same_value(x.min());
  expect_same_value(x.max());
  expect_same_value(x.first());
  expect_same_value(all.first());
  const auto id = all.map(&point::id);
  expect_same_value(id.sum());
  expect_same_value(id.mean());
  expect_same_value(id.variance());
  expect_same_value(id.min());
  expect_same_value(id.max());
  expect_same_value(id.reduce(std::int64_t{0}, std::bit_xor<>{}));
  expect_same_value(session_.range(std::int64_t{1}, std::int64_t{15})
                        .reduce(std::int64_t{1}, std::multiplies<std::int64_t>{}));
  expect_same_value(id.map(std::negate<>{}).sum());
  expect_same_value(all.reduce<centre_of_mass>());
  const auto is_right = with_device_code(fn<right>, of_points("right"));
  expect_same_value(all.any(is_right));
  expect_same_value(all.all(is_right));
}

TEST_F(element_on_device, adds_integers_up_exactly) {
  std::mt19937_64 random(seed_);
  std::vector<std::uint64_t> words(200);
  for (auto& word : words) word = random();
  words[0] = std::uint64_t{1} << 63;
  const auto expect_same = [&](const auto& of) {
    expect_same_value(of.mean());
    expect_same_value(of.variance());
  };
  expect_same(session_.from(words));
  expect_same(session_.from(std::vector<std::int64_t>(words.begin(), words.end())));
  expect_same(session_.from(std::vector<std::int8_t>(words.begin(), words.end())));
}

TEST_F(element_on_device, orders_nan_after_every_number) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const auto& rows : {std::vector<float>{nan, 3, nan, -1}, std::vector<float>{2, -0.0f, 0.0f},
                           std::vector<float>{nan, nan}, std::vector<float>{0.0f, -0.0f, nan}}) {
    const auto all = session_.from(rows);
    expect_same_value(all.min());
    expect_same_value(all.max());
  }
}

TEST_F(element_on_device, makes_keys_of_the_same_bits) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<both_keys> rows{{0, 0.0f},   {0, -0.0f},         {-1, inf},
                                    {-1, -inf},  {5, std::nanf("")}, {5, -std::nanf("2")},
                                    {-32768, 1}, {32767, -1},        {7, 1e-40f}};
  const auto all = session_.from(rows);
  const auto by_struct =
      all.map(&both_keys::low)
          .enumerate()
          .map(fn<&indexed<float>::value>);  // fused: the key is of a computed record
  on_each(detail::access::node(by_struct.group_by(detail::to_itself{}).count()),
          [&](testing::element_runner run) {
            const auto found = run.grouped(1);
            for (std::size_t i = 0; i < rows.size(); ++i)
              EXPECT_EQ(nth<std::uint32_t>(found.keys, i), detail::encode_key(rows[i].low)) << i;
          });
  on_each(detail::access::node(all.group_by(detail::to_itself{}).sum(&both_keys::low)),
          [&](testing::element_runner run) {
            const auto found = run.grouped(sizeof(float));
            for (std::size_t i = 0; i < rows.size(); ++i) {
              EXPECT_EQ(nth<std::uint64_t>(found.keys, i), detail::encode_key(rows[i])) << i;
              EXPECT_EQ(std::bit_cast<std::uint32_t>(nth<float>(found.values, i)),
                        std::bit_cast<std::uint32_t>(rows[i].low));
            }
          });
}

TEST_F(element_on_device, leaves_keys_of_a_domain_as_they_are) {
  const auto all = session_.from(std::vector<std::int16_t>{0, 3, -1, 7});
  on_each(detail::access::node(all.group_by(detail::to_itself{}, domain{5}).count()),
          [&](testing::element_runner run) {
            const auto found = run.grouped(1);
            EXPECT_EQ(nth<std::uint32_t>(found.keys, 0), 0u);
            EXPECT_EQ(nth<std::uint32_t>(found.keys, 1), 3u);
            EXPECT_EQ(nth<std::uint32_t>(found.keys, 2), 4294967295u);
            EXPECT_EQ(nth<std::uint32_t>(found.keys, 3), 7u);
          });
}

TEST_F(element_on_device, sorts_by_the_order_of_its_key_bits) {
  auto rows = points(60);
  for (auto& p : rows) p.x = std::round(p.x);
  const auto sorted = session_.from(rows).sort_by(descending(&point::x), &point::y);
  on_each(detail::access::node(sorted), [&](testing::element_runner run) {
    const auto keys = run.keys(0);
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    sort_stably(order, [&](auto i) { return nth<std::uint64_t>(keys, i); });
    const auto expected = sorted.collect();
    for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[order[i]], expected[i]);
  });
}

TEST_F(element_on_device, cuts_keys_of_more_than_eight_bytes_into_passes) {
  auto rows = points(60);
  for (auto& p : rows) p = {std::round(p.x), std::round(p.y), p.id % 3};
  const auto sorted = session_.from(rows).sort_by(&point::x, descending(&point::id), &point::y);
  ASSERT_EQ(codegen::element_of(*detail::access::node(sorted))->key_bytes,
            (std::vector<std::size_t>{4, 8, 4}));
  on_each(detail::access::node(sorted), [&](testing::element_runner run) {
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto narrow = run.keys(0), wide = run.keys(1), first = run.keys(2);
    sort_stably(order, [&](auto i) { return nth<std::uint32_t>(narrow, i); });
    sort_stably(order, [&](auto i) { return nth<std::uint64_t>(wide, i); });
    sort_stably(order, [&](auto i) { return nth<std::uint32_t>(first, i); });
    const auto expected = sorted.collect();
    for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[order[i]], expected[i]);
  });
}

TEST_F(element_on_device, combines_running_values) {
  const auto ids = session_.from(points(100)).map(&point::id);
  const auto narrow = session_.range(1, 13).inclusive_scan(std::multiplies<>{});
  for (const auto& node : {detail::access::node(ids.inclusive_scan()), detail::access::node(narrow),
                           detail::access::node(ids.inclusive_scan(std::bit_or<>{}))}) {
    const auto expected = detail::evaluate_contiguous(detail::access::session(session_), node);
    on_each(node, [&](testing::element_runner run) {
      const auto got = run.scanned();
      ASSERT_EQ(got.size(), expected->bytes());
      EXPECT_EQ(std::memcmp(got.data(), expected->data(), got.size()), 0);
    });
  }
}

TEST_F(element_on_device, compiles_text_whose_names_it_uses_itself) {
  const auto code = device_text("element",
                                "typedef struct { float x, y; long id; } point;\n"
                                "float accumulate(float v0) { return v0 + 1; }\n"
                                "float element(point value) { return accumulate(value.x); }");
  expect_same_records(session_.from(points(50))
                          .map(with_device_code([](const point& p) { return p.x + 1; }, code)));
}

TEST_F(element_on_device, compiles_functions_that_are_called_like_what_it_calls) {
  for (const std::string name :
       {"IS_INTEGER", "RETURNS_FLOAT", "ELEMENT_ARGS", "get_global_id", "get_global_size"})
    expect_same_records(session_.range(0, 50).map(
        with_device_code([](int x) { return x + 3; },
                         device_text(name, "int " + name + "(int x) { return x + 3; }"))));
}

TEST_F(element_on_device, takes_structs_without_a_typedef) {
  const auto code = device_text("of",
                                "struct point { float x, y; long id; };\n"
                                "float of(point p) { return p.y; }");
  expect_same_records(
      session_.from(points(50)).map(with_device_code([](const point& p) { return p.y; }, code)));
}

/// The compiler's words about a stage that it refuses.
TEST_F(element_on_device, shows_errors_in_the_lines_of_the_users_text) {
  const auto refused = [&](const std::string& function, const device_code& code) {
    std::string log;
    const auto rows = session_.from(points(3)).map(
        with_device_code([](const point& p) { return static_cast<int>(p.id); }, code));
    on_each(detail::access::node(rows.materialise()), [&](testing::element_runner run) {
      try {
        run.records();
        ADD_FAILURE() << function << " was compiled";
      } catch (const devices::device_error& e) {
        EXPECT_EQ(e.what_failed, devices::fault::build_failed);
        log = e.log;
      }
    });
    return log;
  };
  device_code in_file{
      "typedef struct { float x, y; long id; } point;\n"
      "int of(point p) {\n  return p.z;\n}\n",
      "points.cl", "of"};
  EXPECT_THAT(refused("of", in_file), HasSubstr("points.cl:3:"));
  EXPECT_THAT(refused("none", device_text("none", "\n\nint none(int p) { return q; }")),
              HasSubstr("the text of none, given at element_test.cpp:"));
  in_file.text = "typedef struct { float x, y; int id; } point;\nint of(point p) { return 1; }\n";
  EXPECT_THAT(refused("of", in_file), HasSubstr("pappus_size_of_point_must_be_16"));
  in_file.text = "long of(point p) { return 1; }\n";
  EXPECT_THAT(refused("of", in_file), HasSubstr("of_must_return_int"));
  in_file.text = "float of(point p) { return 1; }\n";
  EXPECT_THAT(refused("of", in_file), HasSubstr("of_must_return_int"));
  in_file.text = "int of(point p, int more) { return 1; }\n";
  EXPECT_THAT(refused("of", in_file), HasSubstr("the call of(record_point):"));
}

TEST_F(element_on_device, runs_batched_functions_record_by_record) {
  const auto twice = with_device_code(
      batched<float>([](std::span<const point> in, std::span<float> out, float k) {
        for (std::size_t i = 0; i < in.size(); ++i) out[i] = in[i].x * k;
      }),
      device_text("times", std::string(point_text) + "float times(point p, float k) "
                                                     "{ return p.x * k; }"),
      2.0f);
  const auto all = session_.from(points(100));
  expect_same_records(all.map(twice));
  expect_same_value(all.map(twice).sum());
}

}  // namespace
}  // namespace pappus
