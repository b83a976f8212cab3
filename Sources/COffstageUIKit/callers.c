// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "COffstageUIKit.h"
#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/// In Swift's runtime: a new string, or NULL for a name that is not Swift's.
extern char *swift_demangle(const char *name, size_t length, char *output, size_t *capacity, uint32_t flags);

/// Copies the name of the function at `address` in an ELF file that was mapped whole. Its table of symbols is asked, since
/// a program does not export the functions that call into libraries. Returns whether it was found.
static int find_symbol(const uint8_t *file, size_t size, uintptr_t base, uintptr_t address, char *symbol,
                       size_t capacity) {
    const ElfW(Ehdr) *head = (const void *)file;
    if (size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return 0;
    if (head->e_shentsize != sizeof(ElfW(Shdr)) || head->e_shoff > size) return 0;
    if ((size - head->e_shoff) / sizeof(ElfW(Shdr)) < head->e_shnum) return 0;
    const ElfW(Shdr) *sections = (const void *)(file + head->e_shoff);
    const uintptr_t wanted = head->e_type == ET_DYN ? address - base : address;
    for (int i = 0; i < head->e_shnum; i++) {
        const ElfW(Shdr) *table = &sections[i];
        if (table->sh_type != SHT_SYMTAB || table->sh_link >= head->e_shnum) continue;
        const ElfW(Shdr) *names = &sections[table->sh_link];
        if (table->sh_offset > size || size - table->sh_offset < table->sh_size) continue;
        if (names->sh_offset > size || size - names->sh_offset < names->sh_size) continue;
        const ElfW(Sym) *symbols = (const void *)(file + table->sh_offset);
        const char *text = (const char *)(file + names->sh_offset);
        for (size_t j = 0; j < table->sh_size / sizeof *symbols; j++) {
            const ElfW(Sym) *one = &symbols[j];
            if ((one->st_info & 0xf) != STT_FUNC || one->st_name >= names->sh_size) continue;
            if (wanted < one->st_value || wanted - one->st_value >= one->st_size) continue;
            size_t room = names->sh_size - one->st_name;
            snprintf(symbol, capacity, "%.*s", (int)strnlen(text + one->st_name, room), text + one->st_name);
            return 1;
        }
    }
    return 0;
}

static int find_in_file(const char *path, uintptr_t base, uintptr_t address, char *symbol, size_t capacity) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    int found = 0;
    struct stat status;
    if (fstat(fd, &status) == 0 && status.st_size > 0) {
        void *file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (file != MAP_FAILED) {
            found = find_symbol(file, (size_t)status.st_size, base, address, symbol, capacity);
            munmap(file, (size_t)status.st_size);
        }
    }
    close(fd);
    return found;
}

/// Whether the program itself is loaded there: it may have been started by a relative path, and be elsewhere since.
static int is_program(uintptr_t base) {
    uintptr_t headers = getauxval(AT_PHDR);
    return headers >= base && headers - base < 4096;
}

static void make_readable(char *symbol, size_t capacity) {
    char *readable = swift_demangle(symbol, strlen(symbol), NULL, NULL, 0);
    if (!readable) return;
    snprintf(symbol, capacity, "%s", readable);
    free(readable);
}

__attribute__((noinline)) uintptr_t offstage_caller(int depth) {
    void *frames[8];
    int count = backtrace(frames, 8);
    // The caller's frame: before it are this function's own and, in a build for the thread sanitizer, another.
    int first = 0;
    while (first < count && frames[first] != __builtin_return_address(0)) first++;
    if (depth < 0 || first + depth >= count) return 0;
    return (uintptr_t)frames[first + depth];
}

void offstage_describe_caller(uintptr_t address, char *image, size_t image_capacity, char *symbol,
                              size_t symbol_capacity) {
    snprintf(image, image_capacity, "unknown");
    snprintf(symbol, symbol_capacity, "unknown");
    if (!address) return;
    // A return address may be the first of the function behind.
    address -= 1;
    Dl_info info;
    if (!dladdr((void *)address, &info)) return;
    const char *slash = strrchr(info.dli_fname, '/');
    snprintf(image, image_capacity, "%s", slash ? slash + 1 : info.dli_fname);
    uintptr_t base = (uintptr_t)info.dli_fbase;
    if (info.dli_sname)
        snprintf(symbol, symbol_capacity, "%s", info.dli_sname);
    else if (!find_in_file(is_program(base) ? "/proc/self/exe" : info.dli_fname, base, address, symbol,
                           symbol_capacity)) {
        snprintf(symbol, symbol_capacity, "0x%zx", (size_t)(address - base));
        return;
    }
    make_readable(symbol, symbol_capacity);
}
