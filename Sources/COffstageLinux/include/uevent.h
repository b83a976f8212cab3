// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A netlink socket that hears what the kernel says of devices (uevents) of a subsystem; what is said of others may
/// come as well, but wakes nobody where the kernel can tell. Returns -1 with errno.
int offstage_uevent_open(const char *_Nonnull subsystem);
