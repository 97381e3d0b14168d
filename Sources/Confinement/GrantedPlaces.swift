// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// What a granted path gives a handler. Paths are absolute.
struct GrantedPlaces {
    let homes: [String]

    private static let system = [
        "/etc", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/boot",
    ]

    func fact(writing path: String) -> ExposureFact {
        if path == "/" { return .writesEverything }
        if isHome(path) { return .writesHomes }
        let isSystem = (Self.system + ["/var", "/run", "/sys", "/proc"]).contains {
            FileRules.contains(path, $0)
        }
        if isSystem || Self.system.contains(where: { FileRules.contains($0, path) }) {
            return .writesSystem
        }
        return isInHome(path) ? .writesInHome : .writesOthers
    }

    func fact(reading path: String) -> ExposureFact {
        if path == "/" { return .readsEverything }
        if isHome(path) { return .readsHomes }
        return isInHome(path) ? .readsInHome : .readsOthers
    }

    func fact(socket path: String) -> ExposureFact {
        let names = path.split(separator: "/").suffix(2)
        let last = names.last ?? ""
        let isPowerful =
            ["docker.sock", "containerd.sock", "podman.sock", "system_bus_socket"].contains(last)
            || last == "bus" || names.first == "systemd" && last == "private"
            || ["/", "/run", "/run/user", "/var/run"].contains(path)
        return isPowerful ? .powerfulSocket : .sockets
    }

    func fact(device path: String) -> ExposureFact {
        let name = path.dropFirst("/dev/".count)
        let disks = [
            "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "dm-", "md", "loop", "mapper", "disk",
        ]
        let isPowerful =
            FileRules.contains(path, "/dev")
            || ["mem", "kmem", "port", "kmsg", "uinput", "input"].contains {
                name == $0 || name.hasPrefix($0 + "/")
            } || disks.contains { name.hasPrefix($0) }
        return isPowerful ? .powerfulDevice : .devices
    }

    /// Whether a grant would give a handler more than a task needs: keys, all files of a user, or programs and settings
    /// of the system. Never proposed.
    func isWide(_ access: AccessRequest.FileAccess, _ path: String) -> Bool {
        let fact = access == .write ? fact(writing: path) : fact(reading: path)
        let wide: [ExposureFact] = [
            .writesEverything, .writesSystem, .writesHomes, .readsEverything, .readsHomes,
        ]
        // `/usr` and `/etc` can be read already.
        return wide.contains(fact) || hasKeys(path)
    }

    /// Within a home.
    private static let keys = [
        ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", ".pki",
        ".config/gcloud", ".local/share/keyrings",
    ]

    /// Whether it is in a directory of a home with keys or passwords, or is one that contains some.
    private func hasKeys(_ path: String) -> Bool {
        var place = path
        while let parent = FileRules.parent(of: place) {
            let isUser = homes.contains(parent) || FileRules.parent(of: parent) == "/home"
            if parent != "/home", isUser {
                let rest = String(path.dropFirst(parent.count + 1))
                return Self.keys.contains {
                    FileRules.contains($0, rest) || FileRules.contains(rest, $0)
                }
            }
            place = parent
        }
        return false
    }

    /// Whether it is a home directory, or contains some.
    private func isHome(_ path: String) -> Bool {
        homes.contains { FileRules.contains(path, $0) }
            // Those in /home.
            || FileRules.parent(of: path).map { $0 == "/home" && homes.contains($0) } ?? false
    }

    private func isInHome(_ path: String) -> Bool {
        homes.contains { FileRules.contains($0, path) }
    }
}
