// SPDX-License-Identifier: Apache-2.0
// usage: syscall_watch [OPTION…] -- PROGRAM [ARGUMENT…]
//   --root DIR       the folder whose files are meant
//   --calls A,B      stop only these calls
//   --log FILE       a line for each call: its name, what it is done to, how it was made to fail
//   --fault NAME CLASS FIRST COUNT ERRNO    let calls fail; ERRNO 0 carries out half of them
//   --record FILE    note everything that changes files, and what is sent over Unix sockets
//   --inodes FILE    lines "ACTUAL SHOWN": numbers that files had when they were recorded
//   --boot-id FILE   what the program reads in place of the kernel's boot id
// Ends with the program's status, or 128 and the signal.
#define _GNU_SOURCE
#include "watch.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

pid_t watched;
int watched_fd = -1;
int listener = -1;
const char *root = "/nowhere";

static const char *names[64];
static const char *record_path;
static bool has_inodes;
// Seconds for which the program's children are looked after once it has ended.
static const double patience = 0.2;

static void ignore(int number) { (void)number; }

static void die(const char *what) {
    perror(what);
    exit(125);
}

static void parse_names(char *list) {
    int count = 0;
    for (char *name = strtok(list, ","); name && count < 63; name = strtok(NULL, ",")) names[count++] = name;
    names[count] = "signalfd";
}

static char **parse(char **words) {
    for (; *words && strcmp(*words, "--") != 0; words++) {
        if (!words[1]) break;
        if (strcmp(*words, "--root") == 0) root = *++words;
        else if (strcmp(*words, "--calls") == 0) parse_names(*++words);
        else if (strcmp(*words, "--log") == 0) open_log(*++words);
        else if (strcmp(*words, "--record") == 0) record_path = *++words;
        else if (strcmp(*words, "--inodes") == 0) {
            load_inodes(*++words);
            has_inodes = true;
        }
        else if (strcmp(*words, "--boot-id") == 0) boot_id = *++words;
        else if (strcmp(*words, "--fault") == 0 && add_fault(words + 1)) words += 5;
        else break;
    }
    if (!*words || strcmp(*words, "--") != 0 || !words[1]) {
        fprintf(stderr, "syscall_watch does not know %s\n", *words ? *words : "what to run");
        exit(125);
    }
    return words + 1;
}

// Starts the program under the filter. The listener is fetched from it, since it may not even write once it is stopped.
static void start(char **words, const char *const *calls) {
    volatile int *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) die("mmap");
    struct timespec moment = {.tv_nsec = 200000};
    pid_t parent = getpid();
    watched = fork();
    if (watched < 0) die("fork");
    if (watched == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        if (getppid() != parent) _exit(125);
        int fd = install_filter(calls);
        shared[0] = fd < 0 ? -errno : fd + 1;
        if (fd < 0) _exit(125);
        while (shared[1] == 0) nanosleep(&moment, NULL);
        execv(words[0], words);
        _exit(127);
    }
    while (shared[0] == 0) nanosleep(&moment, NULL);
    if (shared[0] < 0) {
        errno = -shared[0];
        die("seccomp");
    }
    watched_fd = (int)syscall(SYS_pidfd_open, watched, 0);
    listener = borrow(shared[0] - 1);
    if (listener < 0) die("pidfd_getfd");
    shared[1] = 1;
}

static void serve(struct seccomp_notif *notif, struct seccomp_notif_resp *answer) {
    memset(notif, 0, sizeof *notif);
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, notif) != 0) return;
    struct verdict verdict = LET;
    const struct entry *entry = entry_of(notif->data.nr);
    struct call call;
    if (entry) {
        describe(&call, notif, entry);
        verdict = record_path || boot_id || has_inodes ? record(&call) : LET;
        if (verdict.lets) verdict = fault(&call);
    }
    if (verdict.is_answered) return;
    *answer = (struct seccomp_notif_resp){.id = notif->id};
    if (verdict.lets) answer->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    else if (verdict.error) answer->error = -verdict.error;
    else answer->val = verdict.value;
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, answer);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int count, char **words) {
    (void)count;
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    words = parse(words + 1);
    if (record_path && !start_recording(record_path)) die(record_path);
    // Its end breaks off the wait below. Signals that are meant for the program are sent to it alone.
    struct sigaction ended = {.sa_handler = ignore};
    sigaction(SIGCHLD, &ended, NULL);
    start(words, names[0] ? names : record_path ? recorded_calls : NULL);
    static struct seccomp_notif notif;
    static struct seccomp_notif_resp answer;
    int status = 0;
    double deadline = 0;
    while (true) {
        if (deadline == 0 && waitpid(watched, &status, WNOHANG) == watched) {
            deadline = now() + patience;
            log_end(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
        }
        struct pollfd events = {.fd = listener, .events = POLLIN};
        // A limit, since the child may end between the look and the wait.
        int found = poll(&events, 1, 20);
        if (found > 0 && events.revents & POLLIN) serve(&notif, &answer);
        else if (found > 0 && events.revents & POLLHUP && deadline > 0) break;
        if (deadline > 0 && now() > deadline) break;
    }
    // An app that the program launched outlives it, and its calls come here as long as it runs: they all succeed.
    if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
        forget_faults();
        record_path = NULL;
        boot_id = NULL;
        has_inodes = false;
        struct pollfd events = {.fd = listener, .events = POLLIN};
        while (poll(&events, 1, -1) >= 0 && events.revents & POLLIN) serve(&notif, &answer);
        _exit(0);
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
