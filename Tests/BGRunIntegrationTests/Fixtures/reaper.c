/* SPDX-License-Identifier: Apache-2.0
 * reaper.c - runs a command, and adopts its orphans as the first process of a container does: in the
 * session of the command, so that the kernel continues no stopped process. */
#include <errno.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **words) {
    if (count < 2 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) return 64;
    pid_t child = fork();
    if (child < 0) return 69;
    if (child == 0) {
        execv(words[1], words + 1);
        return 69;
    }
    while (wait(NULL) > 0 || errno == EINTR) {
    }
    return 0;
}
