// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "COffstageOS.h"
#include "held_signals.h"
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

// Writes until all is written or no more is taken. `most` bytes at a time where the file may wait for more room than poll
// has promised; 0 where it does not wait.
static ptrdiff_t write_some(int file, bool is_socket, size_t most, const char *bytes, size_t length) {
    size_t done = 0;
    while (done < length) {
        size_t part = length - done;
        if (most > 0) {
            struct pollfd ready = {.fd = file, .events = POLLOUT};
            if (poll(&ready, 1, 0) != 1) return done > 0 ? (ptrdiff_t)done : -EAGAIN;
            if (part > most) part = most;
        }
        const ssize_t count = is_socket ? send(file, bytes + done, part, MSG_DONTWAIT | MSG_NOSIGNAL)
                                        : write(file, bytes + done, part);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return done > 0 ? (ptrdiff_t)done : -errno;
        if (count == 0) break;
        done += (size_t)count;
    }
    return (ptrdiff_t)done;
}

// A pipe or a terminal is opened once more, as one that does not wait: to have that of the descriptor itself would change
// it for every program that shares it.
static ptrdiff_t write_opened(int descriptor, const char *bytes, size_t length) {
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    const int file = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) {
        if (errno == ENXIO) return -EPIPE;
        // Another user's terminal: with room for a few characters poll says that it is ready.
        return write_some(descriptor, false, 128, bytes, length);
    }
    const ptrdiff_t result = write_some(file, false, 0, bytes, length);
    close(file);
    return result;
}

static ptrdiff_t write_anywhere(int descriptor, const char *bytes, size_t length) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) return -errno;
    if (S_ISSOCK(status.st_mode)) return write_some(descriptor, true, 0, bytes, length);
    if (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode)) return write_opened(descriptor, bytes, length);
    return write_some(descriptor, false, 0, bytes, length);
}

ptrdiff_t offstage_os_write(int descriptor, const void *bytes, size_t length) {
    const int before = errno;
    const struct held_signals held = hold_signals();
    const ptrdiff_t result = write_anywhere(descriptor, bytes, length);
    release_signals(&held, result < 0 ? (int)-result : 0);
    errno = before;
    return result;
}

static locale_t plain;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void make_plain(void) { plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

int offstage_os_format(
    char *into, size_t capacity, const char *flags, int width, int precision, char conversion, double number) {
    if (strlen(flags) > 5 || strspn(flags, "-+ #0") != strlen(flags) || strchr("fFeEgGaA", conversion) == NULL ||
        conversion == 0 || width < 0 || width > 1000 || precision > 1000)
        return -1;
    char format[16];
    snprintf(format, sizeof format, "%%%s*.*%c", flags, conversion);
    const int before = errno;
    pthread_once(&once, make_plain);
    const locale_t former = plain ? uselocale(plain) : (locale_t)0;
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
    const int length = snprintf(into, capacity, format, width, precision, number);
#pragma clang diagnostic pop
    if (plain) uselocale(former);
    errno = before;
    return length < 0 || (size_t)length >= capacity ? -1 : length;
}
