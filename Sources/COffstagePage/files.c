// SPDX-License-Identifier: Apache-2.0
#include "COffstagePage.h"

// The compiler takes the files in (C23, 6.10.3): nothing is generated, nothing is beside the program, and a changed file is
// compiled anew.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char page_html[] = {
#embed "files/page.html"
};
static const unsigned char page_css[] = {
#embed "files/page.css"
};
static const unsigned char icon_svg[] = {
#embed "files/icon.svg"
};
static const unsigned char main_js[] = {
#embed "files/main.js"
};
static const unsigned char server_js[] = {
#embed "files/server.js"
};
static const unsigned char words_js[] = {
#embed "files/words.js"
};
static const unsigned char elements_js[] = {
#embed "files/elements.js"
};
static const unsigned char format_js[] = {
#embed "files/format.js"
};
static const unsigned char state_js[] = {
#embed "files/state.js"
};
static const unsigned char rows_js[] = {
#embed "files/rows.js"
};
static const unsigned char actions_js[] = {
#embed "files/actions.js"
};
static const unsigned char detail_js[] = {
#embed "files/detail.js"
};
static const unsigned char rowview_js[] = {
#embed "files/rowview.js"
};
static const unsigned char loaded_js[] = {
#embed "files/loaded.js"
};
static const unsigned char now_js[] = {
#embed "files/now.js"
};
static const unsigned char transfers_js[] = {
#embed "files/transfers.js"
};
static const unsigned char queue_js[] = {
#embed "files/queue.js"
};
static const unsigned char apps_js[] = {
#embed "files/apps.js"
};
static const unsigned char timeline_js[] = {
#embed "files/timeline.js"
};
static const unsigned char work_js[] = {
#embed "files/work.js"
};
static const unsigned char accounts_js[] = {
#embed "files/accounts.js"
};
static const unsigned char limits_js[] = {
#embed "files/limits.js"
};
static const unsigned char doctor_js[] = {
#embed "files/doctor.js"
};
static const unsigned char fleet_js[] = {
#embed "files/fleet.js"
};
static const unsigned char views_js[] = {
#embed "files/views.js"
};

#define FILE_AT(path, type, name) {path, type, name, sizeof name}
static const offstage_page_file files[] = {
    FILE_AT("/", "text/html; charset=utf-8", page_html),
    FILE_AT("/page.css", "text/css; charset=utf-8", page_css),
    FILE_AT("/icon.svg", "image/svg+xml", icon_svg),
    FILE_AT("/main.js", "text/javascript; charset=utf-8", main_js),
    FILE_AT("/server.js", "text/javascript; charset=utf-8", server_js),
    FILE_AT("/words.js", "text/javascript; charset=utf-8", words_js),
    FILE_AT("/elements.js", "text/javascript; charset=utf-8", elements_js),
    FILE_AT("/format.js", "text/javascript; charset=utf-8", format_js),
    FILE_AT("/state.js", "text/javascript; charset=utf-8", state_js),
    FILE_AT("/rows.js", "text/javascript; charset=utf-8", rows_js),
    FILE_AT("/actions.js", "text/javascript; charset=utf-8", actions_js),
    FILE_AT("/detail.js", "text/javascript; charset=utf-8", detail_js),
    FILE_AT("/rowview.js", "text/javascript; charset=utf-8", rowview_js),
    FILE_AT("/loaded.js", "text/javascript; charset=utf-8", loaded_js),
    FILE_AT("/now.js", "text/javascript; charset=utf-8", now_js),
    FILE_AT("/transfers.js", "text/javascript; charset=utf-8", transfers_js),
    FILE_AT("/queue.js", "text/javascript; charset=utf-8", queue_js),
    FILE_AT("/apps.js", "text/javascript; charset=utf-8", apps_js),
    FILE_AT("/timeline.js", "text/javascript; charset=utf-8", timeline_js),
    FILE_AT("/work.js", "text/javascript; charset=utf-8", work_js),
    FILE_AT("/accounts.js", "text/javascript; charset=utf-8", accounts_js),
    FILE_AT("/limits.js", "text/javascript; charset=utf-8", limits_js),
    FILE_AT("/doctor.js", "text/javascript; charset=utf-8", doctor_js),
    FILE_AT("/fleet.js", "text/javascript; charset=utf-8", fleet_js),
    FILE_AT("/views.js", "text/javascript; charset=utf-8", views_js),
};

size_t offstage_page_file_count(void) { return sizeof files / sizeof *files; }

const offstage_page_file *offstage_page_file_at(size_t index) {
    return index < offstage_page_file_count() ? &files[index] : NULL;
}
