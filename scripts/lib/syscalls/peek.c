// SPDX-License-Identifier: Apache-2.0
// What the supervised program's memory and descriptors hold.
#define _GNU_SOURCE
#include "watch.h"
#include <fcntl.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

bool peek(pid_t thread, uint64_t address, void *bytes, size_t count) {
    struct iovec mine = {bytes, count}, its = {(void *)(uintptr_t)address, count};
    return process_vm_readv(thread, &mine, 1, &its, 1, 0) == (ssize_t)count;
}

bool poke(pid_t thread, uint64_t address, const void *bytes, size_t count) {
    struct iovec mine = {(void *)(uintptr_t)bytes, count}, its = {(void *)(uintptr_t)address, count};
    return process_vm_writev(thread, &mine, 1, &its, 1, 0) == (ssize_t)count;
}

// A page at a time, since what lies behind the text may not be there.
bool peek_text(pid_t thread, uint64_t address, char text[PATH_MAX]) {
    size_t done = 0;
    text[0] = 0;
    while (done < PATH_MAX) {
        size_t part = 4096 - (address + done) % 4096;
        if (part > PATH_MAX - done) part = PATH_MAX - done;
        if (!peek(thread, address + done, text + done, part)) break;
        if (memchr(text + done, 0, part)) return true;
        done += part;
    }
    text[0] = 0;
    return false;
}

void absolute(pid_t thread, int folder, const char *path, char result[PATH_MAX]) {
    char link[64], base[PATH_MAX];
    if (strncmp(path, "/proc/self/", 11) == 0) {
        snprintf(result, PATH_MAX, "/proc/%d/%.*s", watched, PATH_MAX - 32, path + 11);
        return;
    }
    if (path[0] == '/') {
        snprintf(result, PATH_MAX, "%s", path);
        return;
    }
    if (folder == AT_FDCWD) snprintf(link, sizeof link, "/proc/%d/cwd", thread);
    else snprintf(link, sizeof link, "/proc/%d/fd/%d", thread, folder);
    ssize_t length = readlink(link, base, sizeof base - 1);
    base[length > 0 ? length : 0] = 0;
    if (snprintf(result, PATH_MAX, "%s/%s", base, path) >= PATH_MAX) result[PATH_MAX - 1] = 0;
}

static void describe_socket(int fd, char result[PATH_MAX]) {
    int domain = 0, listens = 0;
    socklen_t size = sizeof domain;
    int mine = borrow(fd);
    if (mine < 0) return;
    getsockopt(mine, SOL_SOCKET, SO_DOMAIN, &domain, &size);
    size = sizeof listens;
    getsockopt(mine, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size);
    close(mine);
    const char *kind = domain == AF_UNIX ? "unix" : domain == AF_NETLINK ? "netlink" : "internet";
    snprintf(result, PATH_MAX, "(%s %s)", kind, listens ? "listener" : "socket");
}

void target_of_fd(pid_t thread, int fd, char result[PATH_MAX]) {
    char link[64];
    snprintf(link, sizeof link, "/proc/%d/fd/%d", thread, fd);
    ssize_t length = readlink(link, result, PATH_MAX - 1);
    result[length > 0 ? length : 0] = 0;
    if (strncmp(result, "socket:", 7) == 0) describe_socket(fd, result);
}

// A descriptor of the program's as one of ours, which shares its place in the file.
int borrow(int fd) { return (int)syscall(SYS_pidfd_getfd, watched_fd, fd, 0); }

bool is_inside(const char *path) {
    size_t length = strlen(root);
    return strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == 0);
}

bool hand_over(const struct seccomp_notif *notif, int fd, bool closes) {
    struct seccomp_notif_addfd add = {
        .id = notif->id,
        .flags = SECCOMP_ADDFD_FLAG_SEND,
        .srcfd = (uint32_t)fd,
        .newfd_flags = closes ? O_CLOEXEC : 0,
    };
    return ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add) >= 0;
}
