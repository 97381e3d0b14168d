// SPDX-License-Identifier: Apache-2.0 OR 0BSD
// kit-name: a bgrun plugin in Zig. `count` does its work in pieces, can stop after each piece, and
// continues at the next one. The header documents the rules of each function of bgrun.
const std = @import("std");
const c = @import("c.zig"); // see c.h

/// Set in `init`, before bgrun calls any other function of this file.
var host: *const c.bgrun_host = undefined;

/// The content of a checkpoint. Raise the version with every change.
const position_version = 1;
const Position = extern struct { done: i64 = 0 };

fn checkpoints() ?*const c.bgrun_checkpoint_ext {
    const table = host.get_extension.?(host, c.BGRUN_EXT_CHECKPOINT);
    return @ptrCast(@alignCast(table));
}

fn restore(task: ?*c.bgrun_task) Position {
    const store = checkpoints() orelse return .{};
    var at: Position = .{};
    var size: u64 = 0;
    var version: u32 = 0;
    const found = store.get.?(task, &at, @sizeOf(Position), &size, &version);
    const is_ours = found == c.BGRUN_OK and version == position_version and size == @sizeOf(Position);
    return if (is_ours) at else .{};
}

fn save(task: ?*c.bgrun_task, at: Position) error{NotStored}!void {
    const store = checkpoints() orelse return error.NotStored;
    if (store.put.?(task, position_version, &at, @sizeOf(Position)) != c.BGRUN_OK)
        return error.NotStored;
}

/// The number in {"key": number}. A plugin with more parameters uses std.json.
fn parameter(json: []const u8, comptime key: []const u8, otherwise: i64) i64 {
    const quoted = "\"" ++ key ++ "\"";
    const found = std.mem.indexOf(u8, json, quoted) orelse return otherwise;
    var begin = found + quoted.len;
    while (begin < json.len and (json[begin] == ' ' or json[begin] == ':')) begin += 1;
    var end = begin;
    while (end < json.len and json[end] >= '0' and json[end] <= '9') end += 1;
    return std.fmt.parseInt(i64, json[begin..end], 10) catch otherwise;
}

/// Does one piece of the work; put yours here. It must be short, and harmless if repeated.
fn doPiece(milliseconds: i64) error{Interrupted}!void {
    const time: c.struct_timespec = .{
        .tv_sec = @divTrunc(milliseconds, 1000),
        .tv_nsec = @rem(milliseconds, 1000) * 1_000_000,
    };
    if (c.nanosleep(&time, null) != 0) return error.Interrupted;
}

/// Does the work; returns whether it is complete. `at` counts completed pieces, also after a failure.
fn work(task: ?*c.bgrun_task, pieces: i64, milliseconds: i64, at: *Position) !bool {
    while (at.done < pieces) {
        if (host.is_expired.?(task) != 0 or host.should_defer.?(task) != 0) return false;
        try doPiece(milliseconds);
        at.done += 1;
        try save(task, at.*);
        _ = host.set_progress.?(task, at.done, pieces);
    }
    return true;
}

fn count(_: ?*anyopaque, task: ?*c.bgrun_task, launch: [*c]const c.bgrun_launch) callconv(.c) void {
    const json = std.mem.span(launch.*.parameters_json);
    const pieces = parameter(json, "pieces", 20);
    const milliseconds = parameter(json, "milliseconds", 50);
    var at = restore(task);
    var message: [96]u8 = undefined;

    _ = host.set_title.?(task, "Counting", null);
    if (at.done > 0) {
        _ = c.snprintf(&message, message.len, "continues after %lld pieces", at.done);
        _ = host.log.?(host, task, c.BGRUN_LOG_INFO, &message);
    }
    const finished = work(task, pieces, milliseconds, &at) catch |cause| {
        _ = c.snprintf(&message, message.len, "piece %lld: %s", at.done + 1, @errorName(cause).ptr);
        _ = host.complete.?(task, 0, &message);
        return;
    };
    const how: [*:0]const u8 = if (finished) "counted" else "stopped after";
    _ = c.snprintf(&message, message.len, "%s %lld of %lld pieces", how, at.done, pieces);
    _ = host.complete.?(task, @intFromBool(finished), &message);
}

/// Called on another thread while `count` works. It can be empty, because `count` checks is_expired
/// before every piece; but without it the attempt would end at once.
fn expire(_: ?*anyopaque, task: ?*c.bgrun_task, why: [*c]const c.bgrun_expiration) callconv(.c) void {
    _ = host.log.?(host, task, c.BGRUN_LOG_INFO, why.*.reason_text);
}

fn init(given: [*c]const c.bgrun_host) callconv(.c) i32 {
    const handler: c.bgrun_handler = .{
        .struct_size = @sizeOf(c.bgrun_handler),
        .name = "count",
        .launch = count,
        .expire = expire,
    };
    host = given;
    return host.register_handler.?(host, &handler);
}

const plugin: c.bgrun_plugin = .{
    .struct_size = @sizeOf(c.bgrun_plugin),
    .abi_version = c.BGRUN_ABI_VERSION,
    .name = "kit-name",
    .version = "0.1.0",
    .init = init,
};

export fn bgrun_plugin_entry(version: u32) ?*const c.bgrun_plugin {
    return if (version >> 16 == c.BGRUN_ABI_MAJOR) &plugin else null;
}

test "a parameter is a number or missing" {
    try std.testing.expectEqual(3, parameter("{\"pieces\": 3}", "pieces", 20));
    try std.testing.expectEqual(20, parameter("{\"pieces\": \"3\"}", "pieces", 20));
    try std.testing.expectEqual(20, parameter("{}", "pieces", 20));
}
