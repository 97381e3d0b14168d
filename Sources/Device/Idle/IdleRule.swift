// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import CBGRunShims
import Glibc

/// A session of logind.
struct Session: Equatable, Sendable {
    var id: String
    /// user, greeter, lock-screen, manager, background ...
    var sessionClass: String
    /// x11, wayland, mir, tty, unspecified ...
    var type: String
    /// In the foreground of its seat.
    var isActive: Bool
    /// Has no seat of this machine: a login over the network.
    var isSeatless: Bool
    var isClosing: Bool
    var isLocked: Bool
    var idleHint: Bool
    /// Microseconds since 1970 of the last change of the hint, for terminals of the last input; 0: never.
    var idleSince: UInt64

    var isGraphical: Bool { type == "x11" || type == "wayland" || type == "mir" }
}

/// The terminals' readings about their users.
struct Terminals: Equatable, Sendable {
    /// Terminals with a keyboard or a remote user; 0 in many containers.
    var count: Int
    /// Seconds since 1970 of the last input at any of them.
    var lastInput: Int64
    /// Whether a display server runs, whose users do not type at terminals.
    var hasDisplay: Bool
}

extension Terminals {
    /// The kernel updates a terminal's access time at input, to within eight seconds.
    init(_ files: SystemFiles) {
        // Of 63 consoles, only the opened ones have a screen device (/dev/vcs1).
        var screens: Set<Int> = []
        _ = files.accessTimes(in: "/dev") { name in
            if let number = Self.number(in: name, after: "vcs") { screens.insert(number) }
            return false
        }
        let virtual = files.accessTimes(in: "/dev") { name in
            guard let number = Self.number(in: name, after: "tty") else { return false }
            return screens.isEmpty || screens.contains(number)
        }
        let pseudo = files.accessTimes(in: "/dev/pts") { !$0.elementsEqual("ptmx".utf8) }
        let inputs = virtual + pseudo
        self.init(
            count: inputs.count, lastInput: inputs.max() ?? 0,
            hasDisplay: !(files.names(in: "/tmp/.X11-unix") ?? []).isEmpty)
    }

    /// The decimal number between `prefix` and the end of the name; nil for another name.
    private static func number(in name: UnsafeRawBufferPointer, after prefix: String) -> Int? {
        guard name.starts(with: prefix.utf8) else { return nil }
        let digits = name.dropFirst(prefix.utf8.count)
        guard !digits.isEmpty, digits.count < 5 else { return nil }
        var number = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            number = number * 10 + Int(digit - 0x30)
        }
        return number
    }
}

/// Whether the machine is not in use. A desktop that never gives its idle hint (sway without swayidle): unknown.
enum IdleRule {
    /// The time after its last input at which a terminal is idle. Our choice; Apple and Android do not document
    /// theirs.
    static let terminalQuiet: Int64 = 5 * 60

    static let logind = "org.freedesktop.login1"

    /// The finding from logind's sessions, at `now` in seconds since 1970.
    static func isIdle(_ sessions: [Session], now: Int64) -> Finding<Reading> {
        let people = sessions.filter {
            $0.sessionClass.hasPrefix("user") && !$0.isClosing && ($0.isActive || $0.isSeatless)
        }
        guard !people.isEmpty else {
            return Finding(
                .yes, from: logind, .derived, because: "no user is logged in at the machine")
        }
        let judged = people.map { ($0, isIdle($0, now: now)) }
        if let (session, _) = judged.first(where: { $0.1 == .no }) {
            return Finding(.no, from: logind, .measured, because: "session \(session.id) is in use")
        }
        if let (session, _) = judged.first(where: { $0.1 == .unknown }) {
            return Finding(
                .unknown, from: logind, .unknown,
                because: "the \(session.type) session \(session.id) never gave its idle hint; "
                    + "have the desktop set it, or state `idle` in `device:`")
        }
        let ids = people.map(\.id).joined(separator: ", ")
        let isLocked = people.allSatisfy(\.isLocked)
        return Finding(
            .yes, from: logind, .measured,
            because: "session \(ids) is \(isLocked ? "locked" : "idle")")
    }

    private static func isIdle(_ session: Session, now: Int64) -> Reading {
        if session.isLocked || session.idleHint { return .yes }
        if session.type == "tty" {
            return now - Int64(clamping: session.idleSince / 1_000_000) >= terminalQuiet
                ? .yes : .no
        }
        return session.isGraphical && session.idleSince == 0 ? .unknown : .no
    }

    /// The finding from the terminals, without logind. Pressure, perhaps of our own work, delays idleness but
    /// does not end it.
    static func isIdle(
        _ terminals: Terminals, pressure: Reading, before: Reading, now: Int64
    ) -> Finding<Reading> {
        let quiet = now - terminals.lastInput
        if terminals.count > 0, quiet < terminalQuiet {
            return Finding(
                .no, from: "/dev/pts, /dev/tty", .derived,
                because: "the last input at a terminal was \(max(0, quiet)) s ago")
        }
        if terminals.hasDisplay {
            return Finding(
                .unknown, from: "/tmp/.X11-unix", .unknown,
                because: "there is a display, and no logind to tell whether it is used")
        }
        if terminals.count == 0 {
            return Finding(
                .unknown, from: "/dev/pts, /dev/tty", .unknown,
                because: "neither logind nor a terminal is there to tell; state `idle` in `device:`"
            )
        }
        if pressure == .yes, before != .yes {
            return Finding(
                .no, from: PressureSnapshot.path, .assumed,
                because: "no input from a terminal, but the machine is under pressure")
        }
        return Finding(
            .yes, from: "/dev/pts, /dev/tty", .assumed,
            because: "no input from a terminal for \(terminalQuiet / 60) minutes")
    }
}
