/* SPDX-License-Identifier: Apache-2.0
 * Descriptors of other processes: passed over sockets, and of sealed files. */
#define _GNU_SOURCE
#include "bgrun_shims.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static int result(long value) { return value < 0 ? -errno : (int)value; }

union passage {
    struct cmsghdr header;
    char space[CMSG_SPACE(BGRUN_MOST_PASSED * sizeof(int))];
};

int bgrun_send_passing(int socket, const void *bytes, size_t count, const int *passed,
                       size_t passed_count) {
    union passage passage = {.space = {0}};
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (passed_count > BGRUN_MOST_PASSED) return -EINVAL;
    if (passed_count > 0) {
        size_t size = passed_count * sizeof *passed;
        message.msg_control = &passage;
        message.msg_controllen = CMSG_SPACE(size);
        passage.header.cmsg_level = SOL_SOCKET;
        passage.header.cmsg_type = SCM_RIGHTS;
        passage.header.cmsg_len = CMSG_LEN(size);
        memcpy(CMSG_DATA(&passage.header), passed, size);
    }
    return result(sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT));
}

/* Stores at most `most` descriptors in `passed`, and their number. */
static int receive(int socket, void *bytes, size_t count, int *passed, size_t most, size_t *number) {
    union passage passage;
    struct iovec part = {.iov_base = bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &passage,
                             .msg_controllen = CMSG_LEN(most * sizeof *passed)};
    *number = 0;
    ssize_t length = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (length < 0) return -errno;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
        *number = (header->cmsg_len - CMSG_LEN(0)) / sizeof *passed;
        memcpy(passed, CMSG_DATA(header), *number * sizeof *passed);
    }
    return (int)length;
}

int bgrun_receive_passing(int socket, void *bytes, size_t count, int *passed) {
    size_t number = 0;
    int length = receive(socket, bytes, count, passed, 1, &number);
    if (number == 0) *passed = -1;
    return length;
}

int bgrun_receive_launch(int socket, void *bytes, size_t count, int *passed, size_t *passed_count) {
    return receive(socket, bytes, count, passed, BGRUN_MOST_PASSED, passed_count);
}

static int write_all(int file, const char *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        ssize_t written = write(file, bytes + done, count - done);
        if (written >= 0) done += (size_t)written;
        else if (errno != EINTR) return errno;
    }
    return 0;
}

/* Seals a file in memory and goes to its start, unless an error has occurred, which closes it. */
static int sealed(int file, int error) {
    const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    if (error == 0 && fcntl(file, F_ADD_SEALS, seals) < 0) error = errno;
    if (error == 0 && lseek(file, 0, SEEK_SET) < 0) error = errno;
    if (error == 0) return file;
    close(file);
    return -error;
}

int bgrun_sealed_file(const char *name, const void *bytes, size_t count) {
    int file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) return -errno;
    return sealed(file, write_all(file, bytes, count));
}

int bgrun_sealed_copy(const char *name, int source, size_t most) {
    int file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) return -errno;
    char bytes[4096];
    int error = fchmod(file, S_IRUSR) < 0 ? errno : 0;
    for (size_t left = most; error == 0;) {
        ssize_t count = read(source, bytes, sizeof bytes);
        if (count == 0) break;
        if (count < 0) {
            if (errno != EINTR) error = errno;
        } else if ((size_t)count > left) {
            error = EFBIG;
        } else {
            error = write_all(file, bytes, (size_t)count);
            left -= (size_t)count;
        }
    }
    explicit_bzero(bytes, sizeof bytes);
    return sealed(file, error);
}
