/* SPDX-License-Identifier: Apache-2.0
 * Attacks that leave something for a later attempt, or look for what others have left. */
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

struct name {
    char text[256];
};

static struct name named(const char *before, const struct target *target) {
    struct name name;
    snprintf(name.text, sizeof name.text, "%s%s-left", before, target->shm);
    return name;
}

/* A key from the name of the shared memory object. */
static key_t key_of(const struct target *target) {
    unsigned key = 5381;
    for (const char *byte = target->shm; *byte; byte++) key = key * 33 + (unsigned char)*byte;
    return (key_t)(key | 1);
}

static const char *const directories[] = {"/tmp/", "/var/tmp/", "/dev/shm/", "/run/"};

/* A file in each temporary directory, shared memory, a semaphore. "done" if all are left. */
static int leave(const struct target *target) {
    int failed = 0;
    for (size_t index = 0; index < 3; index++) {
        int file = open(named(directories[index], target).text, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
        failed = file < 0 ? errno : failed;
        if (file >= 0) close(file);
    }
    int shared = shm_open(named("/memory-", target).text, O_CREAT | O_RDWR, 0600);
    failed = shared < 0 ? errno : failed;
    if (shared >= 0) close(shared);
    sem_t *semaphore = sem_open(named("/semaphore-", target).text, O_CREAT, 0600, 1);
    failed = semaphore == SEM_FAILED ? errno : failed;
    if (semaphore != SEM_FAILED) sem_close(semaphore);
    return failed;
}

/* System V shared memory, which has no file. */
static int leave_ipc(const struct target *target) {
    return failure(shmget(key_of(target), 4096, IPC_CREAT | 0600));
}

/* Looks for what leave() leaves, and removes it. */
static int find_left(const struct target *target) {
    int found = 0;
    for (size_t index = 0; index < sizeof directories / sizeof *directories; index++)
        found += unlink(named(directories[index], target).text) == 0;
    found += shm_unlink(named("/memory-", target).text) == 0;
    found += sem_unlink(named("/semaphore-", target).text) == 0;
    return answer("%s", found ? "found" : "none");
}

static int find_left_ipc(const struct target *target) {
    int found = shmget(key_of(target), 0, 0);
    if (found >= 0) shmctl(found, IPC_RMID, NULL);
    return answer("%s", found >= 0 ? "found" : "none");
}

/* Shared memory of the user that the tests have made. */
static int open_shared_memory(const struct target *target) {
    struct name name;
    snprintf(name.text, sizeof name.text, "/%s", target->shm);
    int shared = shm_open(name.text, O_RDONLY, 0);
    if (shared < 0) return errno;
    close(shared);
    return 0;
}

static const char preload[] = "/tmp/hostile-preload.so";

static int plant_library(const struct target *target) {
    (void)target;
    return failure(setenv("LD_PRELOAD", preload, 1));
}

static int find_library(const struct target *target) {
    (void)target;
    const char *value = getenv("LD_PRELOAD");
    return answer("%s", value && strcmp(value, preload) == 0 ? "found" : "none");
}

const struct attack leaving_attacks[] = {
    {"leave", leave, IN_WORKER},
    {"leave_ipc", leave_ipc, IN_WORKER},
    {"find_left", find_left, IN_WORKER},
    {"find_left_ipc", find_left_ipc, IN_WORKER},
    {"open_shared_memory", open_shared_memory, IN_CHILD},
    {"plant_library", plant_library, IN_WORKER},
    {"find_library", find_library, IN_WORKER},
    {NULL, NULL, 0},
};
