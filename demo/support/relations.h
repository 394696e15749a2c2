// The syntax of Depends and Provides (Debian policy 7.1).
#pragma once

#include <stdexcept>
#include <string_view>
#include <vector>

namespace demo {

/// One package name of a relation: `libc6:any (>= 2.36) [amd64 !hurd-any]`. Views into the field.
struct alternative {
  std::string_view name;           ///< without the architecture qualifier
  std::string_view op;             ///< one of << <= = >= >> < >, or empty
  std::string_view version;        ///< empty where there is no op
  std::string_view architectures;  ///< what the brackets hold
};

/// `a | b`: any one of them will do.
using clause = std::vector<alternative>;

/// The clauses of a field, separated by commas. Throws relation_error.
std::vector<clause> parse_relations(std::string_view field);

/// Whether the relation applies on `architecture` ("amd64"): without a list it does everywhere.
bool applies(const alternative& a, std::string_view architecture);

/// Whether `version` satisfies the relation's operator.
bool admits(const alternative& a, std::string_view version);

struct relation_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace demo
