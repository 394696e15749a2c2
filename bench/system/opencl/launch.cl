// The sum of few numbers.

kernel void add_and_sum(global const int* numbers, long rows, int by, global long* total) {
  long sum = 0;
  for (long i = 0; i < rows; ++i) sum += numbers[i] + by;
  *total = sum;
}
