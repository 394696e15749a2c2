// What sanitizers overlook in drivers of devices, which aren't compiled with them.

// PoCL now and then leaves a few bytes behind when its threads end.
extern "C" const char* __lsan_default_suppressions() { return "leak:libpocl.so\n"; }
