// The functions of mapfiltersum and its reducer, in device C.

typedef struct {
  long count, sum;
} count_and_sum;

DEVICE int plus_15(int x) { return x + 15; }

DEVICE int divisible_by_15(int y) { return (uint)y * 0xEEEEEEEFu <= 0x11111111u; }

DEVICE void count_and_add(count_and_sum* s, int x) {
  s->count += 1;
  s->sum += x;
}
