// A web server's log: which pages fail, and how often visitors come.
//
//   web_log FILE...        examples/data/access.log; also many, also compressed
//
// Shows lines of files, functions for text and times, and a window over groups: a visit ends with
// half an hour without a hit.
#include <chrono>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pappus/pappus.h>

using namespace pappus;

struct hit {
  std::string_view address, path;
  timestamp at;
  int status;
};

int main(int argc, char** argv) {
  session s{argc, argv};
  if (argc < 2) return std::cerr << "usage: web_log FILE...\n", 2;

  // SELECT split_part(line, ' ', 1) AS address, split_part(line, ' ', 7) AS path,
  //   strptime(split_part(line, ' ', 4), '[%d/%b/%Y:%H:%M:%S') AS "at",
  //   split_part(line, ' ', 9)::INT AS status FROM lines
  const time_format moment("[%d/%b/%Y:%H:%M:%S");
  const auto hits = s.lines(std::vector<std::string>(argv + 1, argv + argc))
                        .map([moment](std::string_view line) {
                          return hit{.address = str::piece(line, ' ', 0),
                                     .path = str::piece(line, ' ', 6),
                                     .at = moment.parse(str::piece(line, ' ', 3)).value(),
                                     .status = str::parse<int>(str::piece(line, ' ', 8)).value()};
                        })
                        .cache();

  // SELECT path, count(*) FROM hits WHERE status >= 400 GROUP BY path ORDER BY count(*) DESC, path
  hits.filter([](const hit& h) { return h.status >= 400; }).value_counts(&hit::path).show();

  // SELECT address, count(*) FROM (SELECT address,
  //   "at" - lag("at") OVER (PARTITION BY address ORDER BY "at") AS since FROM hits)
  // WHERE since IS NULL OR since > INTERVAL 30 MINUTE GROUP BY address
  // ORDER BY count(*) DESC, address
  hits.sort_by(&hit::at)
      .group_by(&hit::address)
      .over(lag(&hit::at))
      .filter([](const auto& row) {
        const auto& [hit, before] = row;
        return !before || hit.at - *before > std::chrono::minutes(30);
      })
      .value_counts([](const auto& row) { return row.first.address; })
      .show();
}
