/* SPDX-License-Identifier: Apache-2.0
 * Attacks on PID 1 of the worker's namespace, on what the worker got from its host, and on the end of the attempt. */
#include "hostile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The tests start the host with this variable, which its manifest does not keep. */
static const char secret[] = "BGRUN_HOSTILE_SECRET";

/* The kernel ignores the signal if it permits it. */
static int kill_init(const struct target *target) {
    (void)target;
    return failure(kill(1, SIGKILL));
}

static int trace_init(const struct target *target) {
    (void)target;
    return failure(ptrace(PTRACE_SEIZE, 1, 0, 0));
}

static int init_memory(const struct target *target) {
    (void)target;
    return try_open("/proc/1/mem", O_RDWR);
}

static int init_environ(const struct target *target) {
    (void)target;
    return try_open("/proc/1/environ", O_RDONLY);
}

static int init_root(const struct target *target) {
    (void)target;
    return try_open("/proc/1/root/", O_PATH | O_DIRECTORY);
}

/* Opens any descriptor of init. */
static int init_descriptors(const struct target *target) {
    (void)target;
    int error = ENOENT;
    for (int number = 0; number < 16; number++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/1/fd/%d", number);
        int result = try_open(path, O_RDONLY);
        if (result == 0) return 0;
        if (result != ENOENT) error = result;
    }
    return error;
}

/* Only reads the limit: with a lower one init could not open files. */
static int init_limit(const struct target *target) {
    (void)target;
    struct rlimit limit;
    if (prlimit(1, RLIMIT_NOFILE, NULL, &limit) < 0) return errno;
    return failure(prlimit(1, RLIMIT_NOFILE, &limit, NULL));
}

static bool contains(const char *path, const char *text) {
    static char bytes[1 << 17];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    size_t length = 0;
    ssize_t count;
    while (length < sizeof bytes && (count = read(file, bytes + length, sizeof bytes - length)) > 0)
        length += (size_t)count;
    close(file);
    return memmem(bytes, length, text, strlen(text)) != NULL;
}

/* Looks for the secret in the environment of every process. */
static int find_secret(const struct target *target) {
    (void)target;
    if (getenv(secret)) return answer("found");
    DIR *processes = opendir("/proc");
    bool found = false;
    for (struct dirent *entry; processes && !found && (entry = readdir(processes));) {
        char path[300];
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
        snprintf(path, sizeof path, "/proc/%s/environ", entry->d_name);
        found = contains(path, secret);
    }
    if (processes) closedir(processes);
    return answer(found ? "found" : "none");
}

/* Variables that lead to agents and buses. */
static int find_agents(const struct target *target) {
    (void)target;
    static const char *const names[] = {"SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS",
                                        "XDG_RUNTIME_DIR", "LD_LIBRARY_PATH", "NOTIFY_SOCKET"};
    char found[256] = "";
    for (size_t index = 0; index < sizeof names / sizeof *names; index++)
        if (getenv(names[index]))
            snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s", *found ? " " : "",
                     names[index]);
    return answer("%s", *found ? found : "none");
}

/* A descriptor of a directory leads out of a changed view of the file system. */
static int find_directories(const struct target *target) {
    (void)target;
    for (int number = 0; number < 256; number++) {
        struct stat status;
        if (fstat(number, &status) == 0 && S_ISDIR(status.st_mode)) return answer("found");
    }
    return answer("none");
}

/* The working directory may be of a mount from before the confinement. */
static int manifest_from_working_directory(const struct target *target) {
    const char *name = strrchr(target->manifest, '/');
    int error = name ? try_open(name + 1, O_WRONLY) : EINVAL;
    return error;
}

/* Children in sessions of their own, which sleep. */
static void start_sleepers(int count) {
    for (int index = 0; index < count; index++) {
        if (fork() != 0) continue;
        setsid();
        signal(SIGTERM, SIG_IGN);
        if (fork() == 0)
            for (;;) sleep(3600);
        _exit(0);
    }
}

static int stop_itself(const struct target *target) {
    (void)target;
    signal(SIGTERM, SIG_IGN);
    for (;;) raise(SIGSTOP);
    return 0;
}

/* Writes a line when its children run. */
static int never_end(const struct target *target) {
    (void)target;
    signal(SIGTERM, SIG_IGN);
    start_sleepers(5);
    fprintf(stderr, "the attack has begun\n");
    for (;;) sleep(3600);
    return 0;
}

/* Completes while children sleep. */
static int leave_processes(const struct target *target) {
    (void)target;
    start_sleepers(5);
    return 0;
}

const struct attack host_attacks[] = {
    {"init_kill", kill_init, IN_CHILD | IN_NAMESPACE},
    {"init_trace", trace_init, IN_CHILD | IN_NAMESPACE},
    {"init_memory", init_memory, IN_CHILD | IN_NAMESPACE},
    {"init_environ", init_environ, IN_CHILD | IN_NAMESPACE},
    {"init_root", init_root, IN_CHILD | IN_NAMESPACE},
    {"init_descriptors", init_descriptors, IN_CHILD | IN_NAMESPACE},
    {"init_limit", init_limit, IN_CHILD | IN_NAMESPACE},
    {"secret", find_secret, IN_WORKER},
    {"agents", find_agents, IN_WORKER},
    {"directories", find_directories, IN_WORKER},
    {"manifest_relative", manifest_from_working_directory, IN_WORKER},
    {"stop_itself", stop_itself, IN_WORKER},
    {"never_end", never_end, IN_WORKER},
    {"leave_processes", leave_processes, IN_WORKER},
    {NULL, NULL, 0},
};
