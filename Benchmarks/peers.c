/* SPDX-License-Identifier: Apache-2.0
 * Minimal C programs to compare bgrun with. Prints nanoseconds, one sample per line.
 *   peers spawn fork|vfork|posix_spawn COUNT COMMAND...   start to exit, one after the other
 *   peers floor COUNT   a byte to a process that must first be continued from SIGSTOP, and back
 *   peers sync COUNT FILE   append 4 KiB and fdatasync: the cost of any durable answer here
 * PEERS_REST is a pause before each sample in microseconds, after which caches and processors are cold. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;
static FILE *results;

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long long)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void check(int isFine, const char *what) {
    if (isFine) return;
    perror(what);
    exit(1);
}

static void report(long long nanoseconds) { fprintf(results, "%lld\n", nanoseconds); }

static void rest(void) {
    const char *pause = getenv("PEERS_REST");
    if (pause) usleep((useconds_t)atoi(pause));
}

static pid_t start(const char *how, char **command) {
    pid_t pid = -1;
    if (strcmp(how, "posix_spawn") == 0) {
        check(posix_spawnp(&pid, command[0], NULL, NULL, command, environ) == 0, "posix_spawn");
        return pid;
    }
    pid = strcmp(how, "vfork") == 0 ? vfork() : fork();
    if (pid == 0) {
        execvp(command[0], command);
        _exit(127);
    }
    check(pid > 0, how);
    return pid;
}

static void spawn(const char *how, int count, char **command) {
    while (count--) {
        int status;
        rest();
        long long begin = now();
        pid_t pid = start(how, command);
        check(waitpid(pid, &status, 0) == pid && status == 0, command[0]);
        report(now() - begin);
    }
}

static void echo(int socket) {
    char byte;
    while (read(socket, &byte, 1) == 1 && write(socket, &byte, 1) == 1) {}
    _exit(0);
}

static void floor_of(int count) {
    int ends[2], status;
    check(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "socketpair");
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        echo(ends[1]);
    }
    close(ends[1]);
    while (count--) {
        char byte = 0;
        kill(pid, SIGSTOP);
        check(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status), "SIGSTOP");
        rest();
        long long begin = now();
        check(write(ends[0], &byte, 1) == 1, "write");
        kill(pid, SIGCONT);
        check(read(ends[0], &byte, 1) == 1, "read");
        report(now() - begin);
    }
    kill(pid, SIGKILL);
}

static void synchronise(int count, const char *path) {
    static char page[4096];
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    check(file >= 0, path);
    while (count--) {
        long long begin = now();
        check(write(file, page, sizeof page) == sizeof page && fdatasync(file) == 0, path);
        report(now() - begin);
    }
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    /* The output of a command is not part of the figures. */
    results = fdopen(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), "w");
    check(results && freopen("/dev/null", "w", stdout), "/dev/null");
    if (strcmp(what, "spawn") == 0 && argc > 4) spawn(argv[2], atoi(argv[3]), argv + 4);
    else if (strcmp(what, "floor") == 0 && argc == 3) floor_of(atoi(argv[2]));
    else if (strcmp(what, "sync") == 0 && argc == 4) synchronise(atoi(argv[2]), argv[3]);
    else return 64;
    return 0;
}
