// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic, which Swift cannot call: one typed name
// for each kind of argument.
static inline CURLcode offstage_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode offstage_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode offstage_curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode offstage_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode offstage_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}
typedef size_t (*offstage_curl_data_callback)(char *bytes, size_t size, size_t count, void *context);
static inline CURLcode offstage_curl_set_data_callback(CURL *handle, CURLoption option, offstage_curl_data_callback callback) {
    return curl_easy_setopt(handle, option, callback);
}
static inline CURLcode offstage_curl_set_tls_callback(CURL *handle, curl_ssl_ctx_callback callback, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, callback);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_SSL_CTX_DATA, context);
}
typedef int (*offstage_curl_debug_callback)(CURL *handle, curl_infotype kind, char *bytes, size_t count, void *context);
static inline CURLcode offstage_curl_set_debug_callback(CURL *handle, offstage_curl_debug_callback callback) {
    return curl_easy_setopt(handle, CURLOPT_DEBUGFUNCTION, callback);
}
typedef int (*offstage_curl_seek_callback)(void *context, curl_off_t offset, int origin);
static inline CURLcode offstage_curl_set_seek_callback(CURL *handle, offstage_curl_seek_callback callback) {
    return curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, callback);
}
typedef int (*offstage_curl_progress_callback)(void *context, curl_off_t dltotal, curl_off_t dlnow, curl_off_t ultotal, curl_off_t ulnow);
static inline CURLcode offstage_curl_set_progress_callback(CURL *handle, offstage_curl_progress_callback callback) {
    return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, callback);
}
static inline CURLcode offstage_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode offstage_curl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode offstage_curl_get_string(CURL *handle, CURLINFO info, char **value) {
    return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode offstage_curl_get_pointer(CURL *handle, CURLINFO info, void **value) {
    return curl_easy_getinfo(handle, info, value);
}
static inline CURLMcode offstage_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
// CURLMsg holds a union; its result for CURLMSG_DONE.
static inline CURLcode offstage_curl_message_result(const CURLMsg *message) { return message->data.result; }

static inline CURLMcode offstage_curl_multi_set_socket_callback(CURLM *multi, curl_socket_callback callback, void *context) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback);
    return code != CURLM_OK ? code : curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
}
static inline CURLMcode offstage_curl_multi_set_timer_callback(CURLM *multi, curl_multi_timer_callback callback, void *context) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callback);
    return code != CURLM_OK ? code : curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}

// Macros with a cast, which Swift does not import.
static const long offstage_curl_auth_basic = CURLAUTH_BASIC;
static const long offstage_curl_auth_digest = CURLAUTH_DIGEST;

// libcurl's buffers begin a cache line. malloc places a large block 16 bytes into a page, where the kernel copies whole
// pages of a file at less than half the speed (BounceBuffer).
enum { offstage_curl_buffer = 16384, offstage_curl_alignment = 64 };
static void *offstage_curl_malloc(size_t size) {
    void *block = NULL;
    if (size < offstage_curl_buffer) return malloc(size);
    return posix_memalign(&block, offstage_curl_alignment, size) == 0 ? block : NULL;
}
static inline CURLcode offstage_curl_init(void) {
    return curl_global_init_mem(CURL_GLOBAL_DEFAULT, offstage_curl_malloc, free, realloc, strdup, calloc);
}
