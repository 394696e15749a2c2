#include "io/transfers.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "io/faulty.h"
#include "pappus/error.h"

namespace pappus::io {
namespace {

/// A file without a name, and as many bytes as it is to hold.
struct sample {
  std::unique_ptr<std::FILE, decltype(&std::fclose)> file{std::tmpfile(), &std::fclose};
  std::vector<std::byte> bytes;
  explicit sample(std::size_t n) : bytes(n) {
    for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
  }
  int descriptor() const { return ::fileno(file.get()); }
};

constexpr std::size_t piece = 100'000;

/// Moves all bytes, in pieces; the problems that there were.
std::vector<completion> move(transfers& by, request::kind what, int file,
                             std::vector<std::byte>& bytes) {
  transfers::batch all(by);
  for (std::size_t at = 0; at < bytes.size(); at += piece)
    all.submit({what, file, at, std::min(piece, bytes.size() - at), bytes.data() + at, at / piece});
  std::vector<completion> problems;
  std::vector<bool> seen((bytes.size() + piece - 1) / piece);
  while (all.open() > 0) {
    const auto done = all.wait();
    EXPECT_FALSE(seen[done.number]);
    seen[done.number] = true;
    if (done.problem != 0) problems.push_back(done);
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), static_cast<long>(seen.size()));
  return problems;
}

TEST(transfers, move_what_is_asked_for) {
  transfers by(make_calls(""), 3);
  sample data(1'234'567);
  EXPECT_TRUE(move(by, request::kind::write, data.descriptor(), data.bytes).empty());
  std::vector<std::byte> read(data.bytes.size());
  EXPECT_TRUE(move(by, request::kind::read, data.descriptor(), read).empty());
  EXPECT_EQ(read, data.bytes);
}

TEST(transfers, complete_short_ones_and_try_again_after_signals) {
  transfers by(make_calls("faulty:seed=3+short=0.7+delay_us=20"), 4);
  sample data(1'234'567);
  EXPECT_TRUE(move(by, request::kind::write, data.descriptor(), data.bytes).empty());
  std::vector<std::byte> read(data.bytes.size());
  EXPECT_TRUE(move(by, request::kind::read, data.descriptor(), read).empty());
  EXPECT_EQ(read, data.bytes);
}

TEST(transfers, tell_what_went_wrong_and_where) {
  transfers good(make_calls(""), 1), full(make_calls("faulty:full=250KB"), 2),
      broken(make_calls("faulty:eio=1"), 2);
  sample data(4 * piece);
  std::vector<std::uint64_t> places;
  for (const auto& done : move(full, request::kind::write, data.descriptor(), data.bytes)) {
    EXPECT_EQ(done.problem, ENOSPC);
    places.push_back(done.offset);
  }
  std::sort(places.begin(), places.end());
  EXPECT_EQ(places, (std::vector<std::uint64_t>{2 * piece, 3 * piece}));
  const auto failed = move(broken, request::kind::read, data.descriptor(), data.bytes);
  ASSERT_EQ(failed.size(), 4u);
  EXPECT_EQ(failed.front().problem, EIO);
  // Two of four pieces were written: the file ends there.
  const auto ended = move(good, request::kind::read, data.descriptor(), data.bytes);
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_EQ(ended.front().problem, ENODATA);
}

TEST(transfers, of_one_read_need_no_thread) {
  sample data(3 * piece);
  transfers good(make_calls(""), 1), alone(make_calls(""), 0),
      broken(make_calls("faulty:eio=1"), 0);
  EXPECT_TRUE(move(good, request::kind::write, data.descriptor(), data.bytes).empty());
  std::vector<std::byte> read(piece);
  const auto request_at = [&](std::uint64_t offset) {
    return request{request::kind::read, data.descriptor(), offset, piece, read.data(), 5};
  };
  for (const auto offset : {2 * piece, piece}) {
    transfers::batch one(alone);
    one.submit(request_at(offset));
    EXPECT_EQ(one.open(), 1u);
    const auto done = one.wait();
    EXPECT_EQ(done.number, 5u);
    EXPECT_EQ(done.problem, 0);
    EXPECT_EQ(one.open(), 0u);
    EXPECT_TRUE(
        std::equal(read.begin(), read.end(), data.bytes.begin() + static_cast<long>(offset)));
  }
  transfers::batch failed(broken);
  failed.submit(request_at(0));
  EXPECT_EQ(failed.wait().problem, EIO);
  std::fill(read.begin(), read.end(), std::byte{});
  {
    transfers::batch dropped(alone);
    dropped.submit(request_at(piece));
  }
  EXPECT_EQ(std::count(read.begin(), read.end(), std::byte{}), static_cast<long>(piece));
}

TEST(transfers, serve_several_threads_at_once) {
  transfers by(make_calls("faulty:seed=5+short=0.3+delay_us=10"), 3);
  std::vector<std::thread> users;
  for (int i = 0; i < 4; ++i)
    users.emplace_back([&] {
      sample data(5 * piece);
      EXPECT_TRUE(move(by, request::kind::write, data.descriptor(), data.bytes).empty());
      std::vector<std::byte> read(data.bytes.size());
      EXPECT_TRUE(move(by, request::kind::read, data.descriptor(), read).empty());
      EXPECT_EQ(read, data.bytes);
    });
  for (auto& user : users) user.join();
}

std::string refusal(const char* text) {
  try {
    make_calls(text);
    return "accepted";
  } catch (const usage_error& e) {
    return e.what();
  }
}

TEST(faulty_calls, are_asked_for_by_text) {
  const auto asked = parse_faults("seed=7+short=0.1+eio=0.001+full=64MiB+flip=0.0005+delay_us=50");
  EXPECT_EQ(asked.seed, 7u);
  EXPECT_EQ(asked.partial, 0.1);
  EXPECT_EQ(asked.eio, 0.001);
  EXPECT_EQ(asked.full_bytes, 64u << 20);
  EXPECT_EQ(asked.flip, 0.0005);
  EXPECT_EQ(asked.delay_us, 50u);
}

TEST(faulty_calls, refuse_other_texts) {
  EXPECT_EQ(refusal("slow"), "PAPPUS_IO: expected faulty:KEY=VALUE+..., or nothing, got \"slow\"");
  EXPECT_EQ(refusal("faulty:seed=1+shrt=0.1"),
            "PAPPUS_IO: faulty:...: expected KEY=VALUE separated by '+', with keys seed, short, "
            "eio, full, flip, delay_us, got \"shrt=0.1\"");
  EXPECT_EQ(refusal("faulty:eio=2"),
            "PAPPUS_IO: faulty:eio: expected a probability from 0 to 1, got \"2\"");
  EXPECT_EQ(refusal("faulty:seed"),
            "PAPPUS_IO: faulty:...: expected KEY=VALUE separated by '+', with keys seed, short, "
            "eio, full, flip, delay_us, got \"seed\"");
}

}  // namespace
}  // namespace pappus::io
