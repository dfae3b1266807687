/* bpf-alive KIND:ID...: prints those of the given programs, maps and links that the kernel still has. */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int command_of(const char *kind)
{
	if (strncmp(kind, "prog:", 5) == 0)
		return BPF_PROG_GET_FD_BY_ID;
	if (strncmp(kind, "map:", 4) == 0)
		return BPF_MAP_GET_FD_BY_ID;
	return strncmp(kind, "link:", 5) == 0 ? BPF_LINK_GET_FD_BY_ID : -1;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *colon = strchr(argv[i], ':');
		int command = command_of(argv[i]), fd;
		union bpf_attr attr;

		if (!colon || command < 0)
			return 2;
		memset(&attr, 0, sizeof(attr));
		/* prog_id, map_id and link_id lie at the same place. */
		attr.prog_id = (uint32_t)strtoul(colon + 1, NULL, 10);
		fd = (int)syscall(__NR_bpf, command, &attr, sizeof(attr));
		if (fd < 0 && errno == ENOENT)
			continue;
		if (fd < 0) {
			perror(argv[i]);
			return 1;
		}
		puts(argv[i]);
		close(fd);
	}
	return 0;
}
