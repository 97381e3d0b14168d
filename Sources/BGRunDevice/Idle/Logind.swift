// SPDX-License-Identifier: Apache-2.0

/// What logind says of its users, and of sleep.
struct LogindSnapshot: Hashable, Sendable {
    var sessions: [Session]
    /// Whether the machine is about to be suspended.
    var isPreparingForSleep: Bool
}

/// Asks logind.
enum Logind {
    private static let path = "/org/freedesktop/login1"
    private static let manager = "org.freedesktop.login1.Manager"

    static func service(
        _ bus: BusConnection, changed: @escaping () -> Void
    ) -> BusService<LogindSnapshot> {
        BusService(
            bus, name: IdleRule.logind, below: path, reader: read, changed: changed)
    }

    private static func read(
        _ bus: BusConnection, _ found: @escaping (LogindSnapshot?) -> Void
    ) {
        bus.properties(IdleRule.logind, path, manager) { properties in
            guard let properties else { return found(nil) }
            let isPreparing = properties["PreparingForSleep"]?.bool ?? false
            bus.call(IdleRule.logind, path, manager, "ListSessions") { reply in
                guard let list = reply?.first?.members else { return found(nil) }
                // (id, uid, user, seat, object path)
                let paths = list.compactMap { $0.members.last?.text }
                readSessions(bus, paths) {
                    found(LogindSnapshot(sessions: $0, isPreparingForSleep: isPreparing))
                }
            }
        }
    }

    /// One after the other; a session that ends meanwhile is left out.
    private static func readSessions(
        _ bus: BusConnection, _ paths: [String], _ before: [Session] = [],
        _ found: @escaping ([Session]) -> Void
    ) {
        guard let path = paths.first else { return found(before) }
        bus.properties(IdleRule.logind, path, "org.freedesktop.login1.Session") { properties in
            let session = properties.map(Session.init).map { [$0] } ?? []
            readSessions(bus, Array(paths.dropFirst()), before + session, found)
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
