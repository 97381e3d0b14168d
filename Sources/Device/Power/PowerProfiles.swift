// SPDX-License-Identifier: Apache-2.0

/// Asks the daemon of power profiles: power-profiles-daemon, or tuned-ppd in its place.
enum PowerProfiles {
    /// UPower's name is the newer one; present daemons own both.
    static let names = [
        (
            name: "org.freedesktop.UPower.PowerProfiles",
            path: "/org/freedesktop/UPower/PowerProfiles"
        ),
        (name: "net.hadess.PowerProfiles", path: "/net/hadess/PowerProfiles"),
    ]

    static func service(
        _ bus: BusConnection, _ daemon: (name: String, path: String), changed: @escaping () -> Void
    ) -> BusService<String> {
        BusService(
            bus, name: daemon.name, below: daemon.path,
            reader: { bus, found in
                bus.properties(daemon.name, daemon.path, daemon.name) {
                    found($0?["ActiveProfile"]?.text)
                }
            }, changed: changed)
    }
}
