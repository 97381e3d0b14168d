// SPDX-License-Identifier: Apache-2.0

/// What the handlers of a task may do: the keys of `confine:` over the values of their profile.
package struct Confinement: Hashable, Sendable {
    package enum Profile: String, CaseIterable, Sendable {
        /// Every right of the user.
        case none
        /// System files, the manifest's directory, and connections to other machines.
        case standard = "default"
        /// System files and the task's own data.
        case strict
    }

    /// What happens on a machine without a layer.
    package enum Enforcement: String, CaseIterable, Sendable {
        /// Attempts are refused.
        case require
        /// Attempts run with the other layers.
        case prefer
    }

    /// Whether a worker is kept for the next attempt.
    package enum Reuse: String, CaseIterable, Sendable {
        case warm, never
    }

    package struct Network: Hashable, Sendable {
        /// The TCP ports to which it may connect; nil: all.
        package var connect: [UInt16]?
        /// The TCP ports on which it may listen; nil: all.
        package var listen: [UInt16]?
        /// Whether it may use UDP.
        package var udp: Bool

        package init(connect: [UInt16]? = nil, listen: [UInt16]? = nil, udp: Bool = true) {
            self.connect = connect
            self.listen = listen
            self.udp = udp
        }

        package static let any = Network()
        /// Connections to other machines.
        package static let outgoing = Network(listen: [])
        /// No socket of the internet at all.
        package static let none = Network(connect: [], listen: [], udp: false)
    }

    /// How often memory with a limit is read.
    package static let memoryPeriod = Interval.milliseconds(250)

    package var profile: Profile
    package var enforcement: Enforcement
    package var read: [String]
    package var write: [String]
    package var hide: [String]
    package var sockets: [String]
    package var devices: [String]
    package var network: Network
    /// The maximum numbers of processes and threads, and of open files of a process; nil: the user's own.
    package var tasks: Int?
    package var files: Int?
    /// Bytes of memory of all its processes; nil: no limit.
    package var memory: Int64?
    /// Bytes; nil: no limit.
    package var fileSize: Int64?
    /// Bytes in `/tmp`, `/var/tmp` and `/dev/shm` each.
    package var temporary: Int64
    package var processorTime: Interval?
    package var nice: Int
    package var reuse: Reuse
    package var keptVariables: [String]

    package init(_ keys: ConfinementKeys) {
        let profile = keys.profile ?? .none
        let isStrict = profile == .strict
        self.profile = profile
        enforcement = keys.enforcement ?? (isStrict ? .require : .prefer)
        read = keys.read
        write = keys.write
        hide = keys.hide
        sockets = keys.sockets
        devices = keys.devices
        network = keys.network ?? (isStrict ? .none : .outgoing)
        tasks = keys.tasks ?? (isStrict ? 64 : 512)
        files = keys.files ?? (isStrict ? 1024 : 4096)
        memory = keys.memory ?? (isStrict ? 512 << 20 : nil)
        fileSize = keys.fileSize
        temporary = keys.temporary ?? (isStrict ? 64 << 20 : 256 << 20)
        processorTime = keys.processorTime
        nice = keys.nice ?? 0
        reuse = keys.reuse ?? (isStrict ? .never : .warm)
        keptVariables = keys.keptVariables
    }
}
