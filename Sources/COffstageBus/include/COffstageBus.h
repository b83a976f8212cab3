// SPDX-License-Identifier: Apache-2.0
/// Notifications on the session bus (org.freedesktop.Notifications), by libsystemd's sd-bus, whose calls take any number of
/// arguments and cannot be made from Swift. One thread; errors are negative errno values.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct offstage_bus offstage_bus;

/// Hears of an action that was chosen (`action`), or of an end (`action` is NULL) with its reason: 1 expired, 2 dismissed by
/// a person, 3 closed by a call, 4 anything else. The reason 0, with the id 0, says that the server has changed: the ids so
/// far mean nothing any more.
typedef void (*offstage_bus_listener)(void *context, uint32_t id, const char *action, uint32_t reason);

/// Connects to the session bus.
int offstage_bus_open(offstage_bus_listener listener, void *context, offstage_bus **bus);
void offstage_bus_close(offstage_bus *bus);
int offstage_bus_descriptor(offstage_bus *bus);
/// What to poll the descriptor for.
int offstage_bus_events(offstage_bus *bus);
/// Milliseconds until `offstage_bus_process` is to be called in any case; -1 for never.
int offstage_bus_timeout(offstage_bus *bus);
/// Takes what has come, and calls the listener.
int offstage_bus_process(offstage_bus *bus);

/// Shows a notification. May call the listener, with the reason 0, before it returns the id of another server.
///
/// - actions: identifier and label in turn, NULL behind the last.
/// - urgency: 0 low, 1 normal, 2 critical.
/// - id: by which it is known from then on.
/// - why: room for what the other side says of an error.
int offstage_bus_notify(offstage_bus *bus, const char *app, const char *title, const char *body,
                        const char *const *actions, uint8_t urgency, int is_silent, uint32_t *id, char *why, size_t size);
int offstage_bus_withdraw(offstage_bus *bus, uint32_t id);
