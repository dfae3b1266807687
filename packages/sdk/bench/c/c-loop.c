/* The plain C loop that the engines are measured against: BPF_PROG_TEST_RUN with repeat 1 for each packet of a file,
 * context in and out, verdict, length and all output bytes kept, as anybody would write it.
 *
 *   c-loop PACKETS < "a line for each round" > "ns of each round"
 *
 * The program's descriptor is number 3. PACKETS holds the number of packets, then each one's offset and length (all
 * 32-bit), then their bytes. */
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

enum { PROGRAM = 3, MOST_GROWTH = 256 };

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int main(int argc, char **argv)
{
	int file = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	struct stat stat;
	char line[8];

	if (file < 0 || fstat(file, &stat))
		return 2;
	uint32_t *input = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
	if (input == MAP_FAILED)
		return 2;
	uint32_t count = input[0];
	const uint32_t *offsets = input + 1, *lengths = offsets + count;
	uint8_t *bytes = (uint8_t *)(lengths + count);

	/* One place for the results of all rounds, as the engines have it too. */
	size_t room = (size_t)stat.st_size + (size_t)count * MOST_GROWTH;
	uint8_t *output = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint32_t *verdicts = calloc(count, sizeof(*verdicts)), *out_lengths = calloc(count, sizeof(*out_lengths));
	uint32_t *out_offsets = calloc(count, sizeof(*out_offsets));

	while (fgets(line, sizeof(line), stdin)) {
		uint64_t start = now();
		size_t used = 0;

		for (uint32_t i = 0; i < count; i++) {
			struct xdp_md in = { .data_end = lengths[i] }, out;
			union bpf_attr attr;

			memset(&attr, 0, sizeof(attr));
			attr.test.prog_fd = PROGRAM;
			attr.test.data_in = (uintptr_t)(bytes + offsets[i]);
			attr.test.data_size_in = lengths[i];
			attr.test.data_out = (uintptr_t)(output + used);
			attr.test.data_size_out = (uint32_t)(room - used);
			attr.test.ctx_in = (uintptr_t)&in;
			attr.test.ctx_size_in = sizeof(in);
			attr.test.ctx_out = (uintptr_t)&out;
			attr.test.ctx_size_out = sizeof(out);
			attr.test.repeat = 1;
			if (syscall(__NR_bpf, BPF_PROG_TEST_RUN, &attr, sizeof(attr))) {
				perror("BPF_PROG_TEST_RUN");
				return 1;
			}
			verdicts[i] = attr.test.retval;
			out_lengths[i] = attr.test.data_size_out;
			out_offsets[i] = (uint32_t)used;
			used += attr.test.data_size_out;
		}
		printf("%llu\n", (unsigned long long)(now() - start));
		fflush(stdout);
	}
	return 0;
}
