// SPDX-License-Identifier: Apache-2.0
#include "COffstageLinux.h"
#include <stdlib.h>
#include <string.h>

// What the kernel says of links, addresses and routes: a buffer of just that length, so that a read beyond it is found.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) return 0;
    memcpy(copy, data, size);
    for (size_t position = 0; position < size;) {
        offstage_netlink_item item;
        size_t used = offstage_netlink_parse(copy + position, size - position, &item);
        if (used > size - position) abort();
        if (used == 0) break;
        position += used;
    }
    free(copy);
    return 0;
}
