/* SPDX-License-Identifier: Apache-2.0
 * Requests invalid transfers: each is refused, nothing is stored, and the host continues. The
 * attempt succeeds when all of them were refused. */
#include "fixture.h"

#include <stdio.h>

static bgrun_transfer_request request(const char *session, const char *url) {
    const bgrun_transfer_request made = {
        .struct_size = sizeof made, .session = session, .url = url};
    return made;
}

LAUNCH(launch) {
    const bgrun_transfer_ext *transfers =
        (const bgrun_transfer_ext *)host->get_extension(host, BGRUN_EXT_TRANSFER);
    bgrun_transfer_request bad[10];
    unsigned count = 0, refused = 0;
    char message[64];
    bad[count++] = request("org.test.bad", NULL);
    bad[count++] = request("", "https://example.com/");
    bad[count++] = request("org.test.bad", "file:///etc/passwd");
    bad[count++] = request("org.test.bad", "not an address");
    bad[count] = request("org.test.bad", "https://example.com/");
    bad[count++].headers_json = "[1, 2";
    bad[count] = request("org.test.bad", "https://example.com/");
    bad[count++].sha256 = "0123";
    bad[count] = request("org.test.bad", "https://example.com/");
    bad[count++].flags = ~0u;
    bad[count] = request("org.test.bad", "https://example.com/");
    bad[count].flags = BGRUN_TRANSFER_UPLOAD;
    bad[count++].file = "/nowhere/at/all";
    bad[count] = request("org.test.bad", NULL);
    bad[count].resume_data = "garbage";
    bad[count++].resume_size = 7;
    bad[count] = request("org.test.bad", "https://example.com/");
    bad[count++].rate = INT64_MIN;
    for (unsigned i = 0; transfers && i < count; i++) {
        int64_t id = -1;
        refused += transfers->create(task, &bad[i], &id) < 0 && id == -1;
    }
    snprintf(message, sizeof message, "%u of %u refused", refused, count);
    host->complete(task, refused == count, message);
}
PLUGIN(launch, NULL)
