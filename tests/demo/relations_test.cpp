#include "demo/support/relations.h"

#include <gtest/gtest.h>

#include "tests/demo/temporary_files.h"

namespace demo {
namespace {

TEST(parse_relations, splits_clauses_and_alternatives_and_skips_space) {
  const auto clauses = parse_relations("a,  b | c|d ,\n e,");
  ASSERT_EQ(clauses.size(), 3u);
  ASSERT_EQ(clauses[1].size(), 3u);
  EXPECT_EQ(clauses[0][0].name, "a");
  EXPECT_EQ(clauses[1][0].name, "b");
  EXPECT_EQ(clauses[1][1].name, "c");
  EXPECT_EQ(clauses[1][2].name, "d");
  EXPECT_EQ(clauses[2][0].name, "e");
}

TEST(parse_relations, takes_qualifier_version_architectures_and_profiles_apart) {
  const auto clauses =
      parse_relations("python3:any (>= 3.9~), g++-12(=12.2.0-14) [amd64 !i386] <!nocheck>");
  ASSERT_EQ(clauses.size(), 2u);
  const alternative &python = clauses[0][0], &compiler = clauses[1][0];
  EXPECT_EQ(python.name, "python3");
  EXPECT_EQ(python.op, ">=");
  EXPECT_EQ(python.version, "3.9~");
  EXPECT_EQ(python.architectures, "");
  EXPECT_EQ(compiler.name, "g++-12");
  EXPECT_EQ(compiler.op, "=");
  EXPECT_EQ(compiler.version, "12.2.0-14");
  EXPECT_EQ(compiler.architectures, "amd64 !i386");
}

TEST(parse_relations, yields_nothing_for_an_empty_field) {
  EXPECT_TRUE(parse_relations("").empty());
  EXPECT_TRUE(parse_relations(" \n ").empty());
}

TEST(parse_relations, tells_what_it_cannot_read) {
  const auto error = [](const char* field) {
    return testing::message_of<relation_error>([&] { parse_relations(field); });
  };
  EXPECT_EQ(error("a (>= 1"), "expected name (version) [architectures], got \"a (>= 1\"");
  EXPECT_EQ(error("a b"), "expected name (version) [architectures], got \"a b\"");
  EXPECT_EQ(error("a (1.0)"), "expected a version constraint like (>= 1.0), got \"1.0\"");
  EXPECT_EQ(error("a (>= )"), "expected a version constraint like (>= 1.0), got \">=\"");
  EXPECT_EQ(error("a | (>= 1)"), "expected a package name, got \"(>= 1)\"");
  EXPECT_EQ(error("a | | b"), "expected a package name, got \"\"");
}

TEST(applies, follows_the_architecture_list) {
  const auto on_amd64 = [](std::string_view list) { return applies({"a", {}, {}, list}, "amd64"); };
  EXPECT_TRUE(on_amd64(""));
  EXPECT_TRUE(on_amd64("i386 amd64"));
  EXPECT_TRUE(on_amd64("any"));
  EXPECT_TRUE(on_amd64("linux-any"));
  EXPECT_TRUE(on_amd64("any-amd64"));
  EXPECT_TRUE(on_amd64("!i386 !arm64"));
  EXPECT_FALSE(on_amd64("i386 arm64"));
  EXPECT_FALSE(on_amd64("hurd-any"));
  EXPECT_FALSE(on_amd64("!i386 !amd64"));
  EXPECT_FALSE(on_amd64("!linux-any"));
}

TEST(admits, compares_by_the_operator) {
  const auto admitted = [](std::string_view op) {
    std::string result;
    for (const char* version : {"0.9", "1.0", "1.1"})
      result += admits({"a", op, "1.0", {}}, version) ? 'y' : 'n';
    return result;
  };
  EXPECT_EQ(admitted(""), "yyy");
  EXPECT_EQ(admitted("<<"), "ynn");
  EXPECT_EQ(admitted("<="), "yyn");
  EXPECT_EQ(admitted("="), "nyn");
  EXPECT_EQ(admitted(">="), "nyy");
  EXPECT_EQ(admitted(">>"), "nny");
  EXPECT_EQ(admitted("<"), "yyn");
  EXPECT_EQ(admitted(">"), "nyy");
}

}  // namespace
}  // namespace demo
