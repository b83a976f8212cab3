// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <string.h>

// MHD_start_daemon and MHD_get_daemon_info are variadic, which Swift cannot call.

// A server on 127.0.0.1 with a thread for each connection, so that a handler may block. `certificate` and `key` are PEM
// texts, or both NULL for plain HTTP. NULL when it cannot listen, with errno.
static inline struct MHD_Daemon *offstage_mhd_start(
    uint16_t port, const char *certificate, const char *key, size_t connection_memory,
    MHD_AccessHandlerCallback answer, MHD_RequestCompletedCallback completed, void *context) {
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    unsigned int flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_ITC;
    struct MHD_OptionItem secure[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)certificate},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)key},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_OptionItem plain[] = {{MHD_OPTION_END, 0, NULL}};
    if (certificate && key) flags |= MHD_USE_TLS;
    return MHD_start_daemon(
        flags, port, NULL, NULL, answer, context,
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
        MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
        MHD_OPTION_CONNECTION_MEMORY_INCREMENT, connection_memory / 4,
        MHD_OPTION_ARRAY, certificate && key ? secure : plain,
        MHD_OPTION_END);
}

// Undoes percent-encoding, but for what has an encoded NUL: C would take that for the end, and so another path.
static inline size_t offstage_mhd_unescape(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strstr(text, "%00") ? strlen(text) : MHD_http_unescape(text);
}

// A server at an IPv4 address, in the byte order of this machine, without a thread of its own: the caller waits at
// `offstage_mhd_descriptor` for as long as MHD_get_timeout says, and calls MHD_run, which takes about ten new connections at
// most. Connections may be suspended. `timeout` is in seconds without a byte. NULL when it cannot listen, with errno.
static inline struct MHD_Daemon *offstage_mhd_start_polled(
    uint32_t host, uint16_t port, unsigned int connections, size_t connection_memory, unsigned int timeout,
    MHD_AcceptPolicyCallback admit, MHD_AccessHandlerCallback answer, MHD_RequestCompletedCallback completed,
    void *context) {
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(host);
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, port, admit, context, answer, context,
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
        MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
        MHD_OPTION_CONNECTION_TIMEOUT, timeout,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_UNESCAPE_CALLBACK, offstage_mhd_unescape, NULL,
        MHD_OPTION_END);
}

// What becomes readable when a server without a thread has something to do; -1 when it is not known.
static inline int offstage_mhd_descriptor(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *information = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return information ? information->epoll_fd : -1;
}

// The socket of a connection; -1 when it is not known.
static inline int offstage_mhd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *information = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return information ? information->connect_fd : -1;
}

// An end of a connection over IPv4, in the byte order of this machine.
typedef struct {
    uint32_t address;
    uint16_t port;
} offstage_mhd_place;

// The other end of a connection within this machine; port 0 for any other.
static inline offstage_mhd_place offstage_mhd_far_place(const struct sockaddr *address, socklen_t length) {
    const struct sockaddr_in *place = (const struct sockaddr_in *)address;
    offstage_mhd_place none = {0, 0};
    if (!address || length < sizeof *place || place->sin_family != AF_INET) return none;
    offstage_mhd_place far = {ntohl(place->sin_addr.s_addr), ntohs(place->sin_port)};
    return far.address >> 24 == IN_LOOPBACKNET ? far : none;
}

// The port that it listens on; 0 when it is not known.
static inline uint16_t offstage_mhd_port(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *information = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return information ? information->port : 0;
}

// Members of enumerations under one name each, however Swift shortens those of the library.
static const enum MHD_Result offstage_mhd_yes = MHD_YES;
static const enum MHD_Result offstage_mhd_no = MHD_NO;
static const enum MHD_ValueKind offstage_mhd_header_fields = MHD_HEADER_KIND;
static const enum MHD_ValueKind offstage_mhd_query_fields = MHD_GET_ARGUMENT_KIND;

// What a callback for a body returns at its end, and when it cannot be read.
static const ssize_t offstage_mhd_end_of_body = MHD_CONTENT_READER_END_OF_STREAM;

// A response of these bytes, which stay where they are for as long as the process lives.
static inline struct MHD_Response *offstage_mhd_lasting_response(const void *bytes, size_t count) {
    return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_PERSISTENT);
}

// A response without a length, which a callback writes as it comes.
static inline struct MHD_Response *offstage_mhd_endless_response(
    MHD_ContentReaderCallback read, void *context, MHD_ContentReaderFreeCallback release) {
    return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 16384, read, context, release);
}

// A response of these bytes, which are copied.
static inline struct MHD_Response *offstage_mhd_response(const void *bytes, size_t count) {
    return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}
