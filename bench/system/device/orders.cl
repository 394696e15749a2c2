// Small orders of the third year.

typedef struct {
  long id, cents;
  int day, quantity, region;
  float discount;
} order;

DEVICE int wanted(order o) { return o.day >= 730 && o.day < 1095 && o.quantity < 24; }
