/* SPDX-License-Identifier: Apache-2.0
 * The smallest plugin in C++11: the header must take it without a warning. */
#include "bgrun_plugin.h"

namespace {

const bgrun_host *host;

void launch(void *, bgrun_task *task, const bgrun_launch *) { host->complete(task, 1, nullptr); }

int32_t init(const bgrun_host *given) {
    host = given;
    bgrun_handler handler = bgrun_handler();
    handler.struct_size = sizeof handler;
    handler.name = "hello";
    handler.launch = launch;
    return host->register_handler(host, &handler);
}

const bgrun_plugin plugin = {
    sizeof(bgrun_plugin), BGRUN_ABI_VERSION, 0, 0, "hello-cxx", "1.0", init, nullptr,
};

}  // namespace

const bgrun_plugin *bgrun_plugin_entry(uint32_t abi) {
    return abi >> 16 == BGRUN_ABI_MAJOR ? &plugin : nullptr;
}
