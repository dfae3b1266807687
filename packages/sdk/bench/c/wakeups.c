/* How long does a task wait for this CPU? Sleeps a millisecond again and again until standard input ends, then prints
 * the longest and the 99th percentile of how late it woke up, in microseconds: "MAX P99 COUNT". */
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int main(void)
{
	enum { MOST = 1 << 20 };
	int64_t *late = malloc(MOST * sizeof(*late));
	struct timespec pause = { .tv_nsec = 1000000 };
	size_t n = 0;

	if (!late)
		return 1;
	while (n < MOST) {
		struct pollfd in = { .fd = 0, .events = POLLIN };
		int64_t start = now();

		nanosleep(&pause, NULL);
		late[n++] = now() - start - pause.tv_nsec;
		if (poll(&in, 1, 0) > 0)
			break;
	}
	qsort(late, n, sizeof(*late), by_size);
	printf("%lld %lld %zu\n", (long long)(late[n - 1] / 1000), (long long)(late[n * 99 / 100] / 1000), n);
	return 0;
}
