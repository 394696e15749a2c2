#include "io/activity.h"

#include <vector>

#include <gtest/gtest.h>

namespace pappus::io {
namespace {

struct notes final : activity_listener {
  std::vector<activity> heard;
  void was_active(activity what, clock::time_point begin, clock::time_point end) noexcept override {
    if (begin <= end) heard.push_back(what);
  }
};

TEST(activity, is_told_to_those_who_listen_while_they_do) {
  {
    const active before(activity::reading);
  }
  notes first, second;
  listen_to_activity(&first);
  listen_to_activity(&second);
  {
    const active now(activity::writing);
  }
  stop_listening(&second);
  {
    const active now(activity::decompressing);
  }
  stop_listening(&first);
  {
    const active after(activity::reading);
  }
  EXPECT_EQ(first.heard, (std::vector{activity::writing, activity::decompressing}));
  EXPECT_EQ(second.heard, std::vector{activity::writing});
}

}  // namespace
}  // namespace pappus::io
