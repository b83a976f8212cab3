// SPDX-License-Identifier: Apache-2.0
#include "COffstageLinux.h"
#include <sys/ioctl.h>
#include <unistd.h>

// A serial line, a container and a job with a terminal of its own do not know how large it is: 80 and 24 are usual.

int offstage_terminal_columns(int fd) {
    struct winsize size;
    if (!isatty(fd)) return 0;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

int offstage_terminal_rows(int fd) {
    struct winsize size;
    if (!isatty(fd)) return 0;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 24;
}
