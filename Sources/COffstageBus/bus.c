// SPDX-License-Identifier: Apache-2.0
#include "COffstageBus.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <time.h>

struct offstage_bus {
    sd_bus *bus;
    offstage_bus_listener listener;
    void *context;
    // Whether the server takes markup, in which `<` and `&` are not themselves; less than 0 while that is not known.
    int takes_markup;
    // Who gave the last number, as the bus names its connection; NULL for nobody. The next one's begin again.
    char *owner;
};

static const char *const service = "org.freedesktop.Notifications";
static const char *const path = "/org/freedesktop/Notifications";
static const char *const owner_changes =
    "type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',interface='org.freedesktop.DBus',"
    "member='NameOwnerChanged',arg0='org.freedesktop.Notifications'";
static const uint64_t patience = 5 * 1000 * 1000;

static int action_invoked(sd_bus_message *message, void *context, sd_bus_error *error) {
    (void)error;
    offstage_bus *bus = context;
    uint32_t id = 0;
    const char *action = NULL;
    if (sd_bus_message_read(message, "us", &id, &action) >= 0) bus->listener(bus->context, id, action, 0);
    return 0;
}

static int notification_closed(sd_bus_message *message, void *context, sd_bus_error *error) {
    (void)error;
    offstage_bus *bus = context;
    uint32_t id = 0, reason = 0;
    if (sd_bus_message_read(message, "uu", &id, &reason) < 0) return 0;
    // A reason of 0 is our own.
    bus->listener(bus->context, id, NULL, reason == 0 ? 4 : reason);
    return 0;
}

static void forget_owner(offstage_bus *bus) {
    if (bus->owner == NULL) return;
    free(bus->owner);
    bus->owner = NULL;
    bus->listener(bus->context, 0, NULL, 0);
}

// Whoever has given a number is known from its answer: the news of the change may still wait behind that.
static void keep_owner(offstage_bus *bus, sd_bus_message *reply) {
    const char *sender = sd_bus_message_get_sender(reply);
    if (sender == NULL || (bus->owner != NULL && strcmp(bus->owner, sender) == 0)) return;
    forget_owner(bus);
    bus->owner = strdup(sender);
}

static int owner_changed(sd_bus_message *message, void *context, sd_bus_error *error) {
    (void)error;
    offstage_bus *bus = context;
    const char *name = NULL, *before = NULL, *after = NULL;
    if (sd_bus_message_read(message, "sss", &name, &before, &after) < 0) return 0;
    bus->takes_markup = -1;
    // A server that has started only now is nobody's successor.
    if (bus->owner != NULL && strcmp(bus->owner, before) == 0) forget_owner(bus);
    return 0;
}

int offstage_bus_open(offstage_bus_listener listener, void *context, offstage_bus **result) {
    offstage_bus *bus = calloc(1, sizeof *bus);
    if (bus == NULL) return -ENOMEM;
    bus->listener = listener;
    bus->context = context;
    bus->takes_markup = -1;
    int status = sd_bus_open_user(&bus->bus);
    if (status >= 0) {
        status = sd_bus_match_signal(bus->bus, NULL, service, path, service, "ActionInvoked", action_invoked, bus);
    }
    if (status >= 0) {
        status = sd_bus_match_signal(bus->bus, NULL, service, path, service, "NotificationClosed", notification_closed, bus);
    }
    if (status >= 0) status = sd_bus_add_match(bus->bus, NULL, owner_changes, owner_changed, bus);
    if (status < 0) {
        offstage_bus_close(bus);
        return status;
    }
    *result = bus;
    return 0;
}

void offstage_bus_close(offstage_bus *bus) {
    sd_bus_flush_close_unref(bus->bus);
    free(bus->owner);
    free(bus);
}

int offstage_bus_descriptor(offstage_bus *bus) { return sd_bus_get_fd(bus->bus); }

int offstage_bus_events(offstage_bus *bus) { return sd_bus_get_events(bus->bus); }

int offstage_bus_timeout(offstage_bus *bus) {
    uint64_t due = UINT64_MAX;
    if (sd_bus_get_timeout(bus->bus, &due) < 0 || due == UINT64_MAX) return -1;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t present = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
    if (due <= present) return 0;
    uint64_t milliseconds = (due - present + 999) / 1000;
    return milliseconds > 60000 ? 60000 : (int)milliseconds;
}

int offstage_bus_process(offstage_bus *bus) {
    for (;;) {
        int status = sd_bus_process(bus->bus, NULL);
        if (status <= 0) return status;
    }
}

// A server that does not answer, or answers with an error, is asked again the next time.
static void ask_for_markup(offstage_bus *bus) {
    sd_bus_error error = SD_BUS_ERROR_NULL;
    sd_bus_message *call = NULL, *reply = NULL;
    char **capabilities = NULL;
    if (sd_bus_message_new_method_call(bus->bus, &call, service, path, service, "GetCapabilities") >= 0
        && sd_bus_call(bus->bus, call, patience, &error, &reply) >= 0
        && sd_bus_message_read_strv(reply, &capabilities) >= 0) {
        bus->takes_markup = 0;
        // It is NULL for an empty list.
        for (char **each = capabilities; each != NULL && *each != NULL; each++) {
            if (strcmp(*each, "body-markup") == 0) bus->takes_markup = 1;
            free(*each);
        }
        free(capabilities);
    }
    sd_bus_error_free(&error);
    sd_bus_message_unref(call);
    sd_bus_message_unref(reply);
}

// The text with `&`, `<` and `>` as a server with markup shows them.
static char *escaped(const char *text) {
    size_t length = 1;
    for (const char *c = text; *c != 0; c++) length += *c == '&' ? 5 : *c == '<' || *c == '>' ? 4 : 1;
    char *result = malloc(length), *end = result;
    if (result == NULL) return NULL;
    for (const char *c = text; *c != 0; c++) {
        const char *entity = *c == '&' ? "&amp;" : *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : NULL;
        if (entity != NULL) {
            end = stpcpy(end, entity);
        } else {
            *end++ = *c;
        }
    }
    *end = 0;
    return result;
}

static int append(sd_bus_message *call, const char *app, const char *title, const char *body, const char *const *actions,
                  uint8_t urgency, int is_silent) {
    int status = sd_bus_message_append(call, "susss", app, (uint32_t)0, "", title, body);
    if (status >= 0) status = sd_bus_message_append_strv(call, (char **)actions);
    if (status >= 0) {
        status = sd_bus_message_append(call, "a{sv}", 2, "urgency", "y", urgency, "suppress-sound", "b", is_silent != 0);
    }
    // The server's own time.
    return status < 0 ? status : sd_bus_message_append(call, "i", (int32_t)-1);
}

int offstage_bus_notify(offstage_bus *bus, const char *app, const char *title, const char *body,
                        const char *const *actions, uint8_t urgency, int is_silent, uint32_t *id, char *why, size_t size) {
    if (bus->takes_markup < 0) ask_for_markup(bus);
    // Not known means escaped: entities may be read as such, but a name is never taken for markup.
    char *text = bus->takes_markup != 0 ? escaped(body) : strdup(body);
    if (text == NULL) return -ENOMEM;
    sd_bus_error error = SD_BUS_ERROR_NULL;
    sd_bus_message *call = NULL, *reply = NULL;
    int status = sd_bus_message_new_method_call(bus->bus, &call, service, path, service, "Notify");
    if (status >= 0) status = append(call, app, title, text, actions, urgency, is_silent);
    if (status >= 0) status = sd_bus_call(bus->bus, call, patience, &error, &reply);
    if (status >= 0) status = sd_bus_message_read(reply, "u", id);
    if (status >= 0) keep_owner(bus, reply);
    if (size > 0) {
        const char *said = error.message != NULL ? error.message : status < 0 ? strerror(-status) : "";
        strncpy(why, said, size - 1);
        why[size - 1] = 0;
    }
    free(text);
    sd_bus_error_free(&error);
    sd_bus_message_unref(call);
    sd_bus_message_unref(reply);
    return status < 0 ? status : 0;
}

int offstage_bus_withdraw(offstage_bus *bus, uint32_t id) {
    sd_bus_message *call = NULL;
    int status = sd_bus_message_new_method_call(bus->bus, &call, service, path, service, "CloseNotification");
    if (status >= 0) status = sd_bus_message_append(call, "u", id);
    if (status >= 0) status = sd_bus_message_set_expect_reply(call, 0);
    if (status >= 0) status = sd_bus_send(bus->bus, call, NULL);
    sd_bus_message_unref(call);
    return status;
}
