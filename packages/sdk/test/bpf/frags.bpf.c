/* Programs that cope with packets in fragments: objects with them load from kernel 5.18 on. */
#include "mutator.h"

/* The number of bytes that the program can see. */
SEC("xdp.frags") int seen_frags(struct xdp_md *ctx) { return ctx->data_end - ctx->data; }
SEC("xdp.frags") int mutator_frags(struct xdp_md *ctx) { return mutate(ctx); }

char LICENSE[] SEC("license") = "GPL";
