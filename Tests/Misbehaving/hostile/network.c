/* SPDX-License-Identifier: Apache-2.0
 * Attacks through sockets. */
#include "hostile.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* What a kernel reads of a 32-bit argument is its lower half; a filter may compare all of it. */
enum { HIGH_BIT = 32 };

static int close_after(int socket, int error) {
    close(socket);
    return error;
}

/* A connected socket, or -1. `length` counts the bytes of `name`, which may begin with a NUL byte. */
static int connected(const char *name, size_t length) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (length > sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, name, length);
    int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made < 0) return -1;
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    if (connect(made, (struct sockaddr *)&address, size) == 0) return made;
    int error = errno;
    close(made);
    errno = error;
    return -1;
}

static int unix_connect(const struct target *target) {
    int made = connected(target->path, strlen(target->path));
    return made < 0 ? errno : close_after(made, 0);
}

static int abstract_connect(const struct target *target) {
    char name[108] = "";
    int length = snprintf(name + 1, sizeof name - 1, "%s", target->abstract);
    int made = connected(name, (size_t)length + 1);
    return made < 0 ? errno : close_after(made, 0);
}

/* Asks the host for its running attempts: "done" if it tells them, "refused" if it does not, "closed" without an
 * answer. */
static int control_request(const struct target *target) {
    static const char request[] = "{\"command\": \"running\"}\n";
    int made = connected(target->control, strlen(target->control));
    if (made < 0) return errno;
    struct timeval most = {.tv_sec = 20};
    setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    char line[4096];
    ssize_t count = -1;
    if (send(made, request, sizeof request - 1, MSG_NOSIGNAL) >= 0)
        count = recv(made, line, sizeof line - 1, 0);
    close(made);
    if (count <= 0) return answer("closed");
    line[count] = 0;
    return strstr(line, "\"problem\"") ? answer("refused") : 0;
}

static struct sockaddr_in loopback(uint16_t port) {
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
}

static int tcp_connect(const struct target *target) {
    struct sockaddr_in address = loopback(target->port);
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made < 0) return errno;
    return close_after(made, failure(connect(made, (void *)&address, sizeof address)));
}

static int tcp6_socket(const struct target *target) {
    (void)target;
    int made = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return made < 0 ? errno : close_after(made, 0);
}

static int tcp_listen(const struct target *target) {
    (void)target;
    struct sockaddr_in address = loopback(0);
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made < 0) return errno;
    int error = failure(bind(made, (void *)&address, sizeof address));
    return close_after(made, error ? error : failure(listen(made, 1)));
}

/* The kernel chooses the port in listen(2), so that there is no bind(2) to deny. */
static int tcp_listen_unbound(const struct target *target) {
    (void)target;
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made < 0) return errno;
    return close_after(made, failure(listen(made, 1)));
}

static int udp_send(const struct target *target) {
    struct sockaddr_in address = loopback(target->port);
    int made = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (made < 0) return errno;
    return close_after(made, failure(sendto(made, "", 1, 0, (void *)&address, sizeof address)));
}

/* A socket of a family, with the arguments as wide as the kernel receives them. */
static int try_socket(long family, long type, long protocol) {
    long made = syscall(SYS_socket, family, type, protocol);
    return made < 0 ? errno : close_after((int)made, 0);
}

static int raw_socket(const struct target *target) {
    (void)target;
    return try_socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);
}

static int packet_socket(const struct target *target) {
    (void)target;
    return try_socket(AF_PACKET, SOCK_DGRAM, 0);
}

static int vsock_socket(const struct target *target) {
    (void)target;
    return try_socket(AF_VSOCK, SOCK_STREAM, 0);
}

static int alg_socket(const struct target *target) {
    (void)target;
    return try_socket(AF_ALG, SOCK_SEQPACKET, 0);
}

static int alg_socket_high(const struct target *target) {
    (void)target;
    return try_socket(AF_ALG | 1L << HIGH_BIT, SOCK_SEQPACKET, 0);
}

static int route_socket(const struct target *target) {
    (void)target;
    return try_socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
}

static int audit_socket(const struct target *target) {
    (void)target;
    return try_socket(AF_NETLINK, SOCK_RAW, NETLINK_AUDIT);
}

static int uevent_socket(const struct target *target) {
    (void)target;
    return try_socket(AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT);
}

const struct attack network_attacks[] = {
    {"unix_connect", unix_connect, IN_CHILD},
    {"abstract_connect", abstract_connect, IN_CHILD},
    {"control_request", control_request, IN_CHILD},
    {"tcp_connect", tcp_connect, IN_CHILD},
    {"tcp6_socket", tcp6_socket, IN_CHILD},
    {"tcp_listen", tcp_listen, IN_CHILD},
    {"tcp_listen_unbound", tcp_listen_unbound, IN_CHILD},
    {"udp_send", udp_send, IN_CHILD},
    {"raw_socket", raw_socket, IN_CHILD},
    {"packet_socket", packet_socket, IN_CHILD},
    {"vsock_socket", vsock_socket, IN_CHILD},
    {"alg_socket", alg_socket, IN_CHILD},
    {"alg_socket_high", alg_socket_high, IN_CHILD},
    {"route_socket", route_socket, IN_CHILD},
    {"audit_socket", audit_socket, IN_CHILD},
    {"uevent_socket", uevent_socket, IN_CHILD},
    {NULL, NULL, 0},
};
