// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunTestMachine
import Testing

@testable import BGRunDevice

@Suite("Idleness", .timeLimit(.minutes(10)))
struct IdleTests {
    private static let now: Int64 = 1_800_000_000

    /// A desktop session that is active and in use, and whose idle hint was set once.
    private static func session(_ change: (inout Session) -> Void = { _ in }) -> Session {
        var session = Session(
            id: "2", sessionClass: "user", type: "wayland", isActive: true, isSeatless: false,
            isClosing: false, isLocked: false, idleHint: false,
            idleSince: UInt64(now - 60) * 1_000_000)
        change(&session)
        return session
    }

    private static func isIdle(_ sessions: Session...) -> Reading {
        IdleRule.isIdle(sessions, now: now).value
    }

    @Test("a desktop is idle when its hint says so or it is locked")
    func desktop() {
        #expect(Self.isIdle(Self.session()) == .no)
        #expect(Self.isIdle(Self.session { $0.idleHint = true }) == .yes)
        #expect(Self.isIdle(Self.session { $0.isLocked = true }) == .yes)
    }

    @Test("a desktop that never gave its hint is neither idle nor in use")
    func noHint() {
        #expect(Self.isIdle(Self.session { $0.idleSince = 0 }) == .unknown)
    }

    @Test("a terminal is idle five minutes after its last input")
    func terminal() {
        func terminal(_ seconds: Int64) -> Session {
            Self.session {
                $0.type = "tty"
                $0.idleSince = UInt64(Self.now - seconds) * 1_000_000
            }
        }
        #expect(Self.isIdle(terminal(299)) == .no)
        #expect(Self.isIdle(terminal(300)) == .yes)
    }

    @Test("one active session suffices, whatever is unknown of another")
    func several() {
        let silent = Self.session { $0.idleSince = 0 }
        #expect(Self.isIdle(silent, Self.session()) == .no)
        #expect(Self.isIdle(silent, Self.session { $0.idleHint = true }) == .unknown)
    }

    @Test("an inactive session does not use the machine")
    func absent() {
        #expect(Self.isIdle() == .yes)
        #expect(Self.isIdle(Self.session { $0.isActive = false }) == .yes)
        #expect(Self.isIdle(Self.session { $0.isClosing = true }) == .yes)
        #expect(Self.isIdle(Self.session { $0.sessionClass = "greeter" }) == .yes)
    }

    @Test("a login over the network counts, active or not")
    func remote() {
        let remote = Self.session {
            $0.type = "tty"
            $0.isActive = false
            $0.isSeatless = true
        }
        #expect(Self.isIdle(remote) == .no)
    }

    private static func isIdle(
        _ terminals: Terminals, pressure: Reading = .no, before: Reading = .no
    ) -> Finding<Reading> {
        IdleRule.isIdle(terminals, pressure: pressure, before: before, now: now)
    }

    @Test("without logind, idleness comes from terminals and is assumed, never measured")
    func terminals() {
        var terminals = Terminals(count: 2, lastInput: Self.now - 299, hasDisplay: false)
        #expect(Self.isIdle(terminals).value == .no)
        terminals.lastInput -= 1
        #expect(Self.isIdle(terminals).value == .yes)
        #expect(Self.isIdle(terminals).confidence == .assumed)
    }

    @Test("without logind, a display or no terminal at all leaves it unknown")
    func noTerminals() {
        #expect(
            Self.isIdle(Terminals(count: 1, lastInput: 0, hasDisplay: true)).value == .unknown)
        #expect(
            Self.isIdle(Terminals(count: 0, lastInput: 0, hasDisplay: false)).value == .unknown)
    }

    @Test("pressure keeps a quiet machine from becoming idle and does not end idleness")
    func pressure() {
        let quiet = Terminals(count: 1, lastInput: 0, hasDisplay: false)
        #expect(Self.isIdle(quiet, pressure: .yes, before: .no).value == .no)
        #expect(Self.isIdle(quiet, pressure: .yes, before: .yes).value == .yes)
        #expect(Self.isIdle(quiet, pressure: .unknown, before: .no).value == .yes)
    }

    @Test("virtual terminals that were never opened do not count, where the kernel lists screens")
    func screens() throws {
        let tree = try Tree(["/dev/tty1 =", "/dev/tty2 =", "/dev/tty12 ="])
        #expect(tree.read { Terminals($0).count } == 3)
        try tree.set("/dev/vcs =")
        try tree.set("/dev/vcs12 =")
        try tree.set("/dev/vcsa2 =")
        #expect(tree.read { Terminals($0).count } == 1)
        try tree.set("/dev/vcs1 =")
        #expect(tree.read { Terminals($0).count } == 2)
    }

    @Test("terminals are the virtual and the pseudo ones, and no other device")
    func files() throws {
        let tree = try Tree([
            "/dev/tty1 =", "/dev/tty =", "/dev/ttyS0 =", "/dev/pts/3 =", "/dev/pts/ptmx =",
        ])
        #expect(tree.read { Terminals($0).count } == 2)
        #expect(!tree.read { Terminals($0).hasDisplay })
        try tree.set("/tmp/.X11-unix/X0 =")
        #expect(tree.read { Terminals($0).hasDisplay })
    }
}
