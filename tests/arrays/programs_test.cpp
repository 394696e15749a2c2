// Random programs over arrays must do what they do when they are run step by step on one thread.
//
// PAPPUS_FUZZ_PROGRAMS=N runs N more of them. A program that fails is told with its seed and with
// the steps that are needed for it to fail.
#include <cstdlib>
#include <iostream>
#include <memory>

#include <gtest/gtest.h>

#include "imagined_file.h"
#include "interpreter.h"
#include "session/session.h"
#include "support/sanitizers.h"

namespace pappus::testing {

void interpreter::make_array(random_numbers& random, std::size_t at) {
  const auto rank = static_cast<std::size_t>(arrays_.size() < 4
                                                 ? 1 + arrays_.size() % 3
                                                 : std::array{1, 1, 1, 2, 2, 3}[random.from(0, 5)]);
  regions::box extents(rank);
  const auto most = large_ ? std::array<std::int64_t, 4>{0, 4000, 70, 17}
                           : std::array<std::int64_t, 4>{0, 300, 23, 9};
  for (std::size_t d = 0; d < rank; ++d) extents.high[d] = random.from(1, most[rank]);
  if (rank == 1 && random.once_in(30)) extents.high[0] = 0;
  const auto value = static_cast<number>(random.from(0, 1000));
  const auto how = random.from(0, rank == 1 ? 5 : 4);
  handle made{new_name(), nullptr, extents, {}};
  const auto make = [&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
    const idx<N> shape = typed<N>(extents).high;
    if (how == 0) made.real = session_.unwritten<number, N>(shape);
    if (how == 1) made.real = session_.zeros<number, N>(shape);
    if (how == 2) made.real = session_.filled<number, N>(shape, value);
    if (how < 3) return;
    std::vector<number> from(static_cast<std::size_t>(extents.volume()));
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = value + static_cast<number>(i * i);
    made.image = std::make_shared<shadow>(extents);
    made.image->values = from;
    if (how == 3) {
      idx<N> chunk;
      for (std::size_t d = 0; d < N; ++d) chunk[d] = random.from(1, extents.high[d] + 2);
      const auto values = made.image;
      values->in_file = true;
      made.real = array_over(session_, imagine<number, N>(shape, chunk, [values](const idx<N>& at) {
                               regions::point place{};
                               for (std::size_t d = 0; d < N; ++d) place[d] = at[d];
                               return values->values[values->offset(place)];
                             }));
      return;
    }
    if constexpr (N == 1)
      if (how == 5) {
        made.real = session_.range(number{0}, static_cast<number>(from.size()))
                        .map([value](number i) { return value + i * i; })
                        .to_array();
        return;
      }
    made.real = session_.to_array<N>(from, shape);
  };
  if (rank == 1) make(std::integral_constant<std::size_t, 1>());
  if (rank == 2) make(std::integral_constant<std::size_t, 2>());
  if (rank == 3) make(std::integral_constant<std::size_t, 3>());
  if (!made.image)
    made.image = std::make_shared<shadow>(extents, how == 0 ? unwritten : 0, how == 2 ? value : 0);
  log_.push_back(fmt::format(
      "{} = {}", made.text(),
      std::array{"unwritten", "zeros", "filled", "file", "to_array", "to_array of a query"}[how]));
  if (at < arrays_.size())
    arrays_[at] = std::move(made);
  else
    arrays_.push_back(std::move(made));
}

handle interpreter::any_part(random_numbers& random, std::size_t rank) {
  std::vector<const handle*> fitting;
  for (const auto& one : arrays_)
    if (one.rank() == rank) fitting.push_back(&one);
  const auto& of = *fitting[random.from(0, static_cast<std::int64_t>(fitting.size()) - 1)];
  return random.once_in(3) ? slice(of, random_part(random, of.extents())) : of;
}

void interpreter::launch(random_numbers& random) {
  const auto has = [&](std::size_t rank) {
    return std::any_of(arrays_.begin(), arrays_.end(),
                       [&](const handle& one) { return one.rank() == rank; });
  };
  const auto& what = menu()[random.from(0, static_cast<std::int64_t>(menu().size()) - 1)];
  std::vector<handle> on;
  for (const auto rank : what.ranks) {
    if (!has(rank)) return;
    on.push_back(any_part(random, rank));
  }
  numbers captured{.k = random.from(1, 3), .n = on[0].extents().high[0]};
  auto indices = on[what.over].extents();
  if (random.once_in(4)) indices = random_part(random, indices);
  if (random.once_in(6))
    for (std::size_t d = 0; d < what.rank; ++d) {
      indices.low[d] += random.from(-2, 3);
      indices.high[d] = std::max(indices.low[d], indices.high[d] + random.from(-3, 3));
    }
  if (what.rank == 1 && on[what.over].rank() == 1 && what.name == "pairs")
    indices.high[0] = std::max(indices.low[0], indices.high[0] / 2 + 2);
  captured.fails = random.once_in(15);
  captured.dawdles = random.once_in(6);
  for (std::size_t d = 0; d < what.rank; ++d)
    captured.odd[d] = random.from(indices.low[d], std::max(indices.low[d], indices.high[d] - 1));
  const bool annotate = !random.once_in(4) && !what.text.empty();
  const auto predicted = predict(what, indices, annotate, captured, on);
  if (predicted.left_out) return;
  std::string names;
  for (const auto& one : on) names += ", " + one.text();
  log_.push_back(fmt::format("for_each({}, {}{} k={}{}{}{})", regions::text(indices), what.name,
                             annotate ? "" : " (assumed)", captured.k,
                             captured.dawdles ? ", slowly" : "", captured.fails ? ", throws" : "",
                             names));
  expect(0, predicted.refused, [&] { what.launch(session_, indices, annotate, captured, on); });
  if (predicted.refused || indices.empty()) return;
  if (predicted.marks != 0) disturbed_ = true;
  if ((predicted.marks & failed) == 0) what.compute(indices, captured, on);
  for (const auto& [image, where] : predicted.writes)
    mark(*image, where, predicted.marks | pending);
}

void interpreter::fill(random_numbers& random) {
  const auto& of = arrays_[random.from(0, static_cast<std::int64_t>(arrays_.size()) - 1)];
  const auto part = any_part(random, of.rank());
  const auto value = static_cast<number>(random.from(0, 1 << 20));
  log_.push_back(fmt::format("{}.fill({})", part.text(), value));
  const bool refused = part.image->in_file && !part.part.empty();
  expect(0, refused, [&] {
    std::visit([&](const auto& real) { real.fill(value); }, part.real);
    if (refused) return;
    each_place(part.part,
               [&](const auto& at) { part.image->values[part.image->offset(at)] = value; });
    mark(*part.image, part.part, pending);
  });
}

void interpreter::copy(random_numbers& random) {
  const auto at =
      static_cast<std::size_t>(random.from(0, static_cast<std::int64_t>(arrays_.size()) - 1));
  const auto from = any_part(random, arrays_[at].rank());
  const auto marks = any_marks(*from.image, from.part);
  handle made{new_name(), nullptr, from.extents(), {}};
  log_.push_back(fmt::format("{} = {}.copy()", made.text(), from.text()));
  expect(0, (marks & unwritten) != 0,
         [&] { std::visit([&](const auto& real) { made.real = real.copy(); }, from.real); });
  if ((marks & unwritten) != 0) return;
  made.image = std::make_shared<shadow>(made.part, marks | pending);
  made.image->values = values_of(from);
  arrays_[at] = std::move(made);
}

void interpreter::look(const handle& at) {
  log_.push_back(fmt::format("{}.host()", at.text()));
  const auto marks = static_cast<std::uint8_t>(any_marks(*at.image, at.part) & ~pending);
  bool seen = false;
  expect(marks, (marks & unwritten) != 0, [&] {
    const auto got = std::visit([](const auto& real) { return real.to_vector(); }, at.real);
    seen = true;
    if (marks == 0 || marks == cancelled) compare(at.text(), values_of(at), got);
  });
  if (seen) mark(*at.image, at.part, 0);
}

void interpreter::write(random_numbers& random) {
  const auto& of = arrays_[random.from(0, static_cast<std::int64_t>(arrays_.size()) - 1)];
  const auto part = any_part(random, of.rank());
  const auto marks = static_cast<std::uint8_t>(any_marks(*part.image, part.part) & ~unwritten);
  log_.push_back(fmt::format("{}.host_write()", part.text()));
  auto value = static_cast<number>(random.from(0, 1 << 20));
  expect(marks, part.image->in_file, [&] {
    const auto write = [&]<typename T, std::size_t N>(const host_view<T, N>& to) {
      each_place(part.extents(), [&](const regions::point& at) {
        idx<N> index;
        for (std::size_t d = 0; d < N; ++d) index[d] = at[d];
        to[index] = value += 3;
        auto absolute = at;
        for (std::size_t d = 0; d < N; ++d) absolute[d] += part.part.low[d];
        part.image->values[part.image->offset(absolute)] = value;
      });
    };
    std::visit([&](const auto& real) { write(real.host_write()); }, part.real);
    mark(*part.image, part.part, 0);
  });
}

void interpreter::make_rows(random_numbers& random) {
  const auto& of = arrays_[random.from(0, static_cast<std::int64_t>(arrays_.size()) - 1)];
  const auto part = any_part(random, of.rank());
  const auto marks = any_marks(*part.image, part.part);
  log_.push_back(fmt::format("r{} = {}.rows()", rows_.size(), part.text()));
  expect(0, (marks & unwritten) != 0, [&] {
    rows_.push_back({std::visit([](const auto& real) { return real.rows(); }, part.real),
                     values_of(part), marks, fmt::format("r{}", rows_.size())});
  });
}

void interpreter::look_at_rows(random_numbers& random) {
  if (rows_.empty()) return;
  const auto at = random.from(0, static_cast<std::int64_t>(rows_.size()) - 1);
  auto& of = rows_[at];
  log_.push_back(fmt::format("{}.collect()", of.name));
  bool seen = false;
  expect(of.marks, false, [&] {
    const auto records = of.real.collect();
    seen = true;
    if ((of.marks & failed) == 0) {
      compare(of.name, of.values, std::vector<number>(records.begin(), records.end()));
      number sum = 0;
      for (const auto one : of.values) sum += one;
      const auto got = of.real.map([](number x) { return std::int64_t{x}; }).sum().get();
      if (static_cast<number>(got) != sum)
        throw difference(fmt::format("{}: expected a sum of {}, got {}", of.name, sum, got));
    }
  });
  if (seen) of.marks = 0;
  if (random.once_in(2)) rows_.erase(rows_.begin() + at);
}

void interpreter::rows_to_array(random_numbers& random) {
  const auto at =
      static_cast<std::size_t>(random.from(0, static_cast<std::int64_t>(arrays_.size()) - 1));
  const auto part = any_part(random, arrays_[at].rank());
  const auto marks = any_marks(*part.image, part.part);
  if ((marks & unwritten) != 0) return;
  regions::box extents({0}, {part.part.volume()});
  const bool same = random.once_in(2);
  handle made{new_name(), std::make_shared<shadow>(extents), extents, {}};
  log_.push_back(
      fmt::format("{} = {}.rows(){}.to_array()", made.text(), part.text(), same ? "" : ".map(+1)"));
  made.image->values = values_of(part);
  if (!same)
    for (auto& value : made.image->values) ++value;
  bool done = false;
  expect(marks, false, [&] {
    std::visit(
        [&](const auto& real) {
          if (same)
            made.real = real.rows().to_array();
          else
            made.real = real.rows().map([](number x) { return x + 1; }).to_array();
        },
        part.real);
    done = true;
  });
  if (done) arrays_[at] = std::move(made);
}

void interpreter::explain() {
  log_.push_back("explain()");
  const auto text =
      std::visit([](const auto& real) { return real.explain(); }, arrays_.front().real);
  if (!text.empty() && !text.starts_with("graph"))
    throw difference("explain: expected a graph, or nothing where nothing waits, got " + text);
}

void interpreter::cancel() {
  log_.push_back("cancel()");
  session_.cancel();
  disturbed_ = true;
  const auto cancel = [](std::uint8_t& marks) {
    if ((marks & pending) != 0) marks |= cancelled;
  };
  for (auto& one : arrays_)
    for (auto& marks : one.image->marks) cancel(marks);
  for (auto& one : rows_) cancel(one.marks);
}

void interpreter::wait() {
  log_.push_back("wait()");
  try {
    session_.wait();
  } catch (const launch_error& e) {
    if (!disturbed_) throw difference(fmt::format("wait: expected success, got {}", e.what()));
  }
}

/// Steps on each of two threads, over arrays that share no elements.
void interpreter::two_threads(random_numbers& random) {
  std::array<std::unique_ptr<interpreter>, 2> halves;
  for (std::size_t h = 0; h < 2; ++h) {
    halves[h] = std::make_unique<interpreter>(session_, large_);
    halves[h]->prefix_ = fmt::format("{}{}.", prefix_, h);
  }
  for (std::size_t a = 0; a < arrays_.size(); ++a) halves[a % 2]->arrays_.push_back(arrays_[a]);
  std::array<std::exception_ptr, 2> thrown;
  const auto run = [&](std::size_t h, std::uint64_t seed) {
    try {
      random_numbers own(seed);
      if (halves[h]->arrays_.empty()) halves[h]->make_array(own, 0);
      for (int i = 0; i < 6; ++i) halves[h]->basic_step(own);
    } catch (...) {
      thrown[h] = std::current_exception();
    }
  };
  const auto first = random.seed(), second = random.seed();
  std::thread other(run, 1, second);
  run(0, first);
  other.join();
  for (std::size_t h = 0; h < 2; ++h) {
    for (const auto& line : halves[h]->log_)
      log_.push_back(fmt::format("  thread {}: {}", h, line));
    disturbed_ |= halves[h]->disturbed_;
  }
  for (const auto& one : thrown)
    if (one) std::rethrow_exception(one);
}

/// What threads may do beside each other.
void interpreter::basic_step(random_numbers& random) {
  const auto kind = random.from(0, 19);
  if (kind < 13) return launch(random);
  if (kind < 15) return fill(random);
  if (kind < 16) return write(random);
  if (kind < 17) return make_rows(random);
  if (kind < 18) return look_at_rows(random);
  if (kind < 19 && !arrays_.empty()) {
    const auto& of = arrays_[random.from(0, static_cast<std::int64_t>(arrays_.size()) - 1)];
    return look(any_part(random, of.rank()));
  }
  return explain();
}

void interpreter::step(std::uint64_t seed) {
  random_numbers random(seed);
  while (arrays_.size() < 5) make_array(random, arrays_.size());
  const auto kind = random.from(0, 39);
  if (kind < 33) return basic_step(random);
  if (kind < 34)
    return make_array(random, static_cast<std::size_t>(
                                  random.from(0, static_cast<std::int64_t>(arrays_.size()))));
  if (kind < 35) return copy(random);
  if (kind < 36) return rows_to_array(random);
  if (kind < 37) return cancel();
  if (kind < 38) return wait();
  return two_threads(random);
}

void interpreter::finish() {
  for (const auto& one : arrays_) {
    const auto marks = any_marks(*one.image, one.part);
    if ((marks & (unwritten | failed)) == 0) {
      look(one);
      continue;
    }
    // Looked at as a whole it is refused or fails; its rows tell which of them are right.
    each_place(one.part, [&](const regions::point& at) {
      regions::box single(one.rank());
      for (std::size_t d = 0; d < one.rank(); ++d) {
        single.low[d] = at[d] - one.part.low[d];
        single.high[d] = single.low[d] + 1;
      }
      look(slice(one, single));
      log_.pop_back();
    });
  }
  std::vector<rows> left = std::move(rows_);
  random_numbers random(1);
  for (auto& one : left) {
    rows_.clear();
    rows_.push_back(std::move(one));
    look_at_rows(random);
  }
}

void interpreter::be_told() {
  for (bool all = false; !all;) {
    try {
      session_.wait();
      all = true;
    } catch (const launch_error&) {
    }
  }
}

namespace {

/// Half of them with a test device, some of which fail.
std::string random_devices(random_numbers& random) {
  if (random.once_in(2)) return "cpu";
  auto text = fmt::format("test:seed={}+delay_us=0", random.from(1, 1000));
  if (random.once_in(3)) text += "+memory=64KiB";
  if (random.once_in(2)) return text;
  for (const auto* fault : {"oom", "launch", "build"})
    if (random.once_in(2)) text += fmt::format("+{}=0.02", fault);
  if (random.once_in(3)) text += fmt::format("+at={}/lost", random.from(4, 500));
  return text;
}

program random_program(std::uint64_t seed) {
  random_numbers random(seed);
  program result{.threads = static_cast<unsigned>(random.from(1, 8)),
                 .eager = random.once_in(6),
                 .devices = random_devices(random),
                 .item_indices = random.once_in(2) ? random.from(1, 60) : 0,
                 .in_turns = random.once_in(3),
                 .in_bins = random.once_in(3),
                 .steps = {}};
  const auto steps = random.from(5, 60);
  for (std::int64_t i = 0; i < steps; ++i) result.steps.push_back(random.seed());
  result.on_disk = random.once_in(3);
  return result;
}

/// What is wrong, and the steps up to there; empty: nothing.
std::string run(const program& of) {
  if (of.eager) ::setenv("PAPPUS_LAUNCH", "eager", 1);
  session s({.threads = of.threads, .host_memory = std::size_t{256} << 20, .devices = of.devices});
  detail::access::session(s)->launches().plan_for_tests({.item_indices = of.item_indices,
                                                         .always_in_turns = of.in_turns,
                                                         .always_in_bins = of.in_bins});
  // Pages of 4 KiB, so that arrays have several sections.
  if (of.on_disk) detail::access::session(s)->store()->arrays()->press_for_tests(4096);
  interpreter steps(s, of.on_disk);
  std::string wrong;
  try {
    for (const auto one : of.steps) steps.step(one);
    steps.finish();
    steps.be_told();
  } catch (const std::exception& e) {
    wrong = fmt::format("{} threads{}, on {}, items of {}{}{}{}\n", of.threads,
                        of.eager ? ", eager" : "", of.devices, of.item_indices,
                        of.in_turns ? ", in turns" : "", of.in_bins ? ", in bins" : "",
                        of.on_disk ? ", arrays on the disk" : "");
    for (const auto& line : steps.log()) wrong += "  " + line + "\n";
    wrong += e.what();
  }
  ::unsetenv("PAPPUS_LAUNCH");
  return wrong;
}

/// Programs may fail at times only.
std::string run_often(const program& of) {
  for (int i = 0; i < 20; ++i)
    if (auto wrong = run(of); !wrong.empty()) return wrong;
  return {};
}

/// Drops steps for as long as the program fails without them.
std::string shrunk(program of, std::string wrong) {
  for (auto length = of.steps.size() / 2; length > 0; length /= 2)
    for (std::size_t at = 0; at + length <= of.steps.size();) {
      program less = of;
      less.steps.erase(less.steps.begin() + static_cast<std::ptrdiff_t>(at),
                       less.steps.begin() + static_cast<std::ptrdiff_t>(at + length));
      if (auto still = run_often(less); !still.empty()) {
        of = std::move(less);
        wrong = std::move(still);
      } else {
        at += length;
      }
    }
  return wrong;
}

/// False: one of them fails.
bool run_seeds(std::uint64_t first, std::uint64_t count) {
  for (auto seed = first; seed < first + count; ++seed) {
    const auto one = random_program(seed);
    auto wrong = run(one);
    if (wrong.empty()) continue;
    ADD_FAILURE() << "program " << seed << ": " << shrunk(one, std::move(wrong));
    return false;
  }
  return true;
}

class programs : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(programs, do_what_they_do_one_step_after_another) { run_seeds(GetParam() * 50, 50); }

INSTANTIATE_TEST_SUITE_P(random, programs,
                         ::testing::Range<std::uint64_t>(0, threads_sanitized ? 2 : 6));

TEST(programs, of_fresh_seeds) {
  const char* more = std::getenv("PAPPUS_FUZZ_PROGRAMS");
  if (more == nullptr) GTEST_SKIP() << "PAPPUS_FUZZ_PROGRAMS isn't set";
  const std::uint64_t first = std::random_device()() * std::uint64_t{1000};
  std::cout << "seeds from " << first << std::endl;
  run_seeds(first, std::strtoull(more, nullptr, 10));
}

}  // namespace
}  // namespace pappus::testing
