// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "COffstageLinux.h"
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// IFF_LOWER_UP and IFF_DORMANT: <linux/if.h> has them, but cannot be included beside <net/if.h>.
#define LINK_LOWER_UP (1u << 16)
#define LINK_DORMANT (1u << 17)

int offstage_netlink_open(void) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (fd < 0) return -1;
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE,
    };
    if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

int offstage_netlink_request(int fd, int what, uint32_t sequence) {
    struct {
        struct nlmsghdr header;
        struct rtgenmsg body;
    } request = {
        .header = {
            .nlmsg_len = sizeof request,
            .nlmsg_type = what == 0 ? RTM_GETLINK : what == 1 ? RTM_GETADDR : RTM_GETROUTE,
            .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
            .nlmsg_seq = sequence,
        },
        .body = {.rtgen_family = AF_UNSPEC},
    };
    return send(fd, &request, sizeof request, 0) == (ssize_t)sizeof request ? 0 : -1;
}

static void parse_address(const struct nlmsghdr *header, offstage_netlink_item *item) {
    struct ifaddrmsg *address = NLMSG_DATA(header);
    uint32_t flags = address->ifa_flags;
    int has_local = 0;
    item->kind = 2;
    item->interface_index = (int)address->ifa_index;
    item->family = address->ifa_family;
    item->scope = address->ifa_scope;
    item->prefix_length = address->ifa_prefixlen;
    int length = IFA_PAYLOAD(header);
    for (struct rtattr *a = IFA_RTA(address); RTA_OK(a, length); a = RTA_NEXT(a, length)) {
        // On a point-to-point link IFA_ADDRESS is the peer's and IFA_LOCAL our own.
        if (a->rta_type == IFA_LOCAL) has_local = 1;
        if ((a->rta_type == IFA_LOCAL || (a->rta_type == IFA_ADDRESS && !has_local)) && RTA_PAYLOAD(a) <= 16)
            memcpy(item->destination, RTA_DATA(a), RTA_PAYLOAD(a));
        if (a->rta_type == IFA_FLAGS && RTA_PAYLOAD(a) == 4) memcpy(&flags, RTA_DATA(a), 4);
    }
    item->is_dead = (flags & (IFA_F_DADFAILED | IFA_F_TENTATIVE)) && !(flags & IFA_F_OPTIMISTIC);
}

static void parse_route(const struct nlmsghdr *header, offstage_netlink_item *item) {
    struct rtmsg *route = NLMSG_DATA(header);
    item->kind = 3;
    item->family = route->rtm_family;
    item->scope = route->rtm_scope;
    item->prefix_length = route->rtm_dst_len;
    item->is_unicast = route->rtm_type == RTN_UNICAST;
    item->is_dead = (route->rtm_flags & (RTNH_F_DEAD | RTNH_F_LINKDOWN)) != 0;
    int length = RTM_PAYLOAD(header);
    for (struct rtattr *a = RTM_RTA(route); RTA_OK(a, length); a = RTA_NEXT(a, length)) {
        if (a->rta_type == RTA_DST && RTA_PAYLOAD(a) <= 16) memcpy(item->destination, RTA_DATA(a), RTA_PAYLOAD(a));
        if (a->rta_type == RTA_OIF && RTA_PAYLOAD(a) == 4) memcpy(&item->interface_index, RTA_DATA(a), 4);
    }
}

// Whether a message is long enough for what its type begins with.
static int holds(const struct nlmsghdr *header, size_t size) { return header->nlmsg_len >= NLMSG_LENGTH(size); }

size_t offstage_netlink_parse(const uint8_t *buffer, size_t length, offstage_netlink_item *item) {
    const struct nlmsghdr *header = (const struct nlmsghdr *)buffer;
    memset(item, 0, sizeof *item);
    if (!NLMSG_OK(header, length)) return 0;
    item->sequence = header->nlmsg_seq;
    size_t used = NLMSG_ALIGN(header->nlmsg_len);
    if (used > length) used = length;
    switch (header->nlmsg_type) {
    case NLMSG_DONE: item->kind = 4; break;
    case NLMSG_ERROR: item->kind = 5; break;
    case RTM_NEWLINK:
    case RTM_DELLINK: {
        if (!holds(header, sizeof(struct ifinfomsg))) break;
        struct ifinfomsg *link = NLMSG_DATA(header);
        item->kind = 1;
        item->removed = header->nlmsg_type == RTM_DELLINK;
        item->interface_index = link->ifi_index;
        item->is_loopback = (link->ifi_flags & IFF_LOOPBACK) != 0;
        // The kernel tells of IFF_RUNNING up to a second late; carrier and admission say the same at once.
        int has_carrier = (link->ifi_flags & LINK_LOWER_UP) && !(link->ifi_flags & LINK_DORMANT);
        item->is_running = (link->ifi_flags & IFF_UP) && ((link->ifi_flags & IFF_RUNNING) || has_carrier);
        break;
    }
    case RTM_NEWADDR:
    case RTM_DELADDR:
        if (!holds(header, sizeof(struct ifaddrmsg))) break;
        parse_address(header, item);
        item->removed = header->nlmsg_type == RTM_DELADDR;
        break;
    case RTM_NEWROUTE:
    case RTM_DELROUTE:
        if (!holds(header, sizeof(struct rtmsg))) break;
        item->removed = header->nlmsg_type == RTM_DELROUTE;
        parse_route(header, item);
        break;
    default: break;
    }
    return used;
}
