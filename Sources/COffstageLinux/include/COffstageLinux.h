// SPDX-License-Identifier: Apache-2.0
// The few lines of Linux that Swift cannot call: epoll_event's union, CMSG macros, variadic and macro-only calls.
#pragma once
#include <stdint.h>
#include <stddef.h>
#include <pthread.h>
#include <sys/types.h>
#include "crash.h"
#include "uevent.h"

/// Like epoll_ctl; `token` comes back from offstage_epoll_wait. operation: EPOLL_CTL_ADD, MOD, DEL.
int offstage_epoll_ctl(int epoll, int operation, int fd, uint32_t events, uint64_t token);
int offstage_epoll_create(void);
/// Waits; fills tokens and events. Returns the count or -1 with errno.
int offstage_epoll_wait(int epoll, uint64_t *tokens, uint32_t *events, int capacity, int timeout_ms);
extern const uint32_t offstage_epoll_in, offstage_epoll_out, offstage_epoll_rdhup, offstage_epoll_hup, offstage_epoll_err,
    offstage_epoll_pri;
extern const int offstage_epoll_add, offstage_epoll_mod, offstage_epoll_del;

int offstage_eventfd(void);
/// Gives the calling thread a name for debuggers and `ps`, up to 15 bytes.
void offstage_name_thread(const char *name);
/// A timerfd on CLOCK_BOOTTIME, or on CLOCK_REALTIME when `realtime`.
int offstage_timerfd_create(int realtime);
/// Arms at an absolute time; a realtime timer is also readable when the clock is set. 0 seconds and 0 ns disarms.
int offstage_timerfd_set(int fd, int realtime, int64_t seconds, int64_t nanoseconds);
/// A signalfd for SIGTERM, SIGINT, SIGHUP and SIGCHLD, which are blocked in the calling thread and its children.
int offstage_signalfd_for_daemon(void);
/// A signalfd for SIGWINCH, which is blocked in the calling thread and its children.
int offstage_signalfd_for_sizes(void);
/// Reads one signal number; 0 when there is none.
int offstage_signalfd_read(int fd);
/// Ends the process with a status in so many seconds (a day at most), whatever its threads are at, and writes a line to
/// standard error then. By SIGALRM, for once: a second call takes the place of the first.
int offstage_end_after(double seconds, int status, const char *line);
/// pthread_clockjoin_np, for so many milliseconds. Returns 0 once the thread has been joined, or an errno.
int offstage_join_within(pthread_t thread, int milliseconds);

/// pipe2 with O_CLOEXEC. Returns 0 or -1 with errno.
int offstage_pipe(int ends[2]);
/// Starts a program in a session and folder of its own, with no signal blocked. A descriptor of -1 means /dev/null.
/// Returns the process, or -1 with errno.
pid_t offstage_spawn(const char *path, char *const arguments[], char *const environment[], const char *directory,
                     int input, int output, int error);

/// Peer credentials of a Unix socket. Returns 0 or -1.
int offstage_peer_credentials(int fd, uid_t *uid, pid_t *pid);
/// accept4 with CLOEXEC and NONBLOCK.
int offstage_accept(int fd);
/// A file that is in memory alone, closed on exec. Returns it, or -1.
int offstage_memory_file(const char *name);
/// renameat2 with RENAME_NOREPLACE. Returns 0 or -1 with errno.
int offstage_rename_without_replacing(const char *from, const char *to);
/// renameat2 with RENAME_EXCHANGE: each has the other's name then. Returns 0 or -1 with errno.
int offstage_exchange(const char *one, const char *other);
/// O_PATH, which Swift's Glibc module does not show.
extern const int offstage_open_path;
/// Copies by reflink (FICLONE). Returns 0 or -1 with errno.
int offstage_reflink(int from, int to);
/// Starts writing a file's dirty pages without waiting.
int offstage_start_writeback(int fd);
/// Makes everything on the file system of a descriptor durable. Returns 0 or -1 with errno.
int offstage_sync_file_system(int fd);
/// Makes the names in a folder durable. Returns 0 or -1 with errno; a folder that may not be read is left to its owner.
int offstage_sync_folder(const char *path);
/// Makes the names in the folder durable that a file or folder is in. Returns 0 or -1 with errno.
int offstage_sync_folder_of(const char *path);
/// Makes a folder for this user alone, durably, where there is none; `must_sync` makes one that is there durable, too, as
/// a crash may have come after its making. Returns 0 or -1 with errno.
int offstage_make_folder(const char *path, int must_sync);
/// Gives freed heap memory back to the system.
void offstage_trim_heap(void);
/// Unmaps the code and constants of the program and its libraries, such as what only the start needs: the kernel may then
/// use their memory for others. What is used again is mapped again from the page cache, some sixteen pages at a time.
void offstage_unmap_unused_code(void);
/// Limits malloc to `count` arenas, so that threads do not each keep their own free memory.
void offstage_limit_arenas(int count);

/// A netlink socket that hears of changes of links, addresses and routes.
int offstage_netlink_open(void);
/// Asks for a dump: 0 links, 1 addresses, 2 routes.
int offstage_netlink_request(int fd, int what, uint32_t sequence);

/// One thing a netlink message says.
typedef struct {
    int kind;            // 0 nothing of use, 1 link, 2 address, 3 route, 4 end of dump, 5 error
    int removed;
    int interface_index;
    int is_loopback;     // links
    int is_running;      // links: carrier and up
    int family;          // addresses and routes: AF_INET or AF_INET6
    int scope;           // addresses and routes
    int prefix_length;   // routes: 0 is a default route
    int is_unicast;      // routes that lead somewhere
    int is_dead;         // routes over a link that is down; addresses that are not (yet) found to be unique
    uint8_t destination[16]; // routes; of addresses our own
    uint32_t sequence;
} offstage_netlink_item;

/// Takes the next message out of a buffer that was read from the socket: returns the bytes used, 0 at the end.
size_t offstage_netlink_parse(const uint8_t *buffer, size_t length, offstage_netlink_item *item);

/// Whose one end of a TCP connection over IPv4 is, asked of the kernel for exactly that connection (sock_diag(7)), which costs
/// the same however many there are. Addresses and ports are in the byte order of this machine, those of that end first.
/// Returns 1 and the user; 0 when there is no such socket, or nobody has it open any more; -1 with errno when it is not told.
int offstage_tcp_owner(uint32_t address, uint16_t port, uint32_t far_address, uint16_t far_port, uint32_t *owner);
/// Whether the kernel tells that at all: tried with a socket of our own, since a kernel without it says the same as one that
/// knows of no such connection.
int offstage_tcp_owner_is_told(void);

/// ioctl(TIOCGWINSZ): columns of a terminal, 80 where it does not know, 0 when it is none.
int offstage_terminal_columns(int fd);

/// Starts a program in a session of its own, in `/`: standard input is /dev/null, output and errors go to `log_fd`,
/// descriptor 3 is `ready_fd`, no other descriptor is passed on; no signal is blocked or ignored. It is no child of this
/// process. 0 or an errno.
int offstage_spawn_daemon(const char *path, char *const argv[], char *const envp[], int log_fd, int ready_fd);

/// ioctl(TIOCGWINSZ): rows of a terminal, 24 where it does not know, 0 when it is none.
int offstage_terminal_rows(int fd);

/// What new files' permissions are without; 077 where it cannot be told. Read from /proc: to ask the kernel is to change it
/// for a moment, for every thread.
unsigned offstage_umask(void);

/// Opens those of the descriptors 0 to 2 that are closed on /dev/null: a socket or a file that got such a number would be
/// printed to. To be called before anything else is opened.
void offstage_fill_standard_descriptors(void);
/// The same in a library, which has no program to end and may not be the first to open something. Cheap where all are open.
void offstage_hold_standard_descriptors(void);

/// Sends bytes, with a descriptor attached unless it is -1. Returns what send returns; never raises SIGPIPE.
ssize_t offstage_send_descriptor(int socket, const void *bytes, size_t count, int descriptor);
/// Receives bytes and at most one descriptor, close-on-exec; -1 in `descriptor` when none came.
ssize_t offstage_receive_descriptor(int socket, void *bytes, size_t capacity, int *descriptor);
/// A pidfd of a Unix socket's peer, which stays that process whatever happens to its number. -1 where there is none.
int offstage_peer_pidfd(int socket);
/// Whether the process of a pidfd still runs.
int offstage_pidfd_is_alive(int pidfd);

/// A descriptor that becomes readable when the process ends. Returns -1 with errno.
int offstage_pidfd_open(pid_t process);
/// Sends a signal to exactly that process, never to a later one of its number. Returns 0 or -1 with errno.
int offstage_pidfd_signal(int pidfd, int signal);
/// Sends a signal to the whole process group that the process of the pidfd leads. Returns 0 or -1 with errno.
int offstage_pidfd_signal_group(int pidfd, pid_t leader, int signal);
/// Lets no core dump of this process be written, which would hold its user's secrets. Once, before there are threads.
void offstage_forbid_core_dumps(void);
/// Gives back to a child, between fork and exec, what `offstage_forbid_core_dumps` took.
void offstage_allow_core_dumps(void);
/// The I/O priority of a thread (ioprio_get(2)). Returns -1 with errno.
int offstage_io_priority(pid_t thread);
/// Sets the I/O priority of a thread, or of all threads in a process group. Returns 0 or -1 with errno.
int offstage_set_io_priority(pid_t who, int is_group, int priority);

/// At which step a program could not be started, and the errno.
typedef struct {
    enum {
        offstage_spawn_process,
        offstage_spawn_group,
        offstage_spawn_directory,
        offstage_spawn_program,
        offstage_spawn_late
    } step;
    int error;
} offstage_spawn_failure;
/// Starts a program as a child in a session and folder of its own, and in the cgroup unless that is -1: no signal is
/// blocked or ignored, standard input is /dev/null, output and errors go to `log_fd`, which is 3 or above, as is
/// `program_folder`, where the program is found by its name, and no other descriptor is passed on. Returns the process when its program has begun, or -1. One that has not begun after `limit`
/// milliseconds is killed and not waited for: that is left to whoever reaps all children.
pid_t offstage_spawn_app(int program_folder, const char *program, char *const argv[], char *const envp[],
                         const char *directory, int log_fd, int cgroup_fd, int limit,
                         offstage_spawn_failure *failure);
/// Whether a service manager has marked a cgroup as delegated to what runs in it.
int offstage_is_delegated_cgroup(const char *path);
