/* Global variables of every kind and in every section, and a program that proves where their bytes lie. */
#include <linux/bpf.h>
#include <linux/in6.h>
#include <bpf/bpf_helpers.h>
#include <stdbool.h>

enum mode { MODE_OFF, MODE_ON = 5, MODE_NEGATIVE = -3 };
enum wide { WIDE_TOP = 0xffffffff, WIDE_ONE = 1 };

struct flags {
	__u32 low : 3;
	__u32 middle : 13;
	__s32 signed_part : 6;
	_Bool yes : 1;
	enum mode mode : 4;
	__u64 far : 40;
};

struct backend {
	__be32 address;
	__be16 port;
	__u8 mac[6];
	struct in6_addr address6;
	union {
		__u32 weight;
		struct {
			__u16 weight_low;
			__u16 weight_high;
		};
	};
	struct {
		__s8 x;
		__s64 y;
	} point[2];
};

/* .rodata */
const volatile __u32 read_only = 7;
const volatile struct backend fixed;
/* .data */
__u8 u8 = 0xff;
__s8 s8 = -1;
__u16 u16 = 0xffff;
__s16 s16 = -2;
__s32 s32 = -3;
__u64 u64 = 0xffffffffffffffff;
__s64 s64 = -4;
bool truth = true;
enum mode mode = MODE_ON;
enum wide wide = WIDE_TOP;
char text[8] = "seven..";
__u8 raw[4] = { 1, 2, 3, 4 };
__u16 list[3] = { 10, 20, 30 };
__u16 grid[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
__be16 port = 0xbb01;
__be64 big = 1;
struct flags flags = { .low = 5, .middle = 4097, .signed_part = -7, .yes = 1, .mode = MODE_ON, .far = 0xabcdef1234 };
struct backend backend = { .address = 0x0100000a };
void *pointer;
/* .bss */
__u32 zero;
static volatile __u32 hidden;
/* sections of one's own (libbpf 0.6) */
const volatile __u32 custom_constant SEC(".rodata.limits") = 11;
__u32 custom SEC(".data.counters") = 12;

SEC("xdp") int add_up(struct xdp_md *ctx)
{
	(void)ctx;
	hidden++;
	return read_only + custom_constant + custom + zero + s16 + list[1] + grid[1][2];
}

/* Bytes as C sees them, against those that JavaScript wrote. */
SEC("xdp") int check_fields(struct xdp_md *ctx)
{
	(void)ctx;
	if (flags.low != 2 || flags.middle != 8191 || flags.signed_part != -32 || flags.yes || flags.mode != MODE_NEGATIVE + 3)
		return 1;
	if (flags.far != 0x1234567890)
		return 2;
	if (backend.address != 0x0100000a || backend.port != 0xbb01)
		return 3;
	if (backend.mac[0] != 2 || backend.mac[5] != 0x42 || backend.address6.in6_u.u6_addr8[15] != 1)
		return 4;
	if (backend.weight_high != 2 || backend.point[1].y != -9)
		return 5;
	if (port != 0x5000 || truth || u64 != 0x8000000000000001ull)
		return 6;
	return 100;
}

char LICENSE[] SEC("license") = "GPL";
