// Runs the lambdas of a program of random_lambdas.py on the CPU and on OpenCL and compares what
// they yield. With RANDOM_LAMBDAS_ON_CPU on the CPU alone, for sanitizers to watch.
#pragma once

#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "compiler/random_arithmetic.h"
#include "pappus/pappus.h"

/// What a lambda yields: exactly the same everywhere, but for `inexact`.
struct result {
  std::uint64_t a;
  double b;
  float c;
  std::uint32_t d;
  double inexact;
};

template <typename T>
bool same_number(T a, T b) {
  return (a != a && b != b) || std::memcmp(&a, &b, sizeof(T)) == 0;
}
inline bool same(const result& x, const result& y) {
  const double apart = std::fabs(x.inexact - y.inexact);
  return x.a == y.a && x.d == y.d && same_number(x.b, y.b) && same_number(x.c, y.c) &&
         (same_number(x.inexact, y.inexact) || apart <= 1e-5 * (1 + std::fabs(x.inexact)));
}
inline std::ostream& operator<<(std::ostream& out, const result& r) {
  return out << '{' << r.a << ", " << r.b << ", " << r.c << ", " << r.d << ", " << r.inexact << '}';
}

/// Random numbers, many of them at the edges of their types.
class values {
 public:
  explicit values(std::uint64_t seed) : numbers_(seed) {}

  template <typename T>
  T value() {
    if constexpr (std::is_same_v<T, bool>) {
      return numbers_() % 2 == 0;
    } else if constexpr (std::is_enum_v<T>) {
      return static_cast<T>(value<std::underlying_type_t<T>>());
    } else if constexpr (std::is_floating_point_v<T>) {
      using limits = std::numeric_limits<T>;
      const T known[] = {T(0),          -T(0),         limits::infinity(),   -limits::infinity(),
                         limits::max(), limits::min(), limits::denorm_min(), limits::quiet_NaN()};
      if (numbers_() % 8 == 0) return known[numbers_() % 8];
      return std::uniform_real_distribution<T>(-200, 200)(numbers_);
    } else {
      const auto pick = numbers_() % 8;
      if (pick == 0) return std::numeric_limits<T>::max();
      if (pick == 1) return std::numeric_limits<T>::min();
      if (pick < 5) return static_cast<T>(numbers_() % 10);
      return static_cast<T>(numbers_());
    }
  }
  template <typename T, std::size_t N>
  std::array<T, N> array() {
    std::array<T, N> all;
    for (T& x : all) x = value<T>();
    return all;
  }

 private:
  std::mt19937_64 numbers_;
};

/// What N lambdas yield for a record.
template <std::size_t N>
struct results_of_lambdas {
  result of[N];
};
template <std::size_t N>
struct pappus::detail::device_shape<results_of_lambdas<N>> {
  static constexpr std::array<device_field, N> fields = [] {
    constexpr std::string_view names = "abcdefghij";
    std::array<device_field, N> all;
    for (std::size_t i = 0; i < N; ++i)
      all[i] = {names.substr(i, 1), i * sizeof(result), &device_type_of<result>};
    return all;
  }();
  static constexpr device_type make() {
    return device_fields<results_of_lambdas<N>>(device_shape::fields);
  }
};

template <typename T>
struct side_of {
  std::vector<T> rows;
};
struct nothing {};

/// The expression rows.map(all lambdas at once): each is a thunk of its own, in one kernel. A
/// lambda that isn't wanted yields on a device what another one does.
template <typename Record, typename Sides, typename... F>
struct all_of;
template <typename Record, typename... Sides, typename... F>
struct all_of<Record, pappus::detail::side_list<Sides...>, F...> {
  using value_type = results_of_lambdas<sizeof...(F)>;
  static constexpr auto yields = pappus::detail::cardinality::one;
  std::tuple<pappus::detail::call<F, Sides...>...> calls;
  int wanted;  // -1: all

  /// Compiled once: every loop over the lambdas calls it.
  [[gnu::noinline]] value_type evaluate(const Record& r,
                                        const pappus::detail::block_args& args) const {
    return std::apply([&](const auto&... call) { return value_type{{call.bind(args)(r)...}}; },
                      calls);
  }
  struct bound {
    const all_of* self;
    pappus::detail::block_args args;
    template <typename Sink>
    void at(std::int64_t i, Sink&& sink) const {
      sink(self->evaluate(reinterpret_cast<const Record*>(args.inputs[0])[i], args));
    }
  };
  bound bind(const pappus::detail::block_args& args) const { return {this, args}; }
  pappus::detail::device_variable describe(pappus::detail::device_writer& to) const {
    using namespace pappus::detail;
    const auto row = to.load(0, device_type_of<Record>);
    to.begin();
    std::array<device_variable, sizeof...(F)> yielded;
    yielded.fill(device_writer::no_variable);
    std::size_t i = 0;
    device_variable last = device_writer::no_variable;
    std::apply(
        [&](const auto&... call) {
          const auto describe_one = [&](const auto& one) {
            if (wanted < 0 || wanted == static_cast<int>(i))
              last = yielded[i] = one.template describe<result, Record>(to, row);
            ++i;
          };
          (describe_one(call), ...);
        },
        calls);
    for (auto& v : yielded)
      if (v == device_writer::no_variable) v = last;
    return to.make(device_type_of<value_type>, yielded);
  }
};

using mixture = std::array<std::uint64_t, 4>;
inline bool same(const mixture& x, const mixture& y) { return x == y; }

/// A reducer whose result doesn't depend on the order of records.
template <typename Record, typename F>
struct mixed {
  F f{};
  std::uint64_t sum = 0, bits = 0, greatest = 0;
  std::uint32_t least = ~0u;
  void accumulate(const Record& r) {
    const result of = f(r);
    sum += of.a;
    bits ^= bits_of_number(of.b) + bits_of_number(of.c);
    greatest = std::max(greatest, of.a);
    least = std::min(least, of.d);
  }
  void merge(const mixed& other) {
    sum += other.sum;
    bits ^= other.bits;
    greatest = std::max(greatest, other.greatest);
    least = std::min(least, other.least);
  }
  mixture finalize() const { return {sum, bits, greatest, least}; }
};

class comparison {
 public:
  explicit comparison(std::uint64_t seed) : next_(seed) {
    std::cout << "seed " << seed << '\n';
    if (!on_cpu_alone && !ran_there(device_.range(0, 8).explain_analyze())) {
      std::cout << "SKIP: no OpenCL device\n";
      std::exit(77);
    }
  }

  values& next() { return next_; }
  template <typename T>
  side_of<T> side() {
    side_of<T> made;
    for (std::size_t n = 1 + next_.value<std::uint8_t>() % 50; n > 0; --n)
      made.rows.push_back(next_.value<T>());
    return made;
  }

  template <typename Record, typename Side, typename... F>
  void map(int first, const Side& side, const F&... f) {
    const auto records = filled<Record>();
    const auto on_cpu = mapped(cpu_, records, side, -1, f...).collect();
    const int n = sizeof...(F);
    if (on_cpu_alone) return;
    if (compare_mapped(mapped(device_, records, side, -1, f...), on_cpu, first, 0, n)) return;
    for (int i = 0; i < n; ++i) {
      const auto query = mapped(device_, records, side, i, f...);
      if (!compare_mapped(query, on_cpu, first, i, i + 1)) refuse(first + i, query.explain());
    }
  }
  template <typename Record, typename F>
  void filter(int number, const F& f) {
    const auto keeps = [f](const Record& r) { return f(r).d % 3 != 0; };
    compare<Record>(number, [&](const auto& rows) { return rows.filter(keeps).map(f); });
  }
  template <typename Record, typename F>
  void flat_map(int number, const F& f) {
    const auto several = [f](const Record& r) {
      const auto one = f(r);
      std::array<result, 2> both{one, one};
      both[1].a = both[0].d;
      return both;
    };
    compare<Record>(number, [&](const auto& rows) { return rows.flat_map(several); });
  }
  template <typename Record, typename F>
  void reduce(int number, const F&) {
    compare<Record>(number,
                    [&](const auto& rows) { return rows.template reduce<mixed<Record, F>>(); });
  }

  int report() const {
    std::cout << compared_ << " compared, " << different_ << " different, " << refused_
              << " not compiled\n";
    // References that may lead to one of several variables aren't followed.
    return different_ == 0 && refused_ * 20 <= compared_ ? 0 : 1;
  }

 private:
  static constexpr std::size_t rows = 500;
#ifdef RANDOM_LAMBDAS_ON_CPU
  static constexpr bool on_cpu_alone = true;
#else
  static constexpr bool on_cpu_alone = false;
#endif

  static bool ran_there(const std::string& told) {
    return told.find("ran on opencl") != std::string::npos &&
           told.find("moved to the CPU") == std::string::npos;
  }

  template <typename Record>
  std::vector<Record> filled() {
    std::vector<Record> records(rows);
    for (auto& record : records) fill(next_, record);
    return records;
  }

  template <typename Record, typename Side, typename... F>
  auto mapped(pappus::session& in, const std::vector<Record>& records, const Side& side, int wanted,
              const F&... f) {
    const auto source = in.borrow(records);
    auto stage = pappus::detail::access::stage(source);
    stage.ops.push_back({"map", pappus::detail::next_op_id()});
    if constexpr (std::is_same_v<Side, nothing>) {
      using all = all_of<Record, pappus::detail::side_list<>, F...>;
      return pappus::query<all>(pappus::detail::access::session(in), all{{{f, 0}...}, wanted},
                                std::move(stage));
    } else {
      using T = typename decltype(side.rows)::value_type;
      using all = all_of<Record, pappus::detail::side_list<T>, F...>;
      stage.sides.push_back(in.from(side.rows).shared().node);
      return pappus::query<all>(pappus::detail::access::session(in), all{{{f, 0}...}, wanted},
                                std::move(stage));
    }
  }

  /// Lambdas from begin to end of those from `first`. False: it didn't run on the device.
  template <typename Query, typename Rows>
  bool compare_mapped(const Query& query, const Rows& on_cpu, int first, int begin, int end) {
    if (!ran_there(query.explain_analyze())) return false;
    const auto on_device = query.collect();
    for (int k = begin; k < end; ++k) {
      ++compared_;
      for (std::size_t i = 0; i < rows; ++i)
        if (const auto &a = on_cpu[i].of[k], &b = on_device[i].of[k]; !same(a, b)) {
          ++different_;
          std::cout << "lambda " << first + k << ", record " << i << ": cpu " << a << ", device "
                    << b << '\n';
          break;
        }
    }
    return true;
  }

  template <typename Query>
  static auto rows_of(const Query& query) {
    if constexpr (requires { query.collect(); })
      return query.collect().to_vector();
    else
      return std::vector{query.get()};
  }

  template <typename Record, typename Make>
  void compare(int number, Make make) {
    const auto records = filled<Record>();
    const auto on_cpu = rows_of(make(cpu_.borrow(records)));
    if (on_cpu_alone) return;
    const auto query = make(device_.borrow(records));
    const auto told = query.explain_analyze();
    if (!ran_there(told)) return refuse(number, told);
    ++compared_;
    const auto on_device = rows_of(query);
    bool all_same = on_cpu.size() == on_device.size();
    for (std::size_t i = 0; all_same && i < on_cpu.size(); ++i)
      all_same = same(on_cpu[i], on_device[i]);
    if (all_same) return;
    ++different_;
    std::cout << "lambda " << number << ": " << on_device.size() << " rows of " << on_cpu.size()
              << ", or other values\n";
  }

  void refuse(int number, const std::string& told) {
    ++refused_;
    std::cout << "lambda " << number << " ran on the CPU:\n" << told << '\n';
  }

  values next_;
  int compared_ = 0, different_ = 0, refused_ = 0;
  pappus::session cpu_{pappus::options{.threads = 1, .devices = "cpu"}};
  pappus::session device_{pappus::options{.devices = "opencl:0"}};
};
