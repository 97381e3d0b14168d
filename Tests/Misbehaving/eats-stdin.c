/* SPDX-License-Identifier: Apache-2.0
 * It reads its standard input to the end: the input must be empty, and not the host's. */
#include "fixture.h"

#include <stdio.h>
#include <unistd.h>

LAUNCH(launch) {
    char bytes[4096], text[64];
    long long all = 0;
    ssize_t count;
    while ((count = read(0, bytes, sizeof bytes)) > 0) all += count;
    snprintf(text, sizeof text, "%lld bytes of standard input", all);
    host->complete(task, count == 0 && all == 0, text);
}
PLUGIN(launch, NULL)
