/* SPDX-License-Identifier: Apache-2.0
 *
 * bgrun-confinement-probe FILTER CALL...: installs the seccomp program in the file FILTER, makes the calls in order
 * and prints a line "RESULT ERRNO" for each. A call is NUMBER:ARGUMENT:..., `fork`, `thread`, or `ia32`: getpid of
 * 32-bit programs. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int install(const char *path) {
    static struct sock_filter filter[8192];
    int file = open(path, O_RDONLY);
    ssize_t size = file < 0 ? -1 : read(file, filter, sizeof filter);
    if (size < 0) return -1;
    close(file);
    struct sock_fprog program = {(unsigned short)(size / (ssize_t)sizeof filter[0]), filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

static char mark;

static void *work(void *context) { return context; }

static long thread(void) {
    pthread_t made;
    void *result = NULL;
    errno = pthread_create(&made, NULL, work, &mark);
    if (!errno) errno = pthread_join(made, &result);
    return result == &mark ? 0 : -1;
}

/* The exit status of a forked process. */
static long forked(void) {
    pid_t child = fork();
    if (child == 0) _exit(7);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Makes a 32-bit call in a child, because a kernel without them kills it. */
static long ia32(void) {
#ifdef __x86_64__
    int ends[2];
    if (pipe(ends)) return -1;
    if (fork() == 0) {
        long result = 20;
        __asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
        int code = result < 0 && result > -4096 ? (int)-result : 0;
        _exit(write(ends[1], &code, sizeof code) != sizeof code);
    }
    close(ends[1]);
    int code = -1;
    ssize_t size = read(ends[0], &code, sizeof code);
    close(ends[0]);
    wait(NULL);
    errno = size == sizeof code ? code : -1;
    return -1;
#else
    errno = -1;
    return -1;
#endif
}

static long numbered(const char *text) {
    unsigned long values[7] = {0};
    for (int i = 0; i < 7 && *text; i++) {
        char *end;
        values[i] = strtoul(text, &end, 0);
        text = *end == ':' ? end + 1 : end;
    }
    pid_t caller = getpid();
    errno = 0;
    long result = syscall((long)values[0], values[1], values[2], values[3], values[4], values[5],
                          values[6]);
    /* What the call made, if it was clone or fork. */
    if (getpid() != caller) _exit(0);
    return result;
}

int main(int argc, char **argv) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    /* No call reaches a terminal. */
    setsid();
    if (argc < 3 || install(argv[1])) {
        perror("usage: bgrun-confinement-probe FILTER CALL...");
        return 1;
    }
    for (int i = 2; i < argc; i++) {
        errno = 0;
        long result = strcmp(argv[i], "fork") == 0     ? forked()
                      : strcmp(argv[i], "thread") == 0 ? thread()
                      : strcmp(argv[i], "ia32") == 0   ? ia32()
                                                       : numbered(argv[i]);
        int code = errno;
        printf("%ld %d\n", result, result == -1 ? code : 0);
    }
    return 0;
}
