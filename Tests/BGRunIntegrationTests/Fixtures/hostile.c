/* SPDX-License-Identifier: Apache-2.0
 * One handler for each attack on the host through processes, descriptors and calls. hostile-frames.c
 * has the attacks through the channel. */
#include "hostile.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void sleep_for_ever(void) {
    for (;;) pause();
}

static void ignore_everything(void) {
    for (int number = 1; number < NSIG; number++) signal(number, SIG_IGN);
}

/* The host of this worker. */
static pid_t host_process(void) { return getppid(); }

/* --- the worker's own process --- */

static jmp_buf past;

/* Jumps to an invalid address. */
HANDLER(jumps) {
    memset(&past, 0x55, sizeof past);
    longjmp(past, 1);
}

static int deeper(volatile char *above) {
    volatile char frame[1 << 16];
    frame[0] = above[0];
    return above[0] ? deeper(frame) + frame[0] : 0;
}

HANDLER(overflows_stack) {
        char first = 1;
    deeper(&first);
}

HANDLER(unloads_itself) {
    Dl_info info;
        if (dladdr((void *)&unloads_itself, &info) == 0) return;
    void *self = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    for (int count = 0; self && count < 8; count++) dlclose(self);
    raise(SIGSEGV);
}

/* --- processes that hide --- */

static void announce(int to) {
    if (write(to, "", 1) != 1) _exit(1);
}

static void await(int from) {
    char byte;
    while (read(from, &byte, 1) < 0 && errno == EINTR) {}
}

/* Two forks, a new session, no descriptors, another name, ignored signals, and its own subreaper. */
HANDLER(hides) {
    int ready[2];
    if (pipe(ready) != 0) abort();
    if (fork() == 0) {
        setsid();
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        if (fork() == 0) {
            setsid();
            ignore_everything();
            prctl(PR_SET_NAME, "kworker/0:1");
            prctl(PR_SET_PDEATHSIG, 0);
            if (fork() == 0) {
                announce(ready[1]);
                closefrom(0);
                sleep_for_ever();
            }
            closefrom(0);
            sleep_for_ever();
        }
        sleep_for_ever();
    }
    await(ready[0]);
    close(ready[0]);
    close(ready[1]);
    host->complete(task, 1, "hidden");
}

/* A process whose pid changes all the time: each one forks the next and exits. */
HANDLER(hops) {
    int ready[2];
    if (pipe(ready) != 0) abort();
    if (fork() == 0) {
        setsid();
        announce(ready[1]);
        closefrom(0);
        for (;;) {
            pid_t next = fork();
            if (next > 0) _exit(0);
            if (next < 0) usleep(1000);
        }
    }
    await(ready[0]);
    host->complete(task, 1, "hopping");
}

/* Makes a process the host's child, and reports its pid. If the end of another attempt kills that process first,
   makes another one. */
HANDLER(leaves_to_host) {
    pid_t daemon_process = 0;
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    while (daemon_process == 0) {
        int ends[2];
        if (pipe(ends) != 0) abort();
        pid_t middle = fork();
        if (middle == 0) {
            if (fork() == 0) {
                pid_t own = getpid();
                setsid();
                if (write(ends[1], &own, sizeof own) != sizeof own) _exit(1);
                closefrom(0);
                sleep_for_ever();
            }
            _exit(0);
        }
        close(ends[1]);
        while (waitpid(middle, NULL, 0) < 0 && errno == EINTR) {}
        while (read(ends[0], &daemon_process, sizeof daemon_process) < 0 && errno == EINTR) {}
        close(ends[0]);
    }
    char message[32];
    snprintf(message, sizeof message, "%d", (int)daemon_process);
    host->complete(task, 1, message);
}

static void multiply(int generations) {
    for (int count = 0; count < generations; count++)
        if (fork() < 0) break;
}

/* 2^7 processes that ignore SIGTERM. */
HANDLER(multiplies) {
        signal(SIGTERM, SIG_IGN);
    multiply(7);
    sleep_for_ever();
}

HANDLER(multiplies_afterwards) {
    int ready[2];
    if (pipe(ready) != 0) abort();
    if (fork() == 0) {
        signal(SIGTERM, SIG_IGN);
        announce(ready[1]);
        multiply(7);
        sleep_for_ever();
    }
    await(ready[0]);
    host->complete(task, 1, "multiplying");
}

/* --- its channel --- */

HANDLER(shuts_channel) {
        shutdown(CONTROL, SHUT_RDWR);
    sleep_for_ever();
}

/* The worker dies, and a child keeps its channel. */
HANDLER(leaves_channel_to_child) {
    int ready[2];
        if (pipe(ready) != 0) abort();
    if (fork() == 0) {
        setsid();
        announce(ready[1]);
        sleep_for_ever();
    }
    await(ready[0]);
    _exit(7);
}

/* --- calls --- */

static void *complete_late(void *task) {
    for (int count = 0; count < 1000; count++) host->complete(task, 0, "late");
    return NULL;
}

HANDLER(completes_often) {
    pthread_t thread;
    host->complete(task, 1, "first");
    if (pthread_create(&thread, NULL, complete_late, task) != 0) abort();
    pthread_join(thread, NULL);
}

HANDLER(completes_others) {
    int refused = 0;
    for (uintptr_t id = 1; id <= 2000; id++) {
        bgrun_task *other = (bgrun_task *)(id + (uintptr_t)task);
        refused += host->complete(other, 0, "not mine") == BGRUN_E_STATE;
    }
    host->complete(task, refused == 2000, refused == 2000 ? "all refused" : "some were taken");
}

static const bgrun_scheduler_ext *scheduler(void) {
    return host->get_extension(host, BGRUN_EXT_SCHEDULER);
}

HANDLER(submits_extremes) {
    const int64_t delays[] = {INT64_MAX, INT64_MIN, -1, INT64_MAX - 1};
    for (size_t index = 0; index < sizeof delays / sizeof *delays; index++) {
        char identifier[64];
        snprintf(identifier, sizeof identifier, "org.test.far.%zu", index);
        bgrun_request request = {
            .struct_size = sizeof request, .identifier = identifier, .earliest_delay_ns = delays[index]};
        scheduler()->submit(task, &request);
    }
    host->complete(task, 1, "submitted");
}

/* Progress in units as small as nanoseconds, which is permitted. */
HANDLER(progresses_far) {
    host->set_progress(task, INT64_MAX / 50, INT64_MAX);
    host->log(host, task, BGRUN_LOG_INFO, "told its progress");
    sleep_for_ever();
}

HANDLER(submits_endlessly) {
    bgrun_request request = {.struct_size = sizeof request, .identifier = "org.test.far.1",
                             .earliest_delay_ns = 3600000000000};
    for (;;) scheduler()->submit(task, &request);
}

HANDLER(checkpoints_endlessly) {
    static char data[1 << 16];
    const bgrun_checkpoint_ext *checkpoint = host->get_extension(host, BGRUN_EXT_CHECKPOINT);
    for (;;) checkpoint->put(task, 1, data, sizeof data);
}

/* --- changes and files that remain --- */

HANDLER(opens_everything) {
    while (open("/dev/null", O_RDONLY) >= 0) {}
    host->complete(task, 1, "no descriptor left");
}

HANDLER(limits_itself) {
    const int kinds[] = {RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_FSIZE, RLIMIT_CORE, RLIMIT_STACK};
    const struct rlimit none = {0, 0};
    for (size_t index = 0; index < sizeof kinds / sizeof *kinds; index++)
        setrlimit(kinds[index], &none);
    umask(0777);
    if (chdir("/proc") != 0 || nice(19) < 0) {}
    host->complete(task, 1, "limited");
}

/* Has no address space for the stack of another thread, as if processes were short. */
HANDLER(needs_threads) {
    unsigned long pages = 0;
    FILE *sizes = fopen("/proc/self/statm", "r");
    if (!sizes || fscanf(sizes, "%lu", &pages) != 1) abort();
    fclose(sizes);
    const rlim_t size = pages * (rlim_t)sysconf(_SC_PAGESIZE) + (1 << 20);
    const struct rlimit limit = {size, size};
    pthread_t thread;
    if (setrlimit(RLIMIT_AS, &limit) != 0) abort();
    if (pthread_create(&thread, NULL, complete_late, task) == 0) abort();
    sleep_for_ever();
}

/* Changes what a worker restores, and reports what it found. */
HANDLER(changes_place) {
    char text[4200], directory[4096];
    sigset_t mask, all;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    const mode_t old = umask(0777);
    if (!getcwd(directory, sizeof directory)) abort();
    snprintf(text, sizeof text, "%d %s %03o %d", getpid(), directory, (unsigned)old,
             sigismember(&mask, SIGUSR1));
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    host->complete(task, chdir("/") == 0, text);
}

/* A file in the working directory, and shared memory named after that directory. */
HANDLER(leaves_files) {
    char directory[4096];
    if (!getcwd(directory, sizeof directory)) abort();
    int memory = shm_open(strrchr(directory, '/'), O_RDWR | O_CREAT | O_EXCL, 0600);
    if (memory < 0 || ftruncate(memory, 4096) != 0) abort();
    int file = open("left-behind", O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (file < 0 || write(file, "left", 4) != 4) abort();
    host->complete(task, 1, "left");
}

/* --- its host --- */

HANDLER(stops_host) {
    kill(host_process(), SIGSTOP);
    host->complete(task, 1, "stopped it");
}

HANDLER(kills_everything) {
        /* Outside its own namespace this would kill every process. */
    if (getenv("HOSTILE_IN_NAMESPACE")) kill(-1, SIGKILL);
    sleep_for_ever();
}

HANDLER(traces_host) {
    pid_t victim = host_process();
    int status;
    if (ptrace(PTRACE_SEIZE, victim, NULL, NULL) == 0) {
        ptrace(PTRACE_INTERRUPT, victim, NULL, NULL);
        waitpid(victim, &status, __WALL);
        ptrace(PTRACE_DETACH, victim, NULL, NULL);
    }
    host->complete(task, 1, "let it go");
}

/* --- in the constructor --- */

__attribute__((constructor)) static void construct(void) {
    const char *word = getenv("HOSTILE_CONSTRUCTOR");
    if (!word) return;
    if (!strcmp(word, "hangs")) sleep_for_ever();
    if (!strcmp(word, "stops")) raise(SIGSTOP);
    if (!strcmp(word, "outlives")) prctl(PR_SET_PDEATHSIG, 0);
    if (!strcmp(word, "floods"))
        for (int line = 0; line < 100000; line++) puts("a line of a constructor");
    if (!strcmp(word, "frame")) write_garbage();
    if (!strcmp(word, "short")) {
        /* The frame of a worker that has too few resources to begin. */
        const unsigned char frame[] = {5, 0, 0, 0, 13, EAGAIN, 0, 0, 0};
        if (write(CONTROL, frame, sizeof frame) < 0) abort();
        _exit(0);
    }
    if (!strcmp(word, "forks") || !strcmp(word, "forks-twice")) {
        if (fork() == 0) {
            setsid();
            signal(SIGTERM, SIG_IGN);
            if (!strcmp(word, "forks") || fork() == 0) sleep_for_ever();
            _exit(0);
        }
    }
}

HANDLER(does_nothing) { host->complete(task, 1, "did nothing"); }

static const bgrun_handler handlers[] = {
    NAMED(jumps), NAMED(overflows_stack), NAMED(unloads_itself), NAMED(hides), NAMED(hops),
    NAMED(leaves_to_host),
    NAMED(multiplies), NAMED(multiplies_afterwards), NAMED(shuts_channel),
    NAMED(leaves_channel_to_child), NAMED(completes_often), NAMED(completes_others),
    NAMED(submits_extremes), NAMED(submits_endlessly), NAMED(checkpoints_endlessly),
    NAMED(progresses_far), NAMED(opens_everything), NAMED(limits_itself), NAMED(leaves_files),
    NAMED(needs_threads), NAMED(changes_place),
    NAMED(stops_host), NAMED(kills_everything), NAMED(traces_host), NAMED(does_nothing),
};

PLUGIN(handlers)
