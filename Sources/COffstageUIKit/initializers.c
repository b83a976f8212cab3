// SPDX-License-Identifier: Apache-2.0
#include "COffstageUIKit.h"

// As Swift calls an initializer that allocates: its class is where other methods have their object.
typedef __attribute__((swiftcall)) void *(*initializer)(__attribute__((swift_context)) const void *type);

void *offstage_call_init(const void *type, ptrdiff_t place) {
    const initializer *entry = (const void *)((const char *)type + place);
    return (*entry)(type);
}
