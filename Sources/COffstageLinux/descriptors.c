// SPDX-License-Identifier: Apache-2.0
// Descriptors over Unix sockets, and pidfds.
#define _GNU_SOURCE
#include "COffstageLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

void offstage_fill_standard_descriptors(void) {
    for (int descriptor = 0; descriptor <= 2; descriptor++) {
        if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
        if (open("/dev/null", O_RDWR) != descriptor) _exit(71);
    }
}

void offstage_hold_standard_descriptors(void) {
    const int before = errno;
    for (int descriptor = 0; descriptor <= 2; descriptor++) {
        if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
        int made = open("/dev/null", O_RDWR);
        // Another thread has been faster.
        if (made > 2) close(made);
    }
    errno = before;
}

ssize_t offstage_send_descriptor(int socket, const void *bytes, size_t count, int descriptor) {
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor >= 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = control.space;
        message.msg_controllen = sizeof control.space;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

ssize_t offstage_receive_descriptor(int socket, void *bytes, size_t capacity, int *descriptor) {
    struct iovec part = {.iov_base = bytes, .iov_len = capacity};
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.space, .msg_controllen = sizeof control.space};
    *descriptor = -1;
    ssize_t count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (count < 0) return count;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
            memcpy(descriptor, CMSG_DATA(header), sizeof *descriptor);
        }
    }
    return count;
}

int offstage_peer_pidfd(int socket) {
    int descriptor = -1;
    socklen_t length = sizeof descriptor;
    return getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &descriptor, &length) == 0 ? descriptor : -1;
}

int offstage_pidfd_is_alive(int pidfd) {
    struct pollfd entry = {.fd = pidfd, .events = POLLIN};
    return poll(&entry, 1, 0) == 0;
}
