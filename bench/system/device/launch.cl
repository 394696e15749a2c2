// The function of launch, in device C.

DEVICE int add(int x, int by) { return x + by; }
