// SPDX-License-Identifier: Apache-2.0
#include "COffstageLinux.h"
#include <sys/xattr.h>

int offstage_is_delegated_cgroup(const char *path) {
    char value = 0;
    // systemd writes "1": a system manager with privilege into the first, a user's into the second.
    return (getxattr(path, "trusted.delegate", &value, 1) == 1 && value == '1')
        || (getxattr(path, "user.delegate", &value, 1) == 1 && value == '1');
}
