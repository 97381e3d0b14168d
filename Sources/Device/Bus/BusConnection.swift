// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import CBGRunShims
import CSystemd
import Glibc

/// A connection to a message bus, served by the event loop; no call blocks. Belongs to the loop's thread.
final class BusConnection {
    /// The time limit of a reply. Microseconds.
    private static let timeout: UInt64 = 2_000_000

    /// The maximum number of messages per round of the loop: an endlessly sending peer must not stop it.
    static let messagesOfRound = 64

    private let loop: EventLoop
    private let systemd: bgrun_systemd
    private var bus: OpaquePointer?
    private var descriptor: Int32 = -1
    private var timer: LoopTimer?
    private var replies: [UInt64: ([BusValue]?) -> Void] = [:]
    private var listeners: [(prefix: String, heard: () -> Void)] = []
    private var isProcessing = false
    private var isPostponed = false

    /// Called after the end of the connection; all outstanding calls have failed by then.
    var closed: (() -> Void)?

    /// Nil if the bus does not exist. `address` nil: the system bus.
    init?(_ loop: EventLoop, address: String?) throws(SystemdLibrary.Missing) {
        guard !Self.isMissing(address) else { return nil }
        self.loop = loop
        systemd = try SystemdLibrary.load()
        guard systemd.sd_bus_new(&bus) >= 0, setUp(address) else { return nil }
        timer = try? LoopTimer(loop) { [unowned self] in process() }
        let me = Unmanaged.passUnretained(self).toOpaque()
        _ = systemd.sd_bus_add_filter(
            bus, nil,
            { message, me, _ in
                guard let me else { return 0 }
                return Unmanaged<BusConnection>.fromOpaque(me).takeUnretainedValue().take(message)
            }, me)
        process()
    }

    deinit {
        if descriptor >= 0 { loop.forget(descriptor) }
        _ = systemd.sd_bus_close_unref(bus)
    }

    private static func resolved(_ address: String?) -> String {
        address ?? getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) }
            ?? "unix:path=/run/dbus/system_bus_socket"
    }

    /// The file of the bus's socket; nil for another transport.
    static func socketPath(of address: String?) -> String? {
        let prefix = "unix:path="
        let address = resolved(address)
        guard address.hasPrefix(prefix) else { return nil }
        return String(address.dropFirst(prefix.count).prefix { $0 != "," && $0 != ";" })
    }

    /// Whether the address is the path of a missing socket, which makes loading the library unnecessary.
    static func isMissing(_ address: String?) -> Bool {
        // "%" encodes another character, and ";" separates addresses.
        guard !resolved(address).contains(where: { $0 == "%" || $0 == ";" }),
            let path = socketPath(of: address)
        else { return false }
        return access(path, F_OK) != 0 && errno == ENOENT
    }

    private func setUp(_ address: String?) -> Bool {
        systemd.sd_bus_set_address(bus, Self.resolved(address)) >= 0
            && systemd.sd_bus_set_bus_client(bus, 1) >= 0
            && systemd.sd_bus_set_method_call_timeout(bus, Self.timeout) >= 0
            && systemd.sd_bus_start(bus) >= 0
    }

    /// Calls `heard` at every signal of service `name` from an object at `path` or below.
    func listen(to name: String, below path: String, heard: @escaping () -> Void) {
        listeners.append((path, heard))
        addMatch("type='signal',sender='\(name)',path_namespace='\(path)'")
    }

    /// Calls `changed` after service `name` has appeared or disappeared.
    func watchOwner(of name: String, changed: @escaping () -> Void) {
        listeners.append(("/org/freedesktop/DBus \(name)", changed))
        addMatch(
            "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(name)'")
    }

    private func addMatch(_ rule: String) {
        call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch",
            [rule])
    }

    /// Calls a method of a running service with strings; `replied` receives the result, nil after a failure.
    func call(
        _ name: String, _ path: String, _ interface: String, _ method: String,
        _ arguments: [String] = [], replied: @escaping ([BusValue]?) -> Void = { _ in }
    ) {
        var message: OpaquePointer?
        defer { _ = systemd.sd_bus_message_unref(message) }
        let made = systemd.sd_bus_message_new_method_call(
            bus, &message, name, path, interface, method)
        guard made >= 0 else { return replied(nil) }
        _ = systemd.sd_bus_message_set_auto_start(message, 0)
        let text = CChar(bitPattern: UInt8(ascii: "s"))
        for argument in arguments {
            argument.withCString {
                _ = systemd.sd_bus_message_append_basic(message, text, $0)
            }
        }
        let me = Unmanaged.passUnretained(self).toOpaque()
        let sent = systemd.sd_bus_call_async(
            bus, nil, message,
            { message, me, _ in
                guard let me else { return 0 }
                return Unmanaged<BusConnection>.fromOpaque(me).takeUnretainedValue().take(message)
            }, me, Self.timeout)
        var cookie: UInt64 = 0
        guard sent >= 0, systemd.sd_bus_message_get_cookie(message, &cookie) >= 0 else {
            return replied(nil)
        }
        replies[cookie] = replied
        arm()
    }

    private func take(_ message: OpaquePointer?) -> Int32 {
        var cookie: UInt64 = 0
        if systemd.sd_bus_message_get_reply_cookie(message, &cookie) >= 0 {
            let isError = systemd.sd_bus_message_is_method_error(message, nil) > 0
            replies.removeValue(forKey: cookie)?(isError ? nil : BusValue.all(in: message, systemd))
            return 0
        }
        guard systemd.sd_bus_message_is_signal(message, nil, nil) > 0,
            let path = systemd.sd_bus_message_get_path(message)
        else { return 0 }
        hear(String(cString: path), message)
        return 0
    }

    private func hear(_ path: String, _ message: OpaquePointer?) {
        var key = path
        if path == "/org/freedesktop/DBus" {
            guard systemd.sd_bus_message_is_signal(message, nil, "NameOwnerChanged") > 0,
                let name = BusValue.all(in: message, systemd).first?.text
            else { return }
            key += " " + name
        }
        for listener in listeners
        where key == listener.prefix || key.hasPrefix(listener.prefix + "/") { listener.heard() }
    }

    private func process() {
        guard !isProcessing, bus != nil else { return }
        isProcessing = true
        var result: Int32
        var count = 0
        repeat {
            result = systemd.sd_bus_process(bus, nil)
            count += 1
        } while result > 0 && count < Self.messagesOfRound
        isProcessing = false
        if result < 0 || systemd.sd_bus_is_open(bus) <= 0 { return end() }
        if result > 0 { processInNextRound() }
        arm()
    }

    private func processInNextRound() {
        guard !isPostponed else { return }
        isPostponed = true
        loop.inNextRound { [weak self] in
            self?.isPostponed = false
            self?.process()
        }
    }

    /// Waits for the events and the timeout that sd-bus requests.
    private func arm() {
        guard !isProcessing else { return }
        let current = systemd.sd_bus_get_fd(bus)
        let events = systemd.sd_bus_get_events(bus)
        guard current >= 0, events >= 0 else { return end() }
        var interest: EventLoop.Readiness = []
        if events & POLLIN != 0 { interest.insert(.read) }
        if events & POLLOUT != 0 { interest.insert(.write) }
        if current == descriptor {
            loop.change(current, to: interest)
        } else {
            if descriptor >= 0 { loop.forget(descriptor) }
            descriptor = current
            try? loop.watch(current, for: interest) { [unowned self] _ in process() }
        }
        var due: UInt64 = .max
        _ = systemd.sd_bus_get_timeout(bus, &due)
        timer?.set(
            elapsed: due == .max
                ? nil
                : bgrun_boottime_ns() - bgrun_monotonic_ns()
                    + Int64(clamping: due.multipliedReportingOverflow(by: 1_000).partialValue))
    }

    private func end() {
        guard bus != nil else { return }
        if descriptor >= 0 { loop.forget(descriptor) }
        descriptor = -1
        timer?.set(elapsed: nil)
        _ = systemd.sd_bus_close_unref(bus)
        bus = nil
        let waiting = replies.sorted { $0.key < $1.key }
        replies.removeAll()
        for reply in waiting { reply.value(nil) }
        closed?()
    }
}
