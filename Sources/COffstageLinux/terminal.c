// SPDX-License-Identifier: Apache-2.0
#include "COffstageLinux.h"
#include <sys/ioctl.h>
#include <unistd.h>

int offstage_terminal_rows(int fd) {
    struct winsize size;
    return isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 0;
}
