/* Routes libbpf's messages of each thread to the call that caused them. */
#pragma once

#include <stdbool.h>

/* Once for the process. */
void messages_install(void);
/* From here on the messages of this thread are kept; false without memory. */
bool messages_begin(void);
/* What was printed since. */
const char *messages_text(void);
void messages_end(void);
