// SPDX-License-Identifier: Apache-2.0
// Notes everything that changes files under the root, in one order: the supervisor itself carries out what it notes.
// Lines of words with tabs between them, each after its time in nanoseconds; the bytes of W and S follow their line.
//   C inode path mode      a new file               A inode mode        a new file without a name
//   W inode offset count   written                  T inode size        cut, or made longer
//   F inode time           synced, with its time    D path              folder synced
//   N old new              renamed                  L inode path        another name
//   X path                 name removed             M path mode         new folder
//   P inode mode           mode changed             S socket count      about to be sent over a Unix socket
//   U what                 not understood: the recording is worth nothing
#define _GNU_SOURCE
#include "watch.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

const char *boot_id;
const char *const recorded_calls[] = {
    "open", "create", "write", "send", "rename", "link", "symlink", "unlink", "rmdir", "mkdir", "ftruncate", "fallocate",
    "copy_file_range", "sendfile", "fsync", "fdatasync", "chmod", "stat", NULL};

static FILE *file;
#define NOTE(...) (fprintf(file, "%lld\t", nanoseconds()), fprintf(file, __VA_ARGS__))
static struct { ino_t actual, shown; } inodes[65536];
static size_t inode_count;

static long long nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long long)time.tv_sec * 1000000000 + time.tv_nsec;
}

bool start_recording(const char *path) {
    file = fopen(path, "we");
    return file != NULL;
}

void load_inodes(const char *list) {
    unsigned long long actual, shown;
    FILE *lines = fopen(list, "re");
    while (lines && inode_count < sizeof inodes / sizeof *inodes && fscanf(lines, "%llu %llu", &actual, &shown) == 2) {
        inodes[inode_count].actual = actual;
        inodes[inode_count++].shown = shown;
    }
    if (lines) fclose(lines);
}

static unsigned long long shown(ino_t actual) {
    for (size_t index = 0; index < inode_count; index++) {
        if (inodes[index].actual == actual) return inodes[index].shown;
    }
    return actual;
}

static struct verdict answer(long long result) {
    return result < 0 ? (struct verdict){.error = errno} : (struct verdict){.value = result};
}

// The mask that applies to what the program creates.
static mode_t masked(mode_t mode) {
    char path[64], line[256];
    unsigned mask = 022;
    snprintf(path, sizeof path, "/proc/%d/status", watched);
    FILE *status = fopen(path, "re");
    while (status && fgets(line, sizeof line, status) && sscanf(line, "Umask: %o", &mask) != 1) {}
    if (status) fclose(status);
    return mode & ~mask & 07777;
}

static bool is_kept(const char *path) {
    size_t length = strlen(path);
    // The index of SQLite's log is made anew after a restart, and is never read before.
    return is_inside(path) && (length < 4 || strcmp(path + length - 4, "-shm") != 0);
}

static struct verdict open_file(const struct call *call) {
    const __u64 *args = call->notif->data.args;
    const __u64 *rest = call->shape == AT ? args + 2 : args + 1;
    int flags = (int)rest[0];
    if (boot_id && strcmp(call->target, "/proc/sys/kernel/random/boot_id") == 0) {
        int fd = open(boot_id, O_RDONLY | O_CLOEXEC);
        if (fd < 0 || !hand_over(call->notif, fd, flags & O_CLOEXEC)) return LET;
        close(fd);
        return (struct verdict){.is_answered = true};
    }
    bool is_unnamed = (flags & O_TMPFILE) == O_TMPFILE;
    if (!file || !is_kept(call->target) || !(is_unnamed || flags & (O_CREAT | O_TRUNC))) return LET;
    struct stat before, after;
    bool was_there = !is_unnamed && lstat(call->target, &before) == 0;
    mode_t mode = masked((mode_t)rest[1]), mine = umask(0);
    int fd = open(call->target, flags | O_CLOEXEC, mode);
    int error = errno;
    umask(mine);
    if (fd < 0) return (struct verdict){.error = error};
    fstat(fd, &after);
    if (is_unnamed) NOTE("A\t%llu\t%u\n", shown(after.st_ino), mode);
    else if (!was_there) NOTE("C\t%llu\t%s\t%u\n", shown(after.st_ino), call->target, mode);
    else if (flags & O_TRUNC && before.st_size > 0) NOTE("T\t%llu\t0\n", shown(after.st_ino));
    bool is_done = hand_over(call->notif, fd, flags & O_CLOEXEC);
    if (!is_done) NOTE("U\t%s could not be handed over\n", call->target);
    close(fd);
    return (struct verdict){.is_answered = is_done, .error = EMFILE};
}

// What several buffers of the program hold together; the caller frees it.
static char *gather(pid_t thread, uint64_t vectors, size_t count, size_t *total) {
    struct iovec parts[64];
    *total = 0;
    if (count > 64 || !peek(thread, vectors, parts, count * sizeof *parts)) return NULL;
    for (size_t index = 0; index < count; index++) *total += parts[index].iov_len;
    char *bytes = malloc(*total + 1), *end = bytes;
    for (size_t index = 0; index < count; end += parts[index++].iov_len) {
        if (parts[index].iov_len == 0) continue;
        if (peek(thread, (uintptr_t)parts[index].iov_base, end, parts[index].iov_len)) continue;
        free(bytes);
        return NULL;
    }
    return bytes;
}

static char *what_is_written(const struct call *call, size_t *count) {
    const __u64 *args = call->notif->data.args;
    pid_t thread = (pid_t)call->notif->pid;
    int number = call->notif->data.nr;
    struct msghdr message;
    if (number == SYS_writev || number == SYS_pwritev) return gather(thread, args[1], args[2], count);
    if (number == SYS_sendmsg) {
        if (!peek(thread, args[1], &message, sizeof message)) return NULL;
        return gather(thread, (uintptr_t)message.msg_iov, message.msg_iovlen, count);
    }
    *count = args[2];
    char *bytes = malloc(*count + 1);
    if (bytes && *count > 0 && peek(thread, args[1], bytes, *count)) return bytes;
    free(bytes);
    return NULL;
}

static void note_sent(const struct call *call) {
    size_t count;
    char link[64], name[64] = "";
    char *bytes = what_is_written(call, &count);
    if (!bytes) return;
    snprintf(link, sizeof link, "/proc/%d/fd/%d", watched, (int)call->notif->data.args[0]);
    ssize_t length = readlink(link, name, sizeof name - 1);
    name[length > 0 ? length : 0] = 0;
    NOTE("S\t%s\t%zu\n", name, count);
    fwrite(bytes, 1, count, file);
    free(bytes);
}

static struct verdict write_file(const struct call *call) {
    const __u64 *args = call->notif->data.args;
    int number = call->notif->data.nr;
    if (strcmp(call->target, "(unix socket)") == 0) note_sent(call);
    if (strcmp(call->name, "send") == 0 || !is_kept(call->target)) return LET;
    size_t count;
    char *bytes = what_is_written(call, &count);
    int fd = borrow((int)args[0]);
    struct stat status;
    if (!bytes || fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        free(bytes);
        if (fd >= 0) close(fd);
        return LET;
    }
    bool is_placed = number == SYS_pwrite64 || number == SYS_pwritev;
    off_t offset = is_placed ? (off_t)args[3] : lseek(fd, 0, SEEK_CUR);
    if (fcntl(fd, F_GETFL) & O_APPEND) offset = status.st_size;
    ssize_t done = is_placed ? pwrite(fd, bytes, count, offset) : write(fd, bytes, count);
    struct verdict verdict = answer(done);
    if (done > 0) {
        NOTE("W\t%llu\t%lld\t%zd\n", shown(status.st_ino), (long long)offset, done);
        fwrite(bytes, 1, (size_t)done, file);
    }
    free(bytes);
    close(fd);
    return verdict;
}

static struct verdict sync_file(const struct call *call) {
    struct stat status;
    int fd = borrow((int)call->notif->data.args[0]);
    if (fd < 0 || fstat(fd, &status) != 0) return LET;
    // What is noted before it begins is what it makes durable: nobody else is served meanwhile.
    struct verdict verdict = answer(fsync(fd));
    if (verdict.error == 0 && S_ISDIR(status.st_mode)) NOTE("D\t%s\n", call->target);
    else if (verdict.error == 0) {
        const struct timespec *time = &status.st_mtim;
        NOTE("F\t%llu\t%lld\n", shown(status.st_ino), (long long)time->tv_sec * 1000000000 + time->tv_nsec);
    }
    close(fd);
    return verdict;
}

static struct verdict size_file(const struct call *call) {
    const __u64 *args = call->notif->data.args;
    struct stat before, after;
    if (!is_kept(call->target)) return LET;
    int fd = call->shape == PATH ? open(call->target, O_WRONLY | O_CLOEXEC) : borrow((int)args[0]);
    if (fd < 0 || fstat(fd, &before) != 0) return LET;
    bool allots = strcmp(call->name, "fallocate") == 0;
    struct verdict verdict = answer(
        allots ? fallocate(fd, (int)args[1], (off_t)args[2], (off_t)args[3]) : ftruncate(fd, (off_t)args[1]));
    if (verdict.error == 0 && allots && args[1] & ~1ul) NOTE("U\tfallocate of %s\n", call->target);
    fstat(fd, &after);
    if (verdict.error == 0 && before.st_size != after.st_size) {
        NOTE("T\t%llu\t%lld\n", shown(after.st_ino), (long long)after.st_size);
    }
    close(fd);
    return verdict;
}

static struct verdict change_names(const struct call *call) {
    const __u64 *args = call->notif->data.args;
    const char *path = call->target, *name = call->name;
    int number = call->notif->data.nr;
    struct stat status = {0};
    bool is_link = strcmp(name, "link") == 0;
    if (!is_kept(is_link ? call->other : path)) return LET;
    struct verdict verdict;
    if (strcmp(name, "rename") == 0) {
        lstat(path, &status);
        unsigned flags = number == SYS_renameat2 ? (unsigned)args[4] : 0;
        verdict = answer(renameat2(AT_FDCWD, path, AT_FDCWD, call->other, flags));
        bool is_known = !S_ISDIR(status.st_mode) && !(flags & RENAME_EXCHANGE);
        if (verdict.error == 0) NOTE(is_known ? "N\t%s\t%s\n" : "U\trename of %s to %s\n", path, call->other);
    } else if (is_link) {
        verdict = answer(linkat(AT_FDCWD, path, AT_FDCWD, call->other, call->shape == AT2 ? (int)args[4] : 0));
        lstat(call->other, &status);
        if (verdict.error == 0) NOTE("L\t%llu\t%s\n", shown(status.st_ino), call->other);
    } else if (strcmp(name, "mkdir") == 0) {
        mode_t mode = masked((mode_t)(call->shape == AT ? args[2] : args[1])), mine = umask(0);
        verdict = answer(mkdir(path, mode));
        umask(mine);
        if (verdict.error == 0) NOTE("M\t%s\t%u\n", path, mode);
    } else if (strcmp(name, "symlink") == 0) {
        NOTE("U\tsymlink %s\n", path);
        return LET;
    } else {
        verdict = answer(strcmp(name, "rmdir") == 0 ? rmdir(path) : unlink(path));
        if (verdict.error == 0) NOTE("X\t%s\n", path);
    }
    return verdict;
}

static void note_mode(const struct call *call) {
    struct stat status;
    const __u64 *args = call->notif->data.args;
    if (!is_kept(call->target) || stat(call->target, &status) != 0 || S_ISDIR(status.st_mode)) return;
    uint64_t mode = call->shape == AT ? args[2] : args[1];
    NOTE("P\t%llu\t%u\n", shown(status.st_ino), (unsigned)mode);
}

// A file keeps the number that it had when it was recorded.
static struct verdict look(const struct call *call) {
    const __u64 *args = call->notif->data.args;
    struct stat status;
    int number = call->notif->data.nr;
    if (inode_count == 0 || !is_inside(call->target)) return LET;
    if (number != SYS_newfstatat && number != SYS_fstat) return LET;
    int flags = number == SYS_fstat ? AT_EMPTY_PATH : (int)args[3];
    char first = 0;
    if (number == SYS_newfstatat) peek((pid_t)call->notif->pid, args[1], &first, 1);
    if (number == SYS_fstat || (first == 0 && flags & AT_EMPTY_PATH)) {
        int fd = borrow((int)args[0]);
        int result = fd < 0 ? -1 : fstat(fd, &status);
        if (fd >= 0) close(fd);
        if (result != 0) return LET;
    } else if (fstatat(AT_FDCWD, call->target, &status, flags & AT_SYMLINK_NOFOLLOW) != 0) {
        return LET;
    }
    status.st_ino = shown(status.st_ino);
    uint64_t address = number == SYS_fstat ? args[1] : args[2];
    return poke((pid_t)call->notif->pid, address, &status, sizeof status) ? (struct verdict){.value = 0} : LET;
}

struct verdict record(const struct call *call) {
    char task[64];
    snprintf(task, sizeof task, "/proc/%d/task/%d", watched, call->notif->pid);
    // What the program's children do is none of its promises.
    if (access(task, F_OK) != 0) return LET;
    const char *name = call->name;
    if (strcmp(name, "open") == 0 || strcmp(name, "create") == 0) return open_file(call);
    if (strcmp(name, "stat") == 0) return look(call);
    if (!file) return LET;
    if (strcmp(name, "write") == 0 || strcmp(name, "send") == 0) return write_file(call);
    if (strcmp(name, "fsync") == 0 || strcmp(name, "fdatasync") == 0) return sync_file(call);
    if (strcmp(name, "ftruncate") == 0 || strcmp(name, "fallocate") == 0) return size_file(call);
    if (strcmp(name, "chmod") == 0) note_mode(call);
    else if (strcmp(name, "copy_file_range") == 0 || strcmp(name, "sendfile") == 0) {
        if (is_inside(call->target)) NOTE("U\t%s to %s\n", name, call->target);
    } else return change_names(call);
    return LET;
}
