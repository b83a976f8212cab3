// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "COffstageLinux.h"
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

int offstage_peer_credentials(int fd, uid_t *uid, pid_t *pid) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -1;
    *uid = peer.uid;
    *pid = peer.pid;
    return 0;
}

int offstage_accept(int fd) { return accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

int offstage_rename_without_replacing(const char *from, const char *to) {
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}

int offstage_exchange(const char *one, const char *other) {
    return renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
}

int offstage_reflink(int from, int to) { return ioctl(to, FICLONE, from); }

int offstage_start_writeback(int fd) { return sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE); }

int offstage_sync_file_system(int fd) { return syncfs(fd); }

const int offstage_open_path = O_PATH;

unsigned offstage_umask(void) {
    char text[4096];
    int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 077;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    if (count <= 0) return 077;
    text[count] = 0;
    const char *line = strstr(text, "\nUmask:");
    if (!line) return 077;
    char *end;
    unsigned long mask = strtoul(line + 7, &end, 8);
    return end == line + 7 || mask > 0777 ? 077 : (unsigned)mask;
}

int offstage_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }
