// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stddef.h>

/// One file of the page, as it stands in the folder `files`.
typedef struct {
    /// Its path at the server: "/page.css".
    const char *path;
    /// Its media type.
    const char *type;
    /// It lasts as long as the process.
    const unsigned char *bytes;
    size_t count;
} offstage_page_file;

/// How many there are.
size_t offstage_page_file_count(void);
/// One of them; NULL beyond the last.
const offstage_page_file *offstage_page_file_at(size_t index);
