// What users say that functions touch, beside what the compiler finds.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "support/held_launches.h"

namespace pappus::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class said_footprints : public ::testing::Test {
 protected:
  void SetUp() override {
#ifndef PAPPUS_TEST_LAMBDAS_ON_OPENCL
    GTEST_SKIP() << "without the compiler plugin nothing is found";
#endif
  }
  /// What explain() tells of a launch whose function adds up three neighbours.
  std::string explained(const char* annotation) {
    const auto in = s_.to_array(std::vector<int>(100)), out = s_.unwritten<int>({100});
    held_launches held(s_);
    s_.for_each(box<1>{1, 99},
                annotated([](idx<1> i, reads<int> from,
                             writes<int> to) { to[i] = from[i - 1] + from[i] + from[i + 1]; },
                          annotation),
                in, out);
    return out.explain();
  }
  session s_;
};

TEST_F(said_footprints, are_taken_for_what_they_are) {
  EXPECT_THAT(explained("from, to: global i => read from[i-1:i+1], write to[i]"),
              Not(HasSubstr("the compiler finds")));
  EXPECT_THAT(explained("from, to: global i => read from, write to[i]"),
              Not(HasSubstr("the compiler finds")));
}

TEST_F(said_footprints, that_leave_something_out_are_told) {
  EXPECT_THAT(
      explained("from, to: global i => read from[i], write to[i]"),
      HasSubstr("note: taken as given: from, to: global i => read from[i], write to[i]; the "
                "compiler finds: read "));
}

TEST_F(said_footprints, of_single_arguments_are_compared_as_well) {
  const auto in = s_.to_array(std::vector<int>(100)), out = s_.unwritten<int>({100});
  const auto [i] = launch_index<1>();
  const auto explained = [&](const auto& from) {
    held_launches held(s_);
    s_.for_each(
        box<1>{1, 99}, [](idx<1> at, reads<int> a, writes<int> b) { b[at] = a[at - 1] + a[at]; },
        from, out);
    return out.explain();
  };
  EXPECT_THAT(explained(in.at(i - 1, i)), Not(HasSubstr("the compiler finds")));
  EXPECT_THAT(explained(in.at(i)), HasSubstr("the compiler finds: read "));
}

}  // namespace
}  // namespace pappus::testing
