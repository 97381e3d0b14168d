// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// What adds to the exposure of a task, with its weight in tenths of a point. The scale is that of `systemd-analyze
/// security`: 10.0 has every right of its user.
///
/// The weights are judgements, chosen so that the profile `default` has about 4 and `strict` about 1; each states how
/// much a hostile handler gains. Grants of one kind add up to the kind's maximum.
enum ExposureFact: String, CaseIterable {
    case unconfined, noLayer
    case writesEverything, writesSystem, writesHomes, writesInHome, writesOthers
    case manifestDirectory
    case readsEverything, readsHomes, readsInHome, readsOthers, readsSystem
    case powerfulSocket, sockets
    case powerfulDevice, devices
    case anyConnection, someConnections, anyListening, someListening, udp
    case withoutNamespaces, withoutLandlock, withoutSeccomp
    case memory, processorTime, fileSize, prefer, warm, variables

    var weight: Int {
        switch self {
        case .unconfined, .noLayer: 100
        // Programs that others run, and keys of the user: the sandbox is given away.
        case .writesEverything: 60
        case .writesSystem, .writesHomes: 40
        case .writesInHome: 8
        case .writesOthers: 4
        // Scripts beside the manifest may run later without confinement.
        case .manifestDirectory: 8
        case .readsEverything: 25
        case .readsHomes: 20
        case .readsInHome: 3
        case .readsOthers: 2
        case .readsSystem: 4
        // Docker and the buses do for a client what it may not do itself.
        case .powerfulSocket: 40
        case .sockets: 4
        case .powerfulDevice: 40
        case .devices: 3
        case .anyConnection: 10
        case .someConnections: 5
        case .anyListening: 5
        case .someListening: 3
        case .udp: 3
        case .withoutNamespaces, .withoutLandlock: 15
        case .withoutSeccomp: 10
        case .memory: 3
        case .processorTime, .fileSize, .warm: 2
        case .prefer: 5
        case .variables: 1
        }
    }

    /// The maximum that several grants of this kind add.
    var most: Int {
        switch self {
        case .writesInHome, .writesOthers: 25
        case .readsInHome, .readsOthers, .sockets, .devices: 10
        case .variables: 4
        default: weight
        }
    }

    /// For people; a grant's path follows.
    var text: String {
        switch self {
        case .unconfined: "has every right of its user"
        case .noLayer: "this machine lacks every layer of confinement"
        case .writesEverything: "writes every file of its user:"
        case .writesSystem: "writes files of the system:"
        case .writesHomes: "writes home directories:"
        case .writesInHome: "writes in a home directory:"
        case .writesOthers: "writes"
        case .manifestDirectory: "has the manifest's directory"
        case .readsEverything: "reads every file of its user:"
        case .readsHomes: "reads home directories:"
        case .readsInHome: "reads in a home directory:"
        case .readsOthers: "reads"
        case .readsSystem: "reads programs and settings of the system"
        case .powerfulSocket: "asks a service that acts for it:"
        case .sockets: "connects to"
        case .powerfulDevice: "uses a device with memory or disks of others:"
        case .devices: "uses the device"
        case .anyConnection: "connects to every TCP port"
        case .someConnections: "connects to some TCP ports"
        case .anyListening: "listens on every TCP port"
        case .someListening: "listens on some TCP ports"
        case .udp: "uses UDP"
        case .withoutNamespaces: "this machine lacks namespaces"
        case .withoutLandlock: "this machine lacks Landlock"
        case .withoutSeccomp: "this machine lacks seccomp"
        case .memory: "its memory is not limited"
        case .processorTime: "its processor time is not limited"
        case .fileSize: "the size of its files is not limited"
        case .prefer: "runs without layers that a machine lacks"
        case .warm: "its worker is kept for the next attempt"
        case .variables: "keeps the variable"
        }
    }
}
