/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <systemd/sd-bus.h>

/* The functions of libsystemd that bgrun calls. The library is only loaded for a connection to a
 * bus. Linking it would also load the six libraries it needs, and take 5 % of a short run. */
#define BGRUN_SYSTEMD(FUNCTION)              \
    FUNCTION(sd_bus_new)                     \
    FUNCTION(sd_bus_set_address)             \
    FUNCTION(sd_bus_set_bus_client)          \
    FUNCTION(sd_bus_set_method_call_timeout) \
    FUNCTION(sd_bus_start)                   \
    FUNCTION(sd_bus_close_unref)             \
    FUNCTION(sd_bus_is_open)                 \
    FUNCTION(sd_bus_get_fd)                  \
    FUNCTION(sd_bus_get_events)              \
    FUNCTION(sd_bus_get_timeout)             \
    FUNCTION(sd_bus_process)                 \
    FUNCTION(sd_bus_add_filter)              \
    FUNCTION(sd_bus_call_async)              \
    FUNCTION(sd_bus_message_new_method_call) \
    FUNCTION(sd_bus_message_unref)           \
    FUNCTION(sd_bus_message_set_auto_start)  \
    FUNCTION(sd_bus_message_append_basic)    \
    FUNCTION(sd_bus_message_get_cookie)      \
    FUNCTION(sd_bus_message_get_reply_cookie) \
    FUNCTION(sd_bus_message_get_path)        \
    FUNCTION(sd_bus_message_is_method_error) \
    FUNCTION(sd_bus_message_is_signal)       \
    FUNCTION(sd_bus_message_peek_type)       \
    FUNCTION(sd_bus_message_read_basic)      \
    FUNCTION(sd_bus_message_enter_container) \
    FUNCTION(sd_bus_message_exit_container)

/* They have the names and the types that the header above declares. */
struct bgrun_systemd {
#define BGRUN_SYSTEMD_MEMBER(name) __typeof__(name) *_Nonnull name;
    BGRUN_SYSTEMD(BGRUN_SYSTEMD_MEMBER)
#undef BGRUN_SYSTEMD_MEMBER
};

/* Sets every member of `table` and returns NULL; otherwise the loader's message: the library or a
 * function is missing. The message is valid until the thread calls the loader again. The library is
 * never unloaded. */
static inline const char *_Nullable bgrun_systemd_load(struct bgrun_systemd *_Nonnull table) {
    void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return dlerror();
    void *found;
#define BGRUN_SYSTEMD_FIND(name)        \
    found = dlsym(library, #name);      \
    if (!found)                         \
        return dlerror();               \
    table->name = (__typeof__(name) *)found;
    BGRUN_SYSTEMD(BGRUN_SYSTEMD_FIND)
#undef BGRUN_SYSTEMD_FIND
    return NULL;
}
