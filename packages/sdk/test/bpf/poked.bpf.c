/* Counts how often the kernel really writes the XDP dispatcher anew: arch_prepare_bpf_dispatcher makes its code, and is
 * called only when the set of programs has changed (kernel/bpf/dispatcher.c). */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

__u64 poked;

SEC("fentry/arch_prepare_bpf_dispatcher")
int count_poked(void *ctx)
{
	(void)ctx;
	__sync_fetch_and_add(&poked, 1);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
