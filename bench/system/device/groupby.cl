// The reducer of groupby, in device C.

typedef struct {
  double sum;
  long count;
} sum_and_count;

DEVICE void add_and_count(sum_and_count* s, double value) {
  s->sum += value;
  s->count += 1;
}
