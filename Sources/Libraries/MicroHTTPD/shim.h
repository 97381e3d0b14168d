/* SPDX-License-Identifier: Apache-2.0 */
#include <microhttpd.h>
#include <string.h>

/* Keeps "%2F" and "+" of a target unchanged: bgrun decodes it. */
static inline size_t bgrun_mhd_keep(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strlen(text);
}

/* MHD_start_daemon() is variadic, which Swift cannot call. A daemon without a listening socket and
 * without threads: its owner adds connections and calls MHD_run(). Each connection takes at most
 * `memory` bytes. `target` receives the raw target of a request, before `handle` is called;
 * `notify` receives the start and the end of connections. NULL on failure. */
static inline struct MHD_Daemon *bgrun_mhd_start(
    size_t memory, void *context, MHD_AccessHandlerCallback handle,
    void *(*target)(void *, const char *, struct MHD_Connection *),
    MHD_NotifyConnectionCallback notify) {
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_TURBO | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME, 0, NULL,
        NULL, handle, context, MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
        MHD_OPTION_URI_LOG_CALLBACK, target, context,
        MHD_OPTION_UNESCAPE_CALLBACK, bgrun_mhd_keep, NULL, MHD_OPTION_NOTIFY_CONNECTION, notify,
        context, MHD_OPTION_END);
}

/* MHD_get_daemon_info() is variadic. The epoll descriptor of a daemon; -1 on failure. */
static inline int bgrun_mhd_descriptor(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

/* MHD_get_connection_info() is variadic. The value that `notify` stored for a connection. */
static inline void *bgrun_mhd_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* The same: the socket of a connection; -1 on failure. */
static inline int bgrun_mhd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

/* The same: bytes of the request line and all headers. */
static inline size_t bgrun_mhd_head_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}
