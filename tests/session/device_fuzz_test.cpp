// Random pipelines on random devices: the result is the CPU's.
//
// Types are fixed when a query is compiled, so a pipeline is a chain of steps from rows to rows of
// one record; what is typed differently on the way stays inside a step. All results are integers,
// the same wherever they are computed, but for one sum of floats at the end. Every function is
// there for OpenCL, too, but for a few: their stages run on the CPU, among others on devices.
//
// PAPPUS_FUZZ_PIPELINES=5000 runs as many, PAPPUS_FUZZ_FIRST=4711 begins with that one.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "conformance/harness.h"
#include "devices/registry.h"
#include "pappus/pappus.h"
#include "session/two_devices.h"
#include "support/sanitizers.h"

namespace pappus::testing {
namespace {

struct fuzzed {
  int station, value;
  std::int64_t total;
};
struct wide_fuzzed {
  fuzzed row;
  std::array<int, 58> rest;
};

// The functions below, for devices.
constexpr const char* device_functions = R"(
typedef struct { int station; int value; long total; } fuzzed;
typedef struct { fuzzed row; int rest[58]; } wide_fuzzed;
typedef struct { fuzzed first; fuzzed second; } pair_fuzzed_fuzzed;
typedef struct { long index; fuzzed value; } indexed_fuzzed;
typedef struct { int key; long value; } keyed_int_long;
typedef struct { long key; long value; } keyed_long_long;

fuzzed mixed(fuzzed r, int k) { r.value = (int)((uint)r.value * 31u + (uint)k) % 5000; return r; }
int kept(fuzzed r, int least) { return r.value >= least; }
long copies_count(fuzzed r, int most) { return (r.value % most + most) % most; }
fuzzed copies_at(fuzzed r, int most, long j) { r.total += j; return r; }
fuzzed shifted(fuzzed r, GLOBAL const fuzzed* few, long n) {
  if (n > 0) r.total += few[(ulong)(uint)r.value % (ulong)n].value;
  return r;
}
wide_fuzzed widened(fuzzed r) {
  wide_fuzzed w;
  w.row = r;
  for (int i = 0; i < 58; ++i) w.rest[i] = r.value + i;
  return w;
}
fuzzed narrowed(wide_fuzzed w) { w.row.total += w.rest[57]; return w.row; }
int station_of(fuzzed r) { return ((r.station % 64) + 64) % 64; }
int rest_of(wide_fuzzed w) { return w.rest[3]; }
fuzzed joint(pair_fuzzed_fuzzed p) {
  p.first.value = p.second.value;
  p.first.total -= p.second.total;
  return p.first;
}
fuzzed numbered(indexed_fuzzed r) { r.value.total += r.index; return r.value; }
fuzzed of_total(long t) { fuzzed r = {(int)(t % 50), (int)(t % 5000), t}; return r; }
fuzzed of_group(keyed_int_long g) {
  fuzzed r = {g.key, (int)(g.value % 4000), g.value};
  return r;
}
fuzzed of_long_group(keyed_long_long g) {
  fuzzed r = {(int)(g.key % 50), (int)(g.key % 4000), g.value};
  return r;
}
fuzzed matched(fuzzed a, fuzzed b) { a.total += 2 * b.total; return a; }
fuzzed either(GLOBAL const fuzzed* a, fuzzed b) { b.total += a ? 3 * a->total : 7; return b; }
long greater(long a, long b) { return a > b ? a : b; }
double level(fuzzed r) { return (double)r.value * 0.125 + (double)(r.total % 1000) / 7.0; }
)";

fuzzed mixed(const fuzzed& r, int k) {
  const auto v = static_cast<unsigned>(r.value) * 31u + static_cast<unsigned>(k);
  return {r.station, static_cast<int>(v) % 5000, r.total};
}
bool kept(const fuzzed& r, int least) { return r.value >= least; }
std::vector<fuzzed> copies(const fuzzed& r, int most) {
  std::vector<fuzzed> all(static_cast<std::size_t>((r.value % most + most) % most), r);
  for (std::size_t j = 0; j < all.size(); ++j) all[j].total += static_cast<std::int64_t>(j);
  return all;
}
fuzzed shifted(const fuzzed& r, std::span<const fuzzed> few) {
  if (few.empty()) return r;
  return {r.station, r.value, r.total + few[static_cast<unsigned>(r.value) % few.size()].value};
}
wide_fuzzed widened(const fuzzed& r) {
  wide_fuzzed w{r, {}};
  for (int i = 0; i < 58; ++i) w.rest[static_cast<std::size_t>(i)] = r.value + i;
  return w;
}
fuzzed narrowed(const wide_fuzzed& w) {
  return {w.row.station, w.row.value, w.row.total + w.rest[57]};
}
int station_of(const fuzzed& r) { return ((r.station % 64) + 64) % 64; }
int rest_of(const wide_fuzzed& w) { return w.rest[3]; }
fuzzed joint(const pair<fuzzed, fuzzed>& p) {
  return {p.first.station, p.second.value, p.first.total - p.second.total};
}
fuzzed numbered(const indexed<fuzzed>& r) {
  return {r.value.station, r.value.value, r.value.total + r.index};
}
fuzzed of_total(const std::int64_t& t) {
  return {static_cast<int>(t % 50), static_cast<int>(t % 5000), t};
}
fuzzed of_group(const keyed<int, std::int64_t>& g) {
  return {g.key, static_cast<int>(g.value % 4000), g.value};
}
fuzzed of_long_group(const keyed<std::int64_t, std::int64_t>& g) {
  return {static_cast<int>(g.key % 50), static_cast<int>(g.key % 4000), g.value};
}
fuzzed matched(const fuzzed& a, const fuzzed& b) {
  return {a.station, a.value, a.total + 2 * b.total};
}
fuzzed either(const fuzzed* a, const fuzzed& b) {
  return {b.station, b.value, b.total + (a != nullptr ? 3 * a->total : 7)};
}
std::int64_t greater(std::int64_t a, std::int64_t b) { return a > b ? a : b; }
double level(const fuzzed& r) {
  return r.value * 0.125 + static_cast<double>(r.total % 1000) / 7.0;
}

template <auto Function, typename... Values>
auto coded(const char* name, Values... values) {
  return with_device_code(fn<Function>, device_text(name, device_functions), values...);
}

using rows = collection<fuzzed>;

/// Makes a pipeline. Made again from the same seed, it is the same.
class pipeline {
 public:
  pipeline(session& made_in, const std::vector<fuzzed>& input, std::uint64_t seed)
      : s(made_in), numbers(seed), rows_max_(static_cast<std::int64_t>(input.size())) {
    earlier_.push_back(s.borrow(input));
  }

  rows make() {
    rows at = earlier_.front();
    for (auto steps = numbers.between(1, 6); steps > 0; --steps) {
      at = step(at);
      if (numbers.between(0, 7) == 0) at = named(" cache", at.cache());
      earlier_.push_back(at);
    }
    return at;
  }
  const std::string& name() const { return name_; }

  // For steps.
  session& s;
  random numbers;
  int number(int low, int high) { return static_cast<int>(numbers.between(low, high)); }
  /// A few of the rows of this step or another.
  rows few(const rows& in) { return earlier_or(in).take(number(0, 70)); }
  /// The rows of this step or, outside loops, another.
  rows earlier_or(const rows& in) { return within_loops_ > 0 ? in : earlier(); }
  rows earlier() {
    return earlier_[static_cast<std::size_t>(number(0, static_cast<int>(earlier_.size()) - 1))];
  }
  /// A loop over one or two steps.
  rows loop(const rows& in) {
    if (within_loops_ == 2) return in;
    ++within_loops_;
    name_ += " do_while(";
    const auto body = [&](rows at) {
      for (auto steps = number(1, 2); steps > 0; --steps) at = step(at);
      return at;
    };
    const auto always = [](std::span<const fuzzed>, std::span<const fuzzed>) { return true; };
    const auto result = s.do_while(in, body, always, max_iterations{number(1, 3)});
    name_ += ")";
    --within_loops_;
    return result;
  }

 private:
  rows step(const rows& in);
  rows named(const char* name, rows result) {
    name_ += name;
    return result;
  }

  std::int64_t rows_max_;
  int within_loops_ = 0;
  std::vector<rows> earlier_;
  std::string name_;
};

struct named_step {
  const char* name;
  std::int64_t growth;  // at most so many rows for one
  std::function<rows(pipeline&, const rows&)> run;
};

const std::vector<named_step>& row_by_row() {
  using in = const rows&;
  static const std::vector<named_step> all{
      {"map", 1, [](pipeline& p, in r) { return r.map(coded<mixed>("mixed", p.number(0, 99))); }},
      {"filter", 1,
       [](pipeline& p, in r) { return r.filter(coded<kept>("kept", p.number(-6000, 6000))); }},
      {"map·filter·map", 1,
       [](pipeline& p, in r) {
         return r.map(coded<mixed>("mixed", p.number(0, 99)))
             .filter(coded<kept>("kept", p.number(-6000, 6000)))
             .map(coded<mixed>("mixed", 5));
       }},
      {"flat_map", 3,
       [](pipeline& p, in r) { return r.flat_map(coded<copies>("copies", p.number(1, 4))); }},
      {"filter·flat_map·filter", 2,
       [](pipeline& p, in r) {
         return r.filter(coded<kept>("kept", p.number(-6000, 6000)))
             .flat_map(coded<copies>("copies", 3))
             .filter(coded<kept>("kept", 0));
       }},
      {"map_shared", 1,
       [](pipeline& p, in r) { return r.map(coded<shifted>("shifted"), p.few(r).shared()); }},
      {"lambda", 1,
       [](pipeline& p, in r) {
         return r.map([k = p.number(0, 99)](const fuzzed& x) {
           return fuzzed{x.station ^ (k & 7), x.value, x.total + k};
         });
       }},
      {"zip", 1,
       [](pipeline& p, in r) {
         return r.map(coded<mixed>("mixed", 1)).zip(p.few(r).concat(r)).map(coded<joint>("joint"));
       }},
      {"enumerate", 1,
       [](pipeline&, in r) { return r.enumerate().map(coded<numbered>("numbered")); }},
  };
  return all;
}

const std::vector<named_step>& ordering() {
  using in = const rows&;
  static const std::vector<named_step> all{
      {"sort_by", 1, [](pipeline&, in r) { return r.sort_by(&fuzzed::value); }},
      {"sort_by_two", 1,
       [](pipeline&, in r) { return r.sort_by(&fuzzed::station, descending(&fuzzed::total)); }},
      {"map·sort_by", 1,
       [](pipeline&, in r) { return r.map(coded<mixed>("mixed", 3)).sort_by(&fuzzed::value); }},
      {"sort_by of wide rows", 1,
       [](pipeline&, in r) {
         return r.map(coded<widened>("widened"))
             .materialise()
             .sort_by(coded<rest_of>("rest_of"))
             .map(coded<narrowed>("narrowed"));
       }},
      {"top", 1, [](pipeline& p, in r) { return r.top(p.number(0, 300), &fuzzed::total); }},
      {"filter·bottom", 1,
       [](pipeline& p, in r) {
         return r.filter(coded<kept>("kept", 0)).bottom(p.number(0, 5000), &fuzzed::value);
       }},
      {"take", 1, [](pipeline& p, in r) { return r.take(p.number(0, 70'000)); }},
      {"skip", 1, [](pipeline& p, in r) { return r.skip(p.number(0, 5000)); }},
      {"scatter", 1,
       [](pipeline& p, in r) {
         constexpr int extent = 80'000;
         return r.take(extent / 2)
             .enumerate()
             .scatter(
                 [k = p.number(0, 1)](const indexed<fuzzed>& x) {
                   return k + (x.index * 37) % (extent / 2) * 2;
                 },
                 [](const indexed<fuzzed>& x) { return x.value; }, extent, {1, 2, 3});
       }},
      {"inclusive_scan", 1,
       [](pipeline&, in r) {
         return r.map(&fuzzed::value).inclusive_scan().map(coded<of_total>("of_total"));
       }},
      {"exclusive_scan", 1,
       [](pipeline& p, in r) {
         return r.map(&fuzzed::total)
             .exclusive_scan(std::int64_t{p.number(0, 9)}, coded<greater>("greater"))
             .map(coded<of_total>("of_total"));
       }},
  };
  return all;
}

const std::vector<named_step>& combining() {
  using in = const rows&;
  static const std::vector<named_step> all{
      {"group_by.sum", 1,
       [](pipeline&, in r) {
         return r.group_by(&fuzzed::value).sum(&fuzzed::station).map(coded<of_group>("of_group"));
       }},
      {"group_by.count", 1,
       [](pipeline&, in r) {
         return r.map(coded<mixed>("mixed", 2))
             .group_by(&fuzzed::total)
             .count()
             .map(coded<of_long_group>("of_long_group"));
       }},
      {"group_by.sum in a domain", 64,
       [](pipeline&, in r) {
         return r.group_by(coded<station_of>("station_of"), domain{64})
             .sum(&fuzzed::total)
             .map(coded<of_group>("of_group"));
       }},
      {"distinct", 1,
       [](pipeline&, in r) {
         return r.map(&fuzzed::total).distinct().map(coded<of_total>("of_total"));
       }},
      {"union_with", 2,
       [](pipeline& p, in r) {
         return r.map(&fuzzed::total)
             .union_with(p.few(r).map(&fuzzed::total))
             .map(coded<of_total>("of_total"));
       }},
      {"intersect·except", 1,
       [](pipeline& p, in r) {
         const auto totals = r.map(&fuzzed::total);
         return totals.intersect(p.earlier_or(r).map(&fuzzed::total))
             .except(p.few(r).map(&fuzzed::total))
             .map(coded<of_total>("of_total"));
       }},
      {"join", 71,
       [](pipeline& p, in r) {
         return r.join(p.few(r), &fuzzed::value, &fuzzed::value, coded<matched>("matched"));
       }},
      {"right_join", 71,
       [](pipeline& p, in r) {
         return p.few(r).right_join(r, &fuzzed::value, &fuzzed::value, coded<either>("either"));
       }},
      {"full_join", 72,
       [](pipeline& p, in r) {
         return r.full_join(p.few(r), &fuzzed::value, &fuzzed::value,
                            [](const fuzzed* a, const fuzzed* b) {
                              return a == nullptr ? fuzzed{b->station, 1, b->total} : either(b, *a);
                            });
       }},
      {"semi_join", 1,
       [](pipeline& p, in r) {
         return r.semi_join(p.few(r), coded<station_of>("station_of"),
                            coded<station_of>("station_of"));
       }},
      {"anti_join·map", 1,
       [](pipeline& p, in r) {
         return r.anti_join(p.few(r), &fuzzed::total, &fuzzed::total).map(coded<mixed>("mixed", 4));
       }},
      {"concat", 2, [](pipeline&, in r) { return r.skip(5).concat(r.take(1000)); }},
      {"loop", 1, [](pipeline& p, in r) { return p.loop(r); }},
  };
  return all;
}

rows pipeline::step(const rows& in) {
  const auto& kind = std::array{&row_by_row, &ordering, &combining}[numbers.between(0, 2) % 3]();
  const auto& chosen = kind[static_cast<std::size_t>(number(0, static_cast<int>(kind.size()) - 1))];
  constexpr std::int64_t rows_max = 300'000;
  // Iterations multiply: loops don't grow.
  const bool grows = chosen.growth > 1;
  if (grows && (within_loops_ > 0 || rows_max_ * chosen.growth > rows_max)) return in;
  rows_max_ *= chosen.growth;
  name_ += std::string(" ") + chosen.name;
  return chosen.run(*this, in);
}

/// What a pipeline is run with.
struct surroundings {
  options cpu, device;
  std::int64_t rows;
  bool opencl = false;
};

surroundings surroundings_of(std::uint64_t seed) {
  random numbers(seed);
  const auto one_of = [&](std::initializer_list<std::int64_t> list) {
    return list.begin()[numbers.between(0, static_cast<std::int64_t>(list.size()) - 1)];
  };
  surroundings made;
  made.cpu = {.threads = 2, .devices = "cpu"};
  made.rows = one_of(
      {0, 1, 2, 17, 300, 4095, 4096, 4097, numbers.between(0, 20'000), numbers.between(0, 70'000)});
  made.device.threads = static_cast<unsigned>(numbers.between(1, 4));
  made.device.chunk_rows = one_of({0, 0, 0, 7, 1000, 4097, 65'536});
  if (made.rows > 5000 && made.device.chunk_rows == 7) made.device.chunk_rows = 100;
  // Of what sanitizers see most is there on test devices, which don't compile kernels meanwhile.
  made.opencl = numbers.between(0, 11) < (sanitized ? 1 : 3) && !devices::all_devices().empty();
  if (made.opencl) {
    const bool both = numbers.between(0, 1) == 1 && devices::all_devices().size() > 1;
    made.device.devices = both ? "opencl:0,opencl:1" : "opencl:0";
    made.device.device_memory = static_cast<std::size_t>(one_of({1 << 16, 1 << 20, 1 << 24, 0}));
    return made;
  }
  for (auto devices = numbers.between(1, 3); devices > 0; --devices)
    made.device.devices += fmt::format("test:seed={}+delay_us={}+like={}+memory={}KiB,",
                                       seed + static_cast<unsigned>(devices), one_of({0, 0, 5}),
                                       numbers.between(0, 1) == 0 ? "cpu" : "gpu",
                                       one_of({64, 300, 1 << 10, 1 << 12, 1 << 16}));
  made.device.devices += numbers.between(0, 2) == 0 ? "cpu" : "";
  if (made.device.devices.back() == ',') made.device.devices.pop_back();
  return made;
}

std::vector<fuzzed> random_rows(std::int64_t n, std::uint64_t seed) {
  random numbers(seed);
  const auto stations = numbers.between(0, 100);
  std::vector<fuzzed> made(static_cast<std::size_t>(n));
  for (auto& r : made)
    r = {static_cast<int>(numbers.between(-stations, stations)),
         static_cast<int>(numbers.between(-5000, 5000)), numbers.between(-stations, 9999)};
  return made;
}

TEST(device_fuzz, random_pipelines_have_the_result_of_the_cpu) {
  const auto from_environment = [](const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
  };
  const auto first = from_environment("PAPPUS_FUZZ_FIRST", 1);
  const auto pipelines = from_environment("PAPPUS_FUZZ_PIPELINES", sanitized ? 40 : 100);
  std::size_t result_rows = 0;
  for (auto seed = first; seed < first + pipelines; ++seed) {
    const auto with = surroundings_of(seed);
    const auto input = random_rows(with.rows, seed);
    session cpu(with.cpu), device(with.device);
    pipeline on_cpu(cpu, input, seed), on_device(device, input, seed);
    const auto expected = on_cpu.make();
    const auto got = on_device.make();
    SCOPED_TRACE(fmt::format("PAPPUS_FUZZ_FIRST={}: {} rows{} on {}, {} B there, {} rows a chunk",
                             seed, with.rows, on_cpu.name(), with.device.devices,
                             with.device.device_memory, with.device.chunk_rows));
    const auto rows = expected.collect().to_vector();
    ASSERT_TRUE(same_rows(got.collect().to_vector(), rows));
    ASSERT_TRUE(same_rows(got.collect().to_vector(), rows)) << "when run again";
    const auto count = got.filter(coded<kept>("kept", 0)).count();
    const auto total = got.map(&fuzzed::total).sum();
    device.run(count, total);
    ASSERT_EQ(count.get(), expected.filter(coded<kept>("kept", 0)).count().get());
    ASSERT_EQ(total.get(), expected.map(&fuzzed::total).sum().get());
    const double levels = expected.map(coded<level>("level")).sum().get();
    double most = 1;
    for (const auto& r : rows) most += std::abs(level(r));
    ASSERT_NEAR(got.map(coded<level>("level")).sum().get(), levels, 1e-12 * most);
    for (const auto& fault : device.device_faults())
      ASSERT_NE(fault.find("memory"), std::string::npos) << fault;
    result_rows += rows.size();
  }
  EXPECT_GT(result_rows, pipelines) << "the pipelines hardly ever have a result";
}

}  // namespace
}  // namespace pappus::testing
