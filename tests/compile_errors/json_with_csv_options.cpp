// expect: json: the options of JSON lines are json_options, not csv_options
#include "shop.h"

struct parcel {
  std::string_view to;
  int grams;
};

void mistake(shop& in) {
  auto parcels = in.s.json<parcel>("parcels.jsonl", pappus::csv_options{.delimiter = ';'});
}
