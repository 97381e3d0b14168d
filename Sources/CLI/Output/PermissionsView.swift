// SPDX-License-Identifier: Apache-2.0

import BGRunConfinement
import BGRunManifest
import BGRunPolicy

/// What a task's handler may do on this machine.
struct PermissionsView: Encodable {
    var identifier: String
    var profile: String
    /// Whether attempts are refused on a machine that lacks a layer; nil without confinement, as all that follow.
    var enforce: String?
    var write: Files?
    var read: Files?
    var hidden: [String]?
    /// Empty directories of the worker's own, of at most so many bytes each, unless `notLimited` has the key.
    var temporary: [String]?
    var temporaryBytes: Int64?
    var network: Network?
    var sockets: [String]?
    var devices: [String]?
    var limits: Limits?
    /// The keys `temporary` and `tasks` if they have no effect here, with the reason.
    var notLimited: [String: String]?
    /// The variables of the host's environment that are kept besides the usual ones.
    var keptVariables: [String]?
    var reuse: String?
    /// Granted paths that do not exist.
    var missing: [String]?
    /// The layers that this machine lacks.
    var lacks: [String]?
    var exposure: ExposureView

    struct Files: Encodable {
        /// By keys of `confine`.
        var granted: [String]
        /// By the profile.
        var others: [String]
    }

    struct Network: Encodable {
        /// TCP ports; nil: all.
        var connect: [UInt16]?
        var listen: [UInt16]?
        var udp: Bool
    }

    struct Limits: Encodable {
        var tasks: Int?
        var files: Int?
        /// Bytes of all processes together.
        var memory: Int64?
        var fileSize: Int64?
        var processorMilliseconds: Int64?
        var nice: Int
    }

    struct ExposureView: Encodable {
        var score: Double
        var word: String
        var items: [Item]

        struct Item: Encodable {
            var points: Double
            var name: String
            var text: String
        }

        init(_ exposure: Exposure) {
            score = Self.points(exposure.tenths)
            word = exposure.word
            items = exposure.items.map {
                Item(points: Self.points($0.tenths), name: $0.name, text: $0.text)
            }
        }

        private static func points(_ tenths: Int) -> Double { Double(tenths) / 10 }
    }

    init(_ task: TaskDefinition, _ app: AppConfinement) {
        let confinement = app.manifest.confinement(of: task)
        identifier = task.declaration.identifier
        profile = confinement.profile.rawValue
        exposure = ExposureView(Exposure(confinement, homes: app.site.homes, app.layers))
        guard confinement.profile != .none else { return }
        let view = app.view(of: task)
        enforce = confinement.enforcement.rawValue
        write = Self.files(view.shown(writable: true), without: confinement.devices)
        read = Self.files(view.shown(writable: false), without: confinement.sockets)
        hidden = confinement.hide
        temporary = view.ownDirectories
        temporaryBytes = confinement.temporary
        network = Network(
            connect: confinement.network.connect, listen: confinement.network.listen,
            udp: confinement.network.udp)
        sockets = confinement.sockets
        devices = confinement.devices
        limits = Limits(
            tasks: confinement.tasks, files: confinement.files, memory: confinement.memory,
            fileSize: confinement.fileSize,
            processorMilliseconds: confinement.processorTime.map { $0.nanoseconds / 1_000_000 },
            nice: confinement.nice)
        notLimited = app.layers.notLimited(isRoot: app.site.user == 0)
        keptVariables = confinement.keptVariables
        reuse = confinement.reuse.rawValue
        missing = view.missing
        lacks = app.layers.lacks(confinement)
    }

    private static func files(
        _ shown: (granted: [String], others: [String]), without listed: [String]
    ) -> Files {
        Files(granted: shown.granted.filter { !listed.contains($0) }, others: shown.others)
    }
}
