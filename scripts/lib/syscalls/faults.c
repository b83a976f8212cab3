// SPDX-License-Identifier: Apache-2.0
// Lets calls fail that match, and says in a log which calls there were.
#define _GNU_SOURCE
#include "watch.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// From the `first` matching call on, `count` calls fail with `error`; 0 is half of what was asked for.
struct fault {
    const char *name, *class;
    long first, count;
    int error;
    long seen;
};

static struct fault faults[16];
static int fault_count;
static FILE *log_file;
bool is_logging;

void open_log(const char *path) {
    log_file = fopen(path, "we");
    is_logging = log_file != NULL;
}

void log_end(int status) {
    if (!log_file) return;
    fprintf(log_file, "end\t%d\n", status);
    fflush(log_file);
}

void forget_faults(void) {
    fault_count = 0;
    log_file = NULL;
}

bool add_fault(char **words) {
    if (fault_count == (int)(sizeof faults / sizeof *faults)) return false;
    faults[fault_count++] = (struct fault){words[0], words[1], atol(words[2]), atol(words[3]), atoi(words[4]), 0};
    return true;
}

// What a call is done to, without what differs from run to run.
static void classify(const char *target, char class[PATH_MAX]) {
    size_t length = 0;
    if (root && is_inside(target)) {
        class[length++] = '~';
        target += strlen(root);
    }
    while (*target && length < PATH_MAX - 2) {
        size_t run = strspn(target, "0123456789abcdef"), digits = strspn(target, "0123456789");
        if (run >= 8 || digits > 0) {
            class[length++] = '#';
            target += run >= 8 ? run : digits;
        } else {
            do class[length++] = *target++;
            while (isalpha((unsigned char)*target) && length < PATH_MAX - 2);
        }
    }
    class[length] = 0;
}

// Half of a read or a write, which the caller has to go on with.
static struct verdict half(const struct call *call) {
    const __u64 *args = call->notif->data.args;
    pid_t thread = (pid_t)call->notif->pid;
    int number = call->notif->data.nr;
    size_t count = args[2] / 2;
    bool writes = number == SYS_write || number == SYS_pwrite64 || number == SYS_sendto;
    bool is_known = writes || number == SYS_read || number == SYS_pread64 || number == SYS_recvfrom;
    if (!is_known || count == 0 || count > 64 << 20) return LET;
    char *bytes = malloc(count);
    int fd = borrow((int)args[0]);
    ssize_t done = -1;
    errno = EIO;
    if (writes && peek(thread, args[1], bytes, count)) {
        done = number == SYS_pwrite64 ? pwrite(fd, bytes, count, (off_t)args[3]) : write(fd, bytes, count);
    } else if (!writes) {
        done = number == SYS_pread64 ? pread(fd, bytes, count, (off_t)args[3]) : read(fd, bytes, count);
        if (done > 0) poke(thread, args[1], bytes, (size_t)done);
    }
    int error = errno;
    free(bytes);
    close(fd);
    return done < 0 ? (struct verdict){.error = error} : (struct verdict){.value = done};
}

// The kernel closes a descriptor even where it tells of an error: something harmless takes its place.
static void really_close(const struct call *call) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    struct seccomp_notif_addfd add = {
        .id = call->notif->id,
        .flags = SECCOMP_ADDFD_FLAG_SETFD,
        .srcfd = (uint32_t)null,
        .newfd = (uint32_t)call->notif->data.args[0],
        .newfd_flags = O_CLOEXEC,
    };
    ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
    close(null);
}

struct verdict fault(const struct call *call) {
    // The loader's calls are none of the program's; the first call of its own blocks signals.
    static bool is_running;
    if (strcmp(call->name, "signalfd") == 0) is_running = true;
    if (!is_running || !is_of_watched((pid_t)call->notif->pid)) return LET;
    char class[PATH_MAX];
    classify(call->target, class);
    struct verdict verdict = LET;
    for (struct fault *each = faults; each < faults + fault_count; each++) {
        bool matches = strcmp(each->name, call->name) == 0 && (*each->class == '*' || strcmp(each->class, class) == 0);
        if (!matches || ++each->seen < each->first || each->seen >= each->first + each->count) continue;
        if (each->error == 0) verdict = half(call);
        else verdict = (struct verdict){.error = each->error};
        if (each->error != 0 && strcmp(call->name, "close") == 0) really_close(call);
    }
    if (log_file) {
        const char *outcome = verdict.lets ? "" : verdict.error ? strerrorname_np(verdict.error) : "short";
        fprintf(log_file, "%s\t%s\t%s\n", call->name, class, outcome);
        if (!verdict.lets) fflush(log_file);
    }
    return verdict;
}
