// SPDX-License-Identifier: Apache-2.0

/// The kernel's message about an added, removed or changed device.
struct Uevent: Equatable, Sendable {
    /// add, remove, change ...
    var action: String
    /// power_supply, drm, thermal ...
    var subsystem: String
    /// The path below /sys.
    var devicePath: String
}

extension Uevent {
    /// One datagram: `action@path`, then KEY=value, each ended by a zero; nil for those of udev ("libudev") and
    /// others.
    init?(_ bytes: some Sequence<UInt8>) {
        let fields = Array(bytes).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        guard let heading = fields.first, heading.contains("@") else { return nil }
        var values: [Substring: Substring] = [:]
        for field in fields.dropFirst() {
            guard let equals = field.firstIndex(of: "=") else { continue }
            values[field[..<equals]] = field[field.index(after: equals)...]
        }
        guard let action = values["ACTION"], let subsystem = values["SUBSYSTEM"],
            let path = values["DEVPATH"]
        else { return nil }
        self.init(action: String(action), subsystem: String(subsystem), devicePath: String(path))
    }
}
