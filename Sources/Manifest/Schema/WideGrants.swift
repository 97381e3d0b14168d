// SPDX-License-Identifier: Apache-2.0

/// Finds the grants of `confine` that give a handler what confinement withholds. Paths are absolute and normalized.
struct WideGrants {
    let home: String?
    /// The directory of the user's sockets.
    let runtimeDirectory: String?

    /// Whether `path` is a directory with the machine's settings or a home directory.
    func isWide(writing path: String) -> Bool {
        Self.contains(path, "/etc") || isWide(reading: path)
    }

    /// Whether `path` is a home directory, or contains some.
    func isWide(reading path: String) -> Bool {
        let homes = ["/home", "/root"] + (home.map { [BaseDirectory.normalized($0)] } ?? [])
        return homes.contains { Self.contains(path, $0) }
    }

    /// The service whose socket is `path` or in it, and which does for its clients what they may not do themselves;
    /// nil without one.
    func service(at path: String) -> String? {
        let alias = "/var/run"
        let path =
            Self.contains(alias, path) ? "/run" + path.dropFirst(alias.utf8.count) : path
        let runtime = runtimeDirectory.map { BaseDirectory.normalized($0) + "/bus" }
        if let runtime, Self.contains(path, runtime) { return Self.sessionBus }
        let names = path.split(separator: "/")
        if path.hasPrefix("/run/user/"), names.count == 3 || names.count == 4 && names[3] == "bus" {
            return Self.sessionBus
        }
        return Self.services.first { Self.contains(path, $0.socket) }?.name
    }

    private static let sessionBus = "the session bus"
    private static let services = [
        (socket: "/run/docker.sock", name: "Docker"),
        (socket: "/run/containerd/containerd.sock", name: "containerd"),
        (socket: "/run/dbus/system_bus_socket", name: "the system bus"),
        (socket: "/run/user/N/bus", name: sessionBus),
    ]

    /// Whether `inner` is `directory`, or is in it.
    private static func contains(_ directory: String, _ inner: String) -> Bool {
        directory == "/" || inner == directory || inner.hasPrefix(directory + "/")
    }
}
