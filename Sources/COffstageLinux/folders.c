// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "COffstageLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int offstage_sync_folder(const char *path) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    // One that this user may enter and not read; whose it is has to see to it.
    if (fd < 0) return errno == EACCES ? 0 : -1;
    int result = fsync(fd), error = errno;
    close(fd);
    errno = error;
    // Some file systems know nothing of it.
    return result == 0 || error == EINVAL || error == ENOSYS || error == ENOTSUP ? 0 : -1;
}

int offstage_sync_folder_of(const char *path) {
    char folder[PATH_MAX];
    if (snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder) {
        errno = ENAMETOOLONG;
        return -1;
    }
    char *slash = strrchr(folder, '/');
    if (!slash) return offstage_sync_folder(".");
    slash[slash == folder] = 0;
    return offstage_sync_folder(folder);
}

int offstage_make_folder(const char *path, int must_sync) {
    int made = mkdir(path, 0700);
    if (made != 0 && errno != EEXIST) return -1;
    return made == 0 || must_sync ? offstage_sync_folder_of(path) : 0;
}
