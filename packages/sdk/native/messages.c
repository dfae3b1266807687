/* What libbpf prints; see messages.h. */
#include "messages.h"

#include <bpf/libbpf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* libbpf has one print function for the whole process. Ours writes into the buffer of the thread that is inside one
 * of our calls, and hands everything else to whoever was there before. */
static _Thread_local char *messages;
static _Thread_local size_t messages_used;
enum { MESSAGES_SIZE = 64 * 1024 };
static libbpf_print_fn_t previous_print;

static int collect_message(enum libbpf_print_level level, const char *format, va_list values)
{
	int length;

	if (!messages)
		return previous_print ? previous_print(level, format, values) : 0;
	if (level > LIBBPF_WARN)
		return 0;
	length = vsnprintf(messages + messages_used, MESSAGES_SIZE - messages_used, format, values);
	if (length > 0) {
		messages_used += (size_t)length;
		if (messages_used >= MESSAGES_SIZE)
			messages_used = MESSAGES_SIZE - 1;
	}
	return length;
}

void messages_install(void)
{
	libbpf_print_fn_t old = libbpf_set_print(collect_message);

	if (old != collect_message)
		previous_print = old;
}

bool messages_begin(void)
{
	messages = malloc(MESSAGES_SIZE);
	messages_used = 0;
	if (messages)
		messages[0] = '\0';
	return messages != NULL;
}

void messages_end(void)
{
	free(messages);
	messages = NULL;
}

const char *messages_text(void)
{
	return messages ? messages : "";
}
