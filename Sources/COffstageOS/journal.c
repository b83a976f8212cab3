// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "COffstageOS.h"
#include "held_signals.h"
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

const char *offstage_os_program_name(void) { return program_invocation_short_name; }

int offstage_os_socket(void) {
    const int before = errno;
    int made = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made >= 0 && made <= STDERR_FILENO) {
        // An app without standard error must not write to this in its place.
        const int higher = fcntl(made, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        close(made);
        made = higher;
    }
    errno = before;
    return made;
}

// A file in memory that nobody can change any more: journald takes no other from a user.
static int sealed_file(const char *bytes, size_t length) {
    const int file = memfd_create("offstage-log", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) return -1;
    size_t done = 0;
    while (done < length) {
        const ssize_t count = write(file, bytes + done, length - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        done += (size_t)count;
    }
    if (done == length &&
        fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0)
        return file;
    const int error = errno;
    close(file);
    errno = error;
    return -1;
}

static int send_file(int socket, struct msghdr *message, int file) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    memset(&control, 0, sizeof control);
    message->msg_iov = NULL;
    message->msg_iovlen = 0;
    message->msg_control = control.bytes;
    message->msg_controllen = sizeof control.bytes;
    struct cmsghdr *rights = CMSG_FIRSTHDR(message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(rights), &file, sizeof file);
    return sendmsg(socket, message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? errno : 0;
}

static int send_entry(int socket, const char *path, const void *bytes, size_t length) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return ENAMETOOLONG;
    strcpy(address.sun_path, path);
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = length};
    struct msghdr message = {
        .msg_name = &address, .msg_namelen = sizeof address, .msg_iov = &part, .msg_iovlen = 1};
    while (sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
        if (errno == EINTR) continue;
        if (errno != EMSGSIZE && errno != ENOBUFS) return errno;
        const struct held_signals held = hold_signals();
        const int file = sealed_file(bytes, length);
        const int error = file < 0 ? errno : 0;
        release_signals(&held, error);
        if (error != 0) return error;
        const int result = send_file(socket, &message, file);
        close(file);
        return result;
    }
    return 0;
}

int offstage_os_send(int socket, const char *path, const void *bytes, size_t length) {
    const int before = errno;
    const int result = send_entry(socket, path, bytes, length);
    errno = before;
    return result;
}
