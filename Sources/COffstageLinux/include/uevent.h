// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A netlink socket that hears what the kernel says of devices (uevents). Returns -1 with errno.
int offstage_uevent_open(void);
