// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Glibc

enum Logind {
    private static let path = "/org/freedesktop/login1"
    private static let manager = "org.freedesktop.login1.Manager"

    static func sessions(
        _ bus: BusConnection, changed: @escaping () -> Void
    ) -> BusService<[Session]> {
        BusService(bus, name: IdleRule.logind, below: path, reader: readSessions, changed: changed)
    }

    /// Reads logind's sleep state; separate because little time is left before sleep.
    static func sleep(
        _ bus: BusConnection, changed: @escaping () -> Void
    ) -> BusService<SleepNews> {
        BusService(bus, name: IdleRule.logind, below: path, reader: readSleep, changed: changed)
    }

    /// Asks for a delay of sleep: `taken` receives the descriptor to close at the end, or nil if logind refuses.
    static func delaySleep(_ bus: BusConnection, taken: @escaping (Int32?) -> Void) {
        bus.call(
            IdleRule.logind, path, manager, "Inhibit",
            [
                "sleep", "bgrun", "Tasks that run are told, so that they can save their work",
                "delay",
            ]
        ) { reply in
            // The message owns its descriptor, and is released when this returns.
            let copy = reply?.first?.descriptor.map { fcntl($0, F_DUPFD_CLOEXEC, 3) } ?? -1
            taken(copy >= 0 ? copy : nil)
        }
    }

    private static func readSleep(_ bus: BusConnection, _ found: @escaping (SleepNews?) -> Void) {
        bus.properties(IdleRule.logind, path, manager) { properties in
            guard let isPreparing = properties?["PreparingForSleep"]?.bool else {
                return found(nil)
            }
            let microseconds = properties?["InhibitDelayMaxUSec"]?.unsigned
            found(
                SleepNews(
                    isPreparing: isPreparing,
                    delay: microseconds.map { Interval.milliseconds(Int64(clamping: $0 / 1_000)) }))
        }
    }

    private static func readSessions(
        _ bus: BusConnection, _ found: @escaping ([Session]?) -> Void
    ) {
        bus.call(IdleRule.logind, path, manager, "ListSessions") { reply in
            guard let list = reply?.first?.members else { return found(nil) }
            // (id, uid, user, seat, object path)
            readSessions(bus, list.compactMap { $0.members.last?.text }, [], found)
        }
    }

    /// Reads one after another; omits a session that ends meanwhile.
    private static func readSessions(
        _ bus: BusConnection, _ paths: [String], _ read: [Session],
        _ found: @escaping ([Session]) -> Void
    ) {
        guard let path = paths.first else { return found(read) }
        bus.properties(IdleRule.logind, path, "org.freedesktop.login1.Session") { properties in
            let session = properties.map(Session.init).map { [$0] } ?? []
            readSessions(bus, Array(paths.dropFirst()), read + session, found)
        }
    }
}

extension Session {
    init(_ properties: [String: BusValue]) {
        func text(_ name: String) -> String { properties[name]?.text ?? "" }
        func flag(_ name: String) -> Bool { properties[name]?.bool ?? false }
        self.init(
            id: text("Id"), sessionClass: text("Class"), type: text("Type"),
            isActive: flag("Active"),
            isSeatless: (properties["Seat"]?.members.first?.text ?? "").isEmpty,
            isClosing: text("State") == "closing", isLocked: flag("LockedHint"),
            idleHint: flag("IdleHint"), idleSince: properties["IdleSinceHint"]?.unsigned ?? 0)
    }
}
