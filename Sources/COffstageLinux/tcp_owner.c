// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "COffstageLinux.h"
#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// The last four bytes of an address of either family: IPv4 stands behind ::ffff: in a socket that speaks IPv6.
static int is_address(const struct inet_diag_msg *found, const __be32 address[4], uint32_t wanted) {
    if (found->idiag_family == AF_INET) return address[0] == htonl(wanted);
    return found->idiag_family == AF_INET6 && address[0] == 0 && address[1] == 0 && address[2] == htonl(0xffff) &&
           address[3] == htonl(wanted);
}

// Sends the question. The kernel answers before the call returns.
static int ask(int fd, uint32_t address, uint16_t port, uint32_t far_address, uint16_t far_port) {
    struct {
        struct nlmsghdr header;
        struct inet_diag_req_v2 body;
    } request = {
        .header = {
            .nlmsg_len = sizeof request,
            .nlmsg_type = SOCK_DIAG_BY_FAMILY,
            .nlmsg_flags = NLM_F_REQUEST,
            .nlmsg_seq = 1,
        },
        .body = {
            .sdiag_family = AF_INET,
            .sdiag_protocol = IPPROTO_TCP,
            .idiag_states = ~0u,
            .id = {
                .idiag_sport = htons(port),
                .idiag_dport = htons(far_port),
                .idiag_src = {htonl(address)},
                .idiag_dst = {htonl(far_address)},
                .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE},
            },
        },
    };
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    ssize_t sent = sendto(fd, &request, sizeof request, 0, (struct sockaddr *)&kernel, sizeof kernel);
    return sent == (ssize_t)sizeof request ? 0 : -1;
}

// 1 and the socket, 0 for none such, -1 with errno.
static int receive(int fd, struct inet_diag_msg *found) {
    union {
        struct nlmsghdr header;
        char bytes[8192];
    } answer;
    struct sockaddr_nl from;
    socklen_t length = sizeof from;
    ssize_t count = recvfrom(fd, &answer, sizeof answer, MSG_DONTWAIT, (struct sockaddr *)&from, &length);
    if (count < 0) return -1;
    errno = EBADMSG;
    if (from.nl_pid != 0 || !NLMSG_OK(&answer.header, (size_t)count)) return -1;
    if (answer.header.nlmsg_type == NLMSG_ERROR) {
        if (answer.header.nlmsg_len < NLMSG_LENGTH(sizeof(struct nlmsgerr))) return -1;
        struct nlmsgerr refusal;
        memcpy(&refusal, NLMSG_DATA(&answer.header), sizeof refusal);
        if (refusal.error == -ENOENT) return 0;
        errno = refusal.error < 0 ? -refusal.error : EBADMSG;
        return -1;
    }
    if (answer.header.nlmsg_type != SOCK_DIAG_BY_FAMILY || answer.header.nlmsg_len < NLMSG_LENGTH(sizeof *found)) return -1;
    memcpy(found, NLMSG_DATA(&answer.header), sizeof *found);
    return 1;
}

static int look(uint32_t address, uint16_t port, uint32_t far_address, uint16_t far_port, struct inet_diag_msg *found) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd < 0) return -1;
    int result = ask(fd, address, port, far_address, far_port) == 0 ? receive(fd, found) : -1;
    int code = errno;
    close(fd);
    errno = code;
    if (result != 1) return result;
    // Where there is no such connection, the kernel names who listens at that port.
    return found->id.idiag_sport == htons(port) && found->id.idiag_dport == htons(far_port) &&
           is_address(found, found->id.idiag_src, address) && is_address(found, found->id.idiag_dst, far_address);
}

int offstage_tcp_owner(uint32_t address, uint16_t port, uint32_t far_address, uint16_t far_port, uint32_t *owner) {
    struct inet_diag_msg found;
    int result = look(address, port, far_address, far_port, &found);
    if (result != 1) return result;
    // What nobody has open any more is shown as root's.
    if (found.idiag_inode == 0 || found.idiag_state == TCP_LISTEN) return 0;
    *owner = found.idiag_uid;
    return 1;
}

int offstage_tcp_owner_is_told(void) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return 0;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    struct inet_diag_msg found;
    int is_told = bind(fd, (struct sockaddr *)&address, length) == 0 && listen(fd, 1) == 0 &&
                  getsockname(fd, (struct sockaddr *)&address, &length) == 0 &&
                  look(INADDR_LOOPBACK, ntohs(address.sin_port), 0, 0, &found) == 1 && found.idiag_inode != 0;
    close(fd);
    return is_told;
}
