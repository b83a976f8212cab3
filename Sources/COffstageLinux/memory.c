// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "COffstageLinux.h"
#include <link.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// `malloc_trim` leaves the free end of every arena but the first, which may be megabytes of a transfer's buffers. That end
// goes when a block of some size is freed, if it is longer than a threshold. To set a threshold ends what glibc does by
// itself: it no longer raises the size from which a block is a mapping of its own. A transfer's buffers would be mapped,
// cleared page by page and unmapped again each time, which cost uploads up to half as much processor time again.
void offstage_trim_heap(void) {
    mallopt(M_TRIM_THRESHOLD, 64 << 10);
    void *volatile block = malloc(100 << 10);
    free(block);
    mallopt(M_TRIM_THRESHOLD, 16 << 20);
    mallopt(M_MMAP_THRESHOLD, 4 << 20);
    malloc_trim(0);
}

void offstage_limit_arenas(int count) { mallopt(M_ARENA_MAX, count); }

// Writable segments are left alone: what was written to them is nowhere else.
static int unmap_clean_pages(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    const uintptr_t page = *(const uintptr_t *)context;
    for (size_t index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W) != 0) continue;
        uintptr_t begin = object->dlpi_addr + segment->p_vaddr;
        uintptr_t end = begin + segment->p_filesz;
        begin = (begin + page - 1) & ~(page - 1);
        end &= ~(page - 1);
        if (begin < end) madvise((void *)begin, end - begin, MADV_DONTNEED);
    }
    return 0;
}

void offstage_unmap_unused_code(void) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    dl_iterate_phdr(unmap_clean_pages, &page);
}
