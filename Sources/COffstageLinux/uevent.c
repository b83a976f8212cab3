// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "COffstageLinux.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// The group to which the kernel itself speaks; the other one is the device manager's.
#define KERNEL_GROUP 1

// How far into a message its device's path is searched: they are shorter, and a longer filter is refused.
#define SEARCHED 384
// A step for each place: two words that are loaded and compared, and the word that lets the message through.
#define STEP 5
#define NEEDLE_MOST 64

static __u32 word(const char *text) {
    const unsigned char *bytes = (const unsigned char *)text;
    return (__u32)bytes[0] << 24 | (__u32)bytes[1] << 16 | (__u32)bytes[2] << 8 | bytes[3];
}

// Lets the kernel drop what is not about the subsystem, which is a folder of its devices' paths; a path comes first in
// a message. A filter cannot loop, and a load behind the message's end drops it.
static void drop_others(int fd, const char *subsystem) {
    char needle[NEEDLE_MOST];
    size_t length = strlen(subsystem);
    if (length < 2 || length + 3 > sizeof needle) return;
    needle[0] = '/';
    memcpy(needle + 1, subsystem, length);
    needle[length + 1] = '/';
    length += 2;
    __u32 first = word(needle), last = word(needle + length - 4);
    struct sock_filter code[SEARCHED * STEP + 1];
    for (__u32 place = 0; place < SEARCHED; place++) {
        struct sock_filter *step = code + place * STEP;
        step[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, place);
        step[1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 0, 3);
        step[2] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, place + (__u32)length - 4);
        step[3] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, last, 0, 1);
        step[4] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0xffffffff);
    }
    code[SEARCHED * STEP] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0);
    struct sock_fprog program = {.len = SEARCHED * STEP + 1, .filter = code};
    // Refused, all is heard, and sorted out where it is read.
    (void)setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

int offstage_uevent_open(const char *subsystem) {
    int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
    if (fd < 0) return -1;
    drop_others(fd, subsystem);
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP};
    if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}
