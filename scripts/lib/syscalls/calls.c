// SPDX-License-Identifier: Apache-2.0
// Which calls there are, the filter that stops them, and what each is done to.
#define _GNU_SOURCE
#include "watch.h"
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define E(number, name, shape) {SYS_##number, name, shape}
const struct entry entries[] = {
    E(fsync, "fsync", FD), E(fdatasync, "fdatasync", FD), E(sync_file_range, "sync_file_range", FD),
    E(openat, "open", AT), E(openat2, "open", AT),
    E(write, "write", FD), E(pwrite64, "write", FD), E(writev, "write", FD), E(pwritev, "write", FD),
    E(read, "read", FD), E(pread64, "read", FD), E(readv, "read", FD), E(preadv, "read", FD),
    E(sendto, "send", FD), E(sendmsg, "send", FD), E(recvfrom, "recv", FD), E(recvmsg, "recv", FD),
    E(renameat, "rename", AT2), E(renameat2, "rename", AT2), E(linkat, "link", AT2), E(symlinkat, "symlink", AT_SECOND),
    E(unlinkat, "unlink", AT), E(mkdirat, "mkdir", AT),
    E(ftruncate, "ftruncate", FD), E(truncate, "ftruncate", PATH), E(fallocate, "fallocate", FD),
    E(copy_file_range, "copy_file_range", FD_THIRD), E(sendfile, "sendfile", FD),
    E(close, "close", FD), E(fstat, "stat", FD), E(newfstatat, "stat", AT), E(statx, "stat", AT),
    E(faccessat, "access", AT), E(faccessat2, "access", AT), E(statfs, "statfs", PATH), E(fstatfs, "statfs", FD),
    E(getdents64, "getdents", FD), E(readlinkat, "readlink", AT),
    E(epoll_ctl, "epoll_ctl", FD_THIRD), E(epoll_create1, "epoll_create", NOTHING), E(eventfd2, "eventfd", NOTHING),
    E(timerfd_create, "timerfd_create", NOTHING), E(timerfd_settime, "timerfd_settime", NOTHING),
    E(signalfd4, "signalfd", NOTHING), E(pidfd_open, "pidfd_open", NOTHING), E(pipe2, "pipe", NOTHING),
    E(socket, "socket", NOTHING), E(socketpair, "socketpair", NOTHING), E(connect, "connect", FD), E(bind, "bind", FD),
    E(listen, "listen", FD), E(accept, "accept", FD), E(accept4, "accept", FD), E(setsockopt, "setsockopt", FD),
    E(getsockopt, "getsockopt", FD), E(clone, "fork", NOTHING), E(clone3, "fork", NOTHING),
    E(execve, "execve", PATH), E(mmap, "mmap", FD_FIFTH), E(mprotect, "mprotect", NOTHING), E(brk, "brk", NOTHING),
    E(flock, "flock", FD), E(fcntl, "fcntl", FD), E(dup3, "dup", FD), E(dup, "dup", FD), E(fchmod, "chmod", FD),
    E(fchmodat, "chmod", AT), E(utimensat, "utimens", AT), E(memfd_create, "memfd_create", NOTHING),
    E(wait4, "wait", NOTHING), E(waitid, "wait", NOTHING), E(prlimit64, "rlimit", NOTHING),
    E(getrandom, "getrandom", NOTHING), E(inotify_init1, "inotify", NOTHING), E(inotify_add_watch, "inotify", PATH_SECOND),
#ifdef SYS_open
    // The older calls without a folder, which only some machines have.
    E(open, "open", PATH), E(creat, "create", PATH), E(stat, "stat", PATH), E(lstat, "stat", PATH),
    E(access, "access", PATH), E(rename, "rename", PATH2), E(link, "link", PATH2), E(symlink, "symlink", PATH_SECOND),
    E(unlink, "unlink", PATH), E(rmdir, "rmdir", PATH), E(mkdir, "mkdir", PATH), E(chmod, "chmod", PATH),
    E(vfork, "fork", NOTHING), E(fork, "fork", NOTHING), E(dup2, "dup", FD), E(pipe, "pipe", NOTHING),
    E(epoll_create, "epoll_create", NOTHING), E(readlink, "readlink", PATH),
#endif
    {-1, NULL, NOTHING},
};

const struct entry *entry_of(int number) {
    const struct entry *entry = entries;
    while (entry->name && entry->number != number) entry++;
    return entry->name ? entry : NULL;
}

static bool is_named(const char *name, const char *const *names) {
    if (!names) return true;
    for (; *names; names++) {
        if (strcmp(name, *names) == 0) return true;
        // Told apart from these by their arguments.
        if (strcmp(name, "open") == 0 && strcmp(*names, "create") == 0) return true;
        if (strcmp(name, "fork") == 0 && strcmp(*names, "thread") == 0) return true;
        if (strcmp(name, "fcntl") == 0 && strcmp(*names, "unlock") == 0) return true;
    }
    return false;
}

// Stops the named calls, all in the table for NULL. In the child; returns the listener's descriptor.
int install_filter(const char *const *names) {
    struct sock_filter code[256];
    int count = 0, wanted = 0;
    for (const struct entry *entry = entries; entry->name; entry++) wanted += is_named(entry->name, names);
    code[count++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (const struct entry *entry = entries; entry->name; entry++) {
        if (!is_named(entry->name, names)) continue;
        // Jumps over the rest of the list and over the answer that lets a call through.
        code[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)entry->number, wanted, 0);
        wanted--;
    }
    code[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    struct sock_fprog program = {.len = (unsigned short)count, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    // With the second flag a call that was taken on is not broken off by a signal, and so is never carried out twice.
    for (int both = 1; both >= 0; both--) {
        unsigned flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | (both ? 1u << 5 : 0);
        int fd = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
        if (fd >= 0) return fd;
    }
    return -1;
}

// Whether a thread is one of the program's, or of a copy of it that has not become another program yet.
bool is_of_watched(pid_t thread) {
    char path[64], mine[PATH_MAX], its[PATH_MAX];
    snprintf(path, sizeof path, "/proc/%d/task/%d", watched, thread);
    if (access(path, F_OK) == 0) return true;
    snprintf(path, sizeof path, "/proc/%d/exe", watched);
    ssize_t length = readlink(path, mine, sizeof mine);
    snprintf(path, sizeof path, "/proc/%d/exe", thread);
    return length > 0 && readlink(path, its, sizeof its) == length && memcmp(mine, its, (size_t)length) == 0;
}

static const char *precise(const struct entry *entry, const struct seccomp_notif *notif) {
    const __u64 *args = notif->data.args;
    if (strcmp(entry->name, "open") == 0) {
        uint64_t flags = entry->shape == AT ? args[2] : args[1];
        return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? "create" : "open";
    }
    if (strcmp(entry->name, "unlink") == 0) return entry->shape == AT && args[2] & AT_REMOVEDIR ? "rmdir" : "unlink";
    if (strcmp(entry->name, "fork") == 0) {
        uint64_t flags = entry->number == SYS_clone ? args[0] : 0;
        if (entry->number == SYS_clone3) peek((pid_t)notif->pid, args[0], &flags, sizeof flags);
        return flags & CLONE_THREAD ? "thread" : "fork";
    }
    // To give a lock back needs nothing that could be missing.
    struct flock lock;
    if (entry->number == SYS_fcntl && (args[1] == F_SETLK || args[1] == F_SETLKW)
        && peek((pid_t)notif->pid, args[2], &lock, sizeof lock) && lock.l_type == F_UNLCK) return "unlock";
    return entry->name;
}

static void describe_path(pid_t thread, int folder, uint64_t address, char result[PATH_MAX]) {
    char text[PATH_MAX] = "";
    peek_text(thread, address, text);
    if (text[0] == 0 && folder >= 0) target_of_fd(thread, folder, result);
    else absolute(thread, folder, text, result);
}

void describe(struct call *call, const struct seccomp_notif *notif, const struct entry *entry) {
    const __u64 *args = notif->data.args;
    pid_t thread = (pid_t)notif->pid;
    *call = (struct call){.notif = notif, .name = precise(entry, notif), .shape = entry->shape};
    switch (entry->shape) {
    case NOTHING: break;
    case FD: target_of_fd(thread, (int)args[0], call->target); break;
    case FD_THIRD: target_of_fd(thread, (int)args[2], call->target); break;
    case FD_FIFTH:
        if ((int)args[4] >= 0) target_of_fd(thread, (int)args[4], call->target);
        break;
    case PATH: describe_path(thread, AT_FDCWD, args[0], call->target); break;
    case AT: describe_path(thread, (int)args[0], args[1], call->target); break;
    case PATH2:
        describe_path(thread, AT_FDCWD, args[0], call->target);
        describe_path(thread, AT_FDCWD, args[1], call->other);
        break;
    case AT2:
        describe_path(thread, (int)args[0], args[1], call->target);
        describe_path(thread, (int)args[2], args[3], call->other);
        break;
    case PATH_SECOND: describe_path(thread, AT_FDCWD, args[1], call->target); break;
    case AT_SECOND: describe_path(thread, (int)args[1], args[2], call->target); break;
    }
}
