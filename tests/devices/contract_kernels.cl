// Kernels of device_contract_test.cpp: one item a record, and every item tests its number.

KERNEL void add(GLOBAL uint* values, long count, uint number) {
  if ((long)ITEM < count) values[ITEM] += number;
}

KERNEL void multiply(GLOBAL uint* values, long count, uint number) {
  if ((long)ITEM < count) values[ITEM] *= number;
}

KERNEL void count_items(GLOBAL uint* runs, GLOBAL ulong* items, long count) {
  if ((long)ITEM >= count) return;
  runs[ITEM] += 1;
  items[ITEM] = ITEMS;
}

KERNEL void sum_rows(GLOBAL const int* in, GLOBAL long* sums, long rows) {
  long sum = 0;
  FOR_ROWS(row, rows) { sum += in[row]; }
  sums[ITEM] = sum;
}

KERNEL void widen(GLOBAL double* out, char a, uchar b, short c, ushort d, int e, uint f, long g,
                  ulong h, float i, double j) {
  if (ITEM != 0) return;
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
  out[4] = e;
  out[5] = f;
  out[6] = (double)g;
  out[7] = (double)h;
  out[8] = i;
  out[9] = j;
}

typedef struct {
  int numbers[128];
} large_value;

KERNEL void copy_large(GLOBAL int* out, large_value value) {
  if (ITEM < 128) out[ITEM] = value.numbers[ITEM];
}
