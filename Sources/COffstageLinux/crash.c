// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "COffstageLinux.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { capacity = 1088, name_size = 96, text_size = 48, magic = 0x6f666d31 };

struct offstage_crash_mark {
    uint32_t magic;
    int32_t signal;
    double wall, uptime;
    offstage_doing doing;
    char texts[5][name_size];
    uint64_t count;
    int64_t numbers[capacity];
};

// Initial-exec: a place at a fixed distance from the thread's pointer, which a signal handler may read.
#define PER_THREAD static __thread __attribute__((tls_model("initial-exec")))
PER_THREAD offstage_doing doing;
PER_THREAD char doing_name[name_size];
PER_THREAD char thread_name[text_size];

static _Atomic int64_t under_way[capacity];
static _Atomic size_t highest_slot;
static int mark_file = -1;
static pid_t owner;
static uintptr_t base;
static atomic_int first, written;
static struct offstage_crash_mark mark;
static const int signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};

static void copy(char *to, const char *from, size_t size) {
    size_t i = 0;
    for (; from[i] != 0 && i + 1 < size; i++) to[i] = from[i];
    to[i] = 0;
}

offstage_doing offstage_doing_begin(int32_t kind, int32_t step, int64_t number) {
    offstage_doing before = doing;
    doing = (offstage_doing){.kind = kind, .step = step, .number = number};
    return before;
}

offstage_doing offstage_doing_begin_named(int32_t kind, int32_t step, const char *name) {
    copy(doing_name, name, sizeof doing_name);
    return offstage_doing_begin(kind, step, 0);
}

void offstage_doing_end(offstage_doing before) { doing = before; }

void offstage_under_way(int64_t number, int is_under_way) {
    if (number == 0) return;
    size_t end = atomic_load_explicit(&highest_slot, memory_order_relaxed);
    if (!is_under_way) {
        for (size_t i = 0; i < end; i++) {
            if (atomic_load_explicit(&under_way[i], memory_order_relaxed) == number) atomic_store(&under_way[i], 0);
        }
        return;
    }
    for (size_t i = 0; i < capacity; i++) {
        int64_t there = 0;
        if (atomic_load_explicit(&under_way[i], memory_order_relaxed) == number) return;
        if (!atomic_compare_exchange_strong(&under_way[i], &there, number)) continue;
        while (end <= i && !atomic_compare_exchange_weak(&highest_slot, &end, i + 1)) {}
        return;
    }
}

// Numbers in hexadecimal, by hand: nothing else may be called in a handler.
static void put_place(uint64_t place) {
    char digits[17];
    int count = 0;
    // What is not in this program's image is in a library, or nowhere.
    int is_ours = place >= base && place - base < (1ULL << 30);
    uint64_t rest = is_ours ? place - base : place;
    do digits[count++] = "0123456789abcdef"[rest & 15];
    while ((rest >>= 4) != 0 && count < 16);
    char *end = mark.texts[4];
    const char *prefix = is_ours ? "offstaged+0x" : "0x";
    while (*prefix != 0) *end++ = *prefix++;
    while (count > 0) *end++ = digits[--count];
    *end = 0;
}

static uint64_t place(const ucontext_t *context) {
#if defined(__x86_64__)
    return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return context->uc_mcontext.pc;
#else
    return 0;
#endif
}

static double seconds(clockid_t clock) {
    struct timespec time = {0};
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void write_mark(int number, const void *context) {
    mark.magic = magic;
    mark.signal = number;
    mark.wall = seconds(CLOCK_REALTIME);
    mark.uptime = seconds(CLOCK_BOOTTIME);
    mark.doing = doing;
    copy(mark.texts[0], doing_name, name_size);
    copy(mark.texts[1], thread_name, name_size);
    put_place(place(context));
    for (size_t i = 0; i < capacity; i++) {
        int64_t one = atomic_load_explicit(&under_way[i], memory_order_relaxed);
        if (one != 0) mark.numbers[mark.count++] = one;
    }
    // Not synced: a machine that stops now has not trapped.
    ssize_t ignored = pwrite(mark_file, &mark, sizeof mark, 0);
    (void)ignored;
}

static void trapped(int number, siginfo_t *information, void *context) {
    // A signal that somebody has sent is no trap; abort() sends its own.
    int is_ours = information->si_code > 0 || information->si_pid == owner;
    if (is_ours && getpid() == owner) {
        if (atomic_exchange(&first, 1) == 0) {
            write_mark(number, context);
            atomic_store(&written, 1);
        } else {
            // Of two threads that trap at the same time the first one's mark is to be whole.
            const struct timespec pause = {.tv_nsec = 1000000};
            for (int i = 0; i < 200 && atomic_load(&written) == 0; i++) nanosleep(&pause, NULL);
        }
    }
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(number, &standard, NULL);
    // Blocked until this handler returns.
    raise(number);
}

static pthread_key_t stack_key;
static pthread_once_t stack_once = PTHREAD_ONCE_INIT;
static size_t stack_size;

static void give_back(void *stack) {
    const stack_t none = {.ss_flags = SS_DISABLE};
    sigaltstack(&none, NULL);
    munmap(stack, stack_size);
}

static void prepare_stacks(void) {
    unsigned long least = getauxval(AT_MINSIGSTKSZ);
    stack_size = (least + 32768 + 4095) & ~4095UL;
    pthread_key_create(&stack_key, give_back);
}

void offstage_crash_thread(const char *name) {
    sigset_t set;
    copy(thread_name, name, sizeof thread_name);
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaddset(&set, signals[i]);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    pthread_once(&stack_once, prepare_stacks);
    if (pthread_getspecific(stack_key) != NULL) return;
    // Never touched but in a trap, so that it costs no memory.
    void *stack = mmap(NULL, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED) return;
    const stack_t ours = {.ss_sp = stack, .ss_size = stack_size};
    if (sigaltstack(&ours, NULL) != 0 || pthread_setspecific(stack_key, stack) != 0) give_back(stack);
}

int offstage_crash_install(int file, const char *version, const char *boot) {
    Dl_info image = {0};
    if (posix_fallocate(file, 0, sizeof mark) != 0) return -1;
    dladdr((void *)(uintptr_t)offstage_crash_install, &image);
    base = (uintptr_t)image.dli_fbase;
    owner = getpid();
    mark_file = file;
    copy(mark.texts[2], version, name_size);
    copy(mark.texts[3], boot, name_size);
    struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        if (sigaction(signals[i], &action, NULL) != 0) return -1;
    }
    return 0;
}

offstage_crash_mark *offstage_crash_mark_read(int file) {
    offstage_crash_mark *read = malloc(sizeof *read);
    if (read == NULL) return NULL;
    if (pread(file, read, sizeof *read, 0) != sizeof *read || read->magic != magic || read->count > capacity) {
        free(read);
        return NULL;
    }
    for (int i = 0; i < 5; i++) read->texts[i][name_size - 1] = 0;
    return read;
}

void offstage_crash_mark_free(offstage_crash_mark *read) { free(read); }

int offstage_crash_mark_clear(int file) {
    const uint32_t none = 0;
    return pwrite(file, &none, sizeof none, 0) == sizeof none && fdatasync(file) == 0 ? 0 : -1;
}

int offstage_crash_mark_signal(const offstage_crash_mark *read) { return read->signal; }
double offstage_crash_mark_wall(const offstage_crash_mark *read) { return read->wall; }
double offstage_crash_mark_uptime(const offstage_crash_mark *read) { return read->uptime; }
offstage_doing offstage_crash_mark_doing(const offstage_crash_mark *read) { return read->doing; }
size_t offstage_crash_mark_count(const offstage_crash_mark *read) { return read->count; }
int64_t offstage_crash_mark_number(const offstage_crash_mark *read, size_t index) {
    return index < read->count ? read->numbers[index] : 0;
}
const char *offstage_crash_mark_text(const offstage_crash_mark *read, int which) {
    return which >= 0 && which < 5 ? read->texts[which] : "";
}
