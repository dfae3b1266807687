/* What the tests of a sample project change. */
#define SAMPLE_VERDICT XDP_PASS
