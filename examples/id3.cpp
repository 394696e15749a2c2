// ID3 (Quinlan 1986): a tree of questions that tells when people went for a picnic.
//
//   id3 PICNICS.csv        examples/data/picnics.csv
//
// Each time the question is asked whose answers leave the least uncertainty. Shows flat_map, a
// function of groups, and collections that a recursion passes on.
#include <array>
#include <bitset>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include <pappus/pappus.h>

using namespace pappus;

struct picnic {
  std::string_view sky, warmth, wind, day, went;
};
constexpr std::array questions{&picnic::sky, &picnic::warmth, &picnic::wind, &picnic::day};
constexpr std::array names{"sky", "warmth", "wind", "day"};

struct answer {
  std::size_t question;
  std::string_view text, went;
};
struct doubt {
  std::size_t question;
  double bits;
};

std::array<answer, questions.size()> answers_of(const picnic& p) {
  std::array<answer, questions.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = {i, p.*questions[i], p.went};
  return all;
}

/// What it takes to tell who went, once the answer is known.
doubt doubt_of(const auto& key, std::span<const std::string_view> went) {
  std::map<std::string_view, double> times;
  for (const auto outcome : went) ++times[outcome];
  double bits = 0;
  for (const auto& [outcome, n] : times)
    bits -= n * std::log2(n / static_cast<double>(went.size()));
  return {get<0>(key), bits};
}

using questions_asked = std::bitset<questions.size()>;

void grow(const collection<picnic>& picnics, questions_asked asked, const std::string& indent) {
  const auto outcomes = picnics.value_counts(&picnic::went).collect();
  if (outcomes.size() == 1 || asked.all()) {
    std::cout << indent << outcomes[0].key << " (" << outcomes[0].value << ")\n";
    return;
  }
  const auto best =
      picnics.flat_map(fn<answers_of>)
          .filter([asked](const answer& a) { return !asked[a.question]; })
          .group_by(&answer::question, &answer::text)
          .map_groups([](const auto& key, auto went) { return doubt_of(key, went); }, &answer::went)
          .group_by(&doubt::question)
          .sum(&doubt::bits)
          .bottom(1, by_value)
          .first()
          .get();
  const auto question = questions[best.key];
  asked.set(best.key);
  for (const auto answer : picnics.map(question).distinct().collect()) {
    std::cout << indent << names[best.key] << " is " << answer << "\n";
    const auto same = [=](const picnic& p) { return p.*question == answer; };
    grow(picnics.filter(same), asked, indent + "  ");
  }
}

int main(int argc, char** argv) {
  session s{argc, argv};
  if (argc != 2) return std::cerr << "usage: id3 PICNICS.csv\n", 2;
  grow(s.csv<picnic>(argv[1]).cache(), {}, "");
}
