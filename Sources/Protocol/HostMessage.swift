// SPDX-License-Identifier: Apache-2.0

/// A message from the host to a worker.
package enum HostMessage: Equatable, Sendable {
    /// The first message: the plugin to load. Sent once, on the launch channel.
    case load(Load)
    /// Run one attempt. On the launch channel, to an idle worker.
    case launch(Launch)
    /// The attempt's time is revoked. On the control channel.
    case expire(Expiration)
    /// The current device readings. On the control channel, to a worker that runs an attempt.
    case device(Device)
    /// The answer to a worker's call. On the control channel.
    case answer(call: UInt32, Answer)

    package struct Load: Equatable, Sendable {
        /// The plugin's file for the dynamic linker; nil for a worker of foreign functions.
        package var plugin: String?
        /// The path for messages.
        package var displayPath: String
        /// The manifest's data about the app; nil without a manifest.
        package var app: App?

        /// The simulated host in a trial of the plugin; nil: this host.
        package var trial: Trial?
        /// The readings for the plugin's init; nil: unknown.
        package var device: Device?
        /// The directories that only this worker sees.
        package var temporary: [String]

        package init(
            plugin: String?, displayPath: String, app: App? = nil, trial: Trial? = nil,
            device: Device? = nil, temporary: [String] = []
        ) {
            self.plugin = plugin
            self.displayPath = displayPath
            self.app = app
            self.trial = trial
            self.device = device
            self.temporary = temporary
        }
    }

    /// The data about its app for a plugin.
    package struct App: Equatable, Sendable {
        package var identifier: String
        package var manifestDirectory: String
        /// Identifiers, and patterns that end in `.*`; `*` permits every identifier.
        package var permitted: [String]
        package var tasks: [Task]

        package struct Task: Equatable, Sendable {
            /// An identifier, or a pattern that ends in `.*`.
            package var identifier: String
            package var kind: UInt8
            /// `BGRUN_REQUIRES_...`
            package var requires: UInt8

            package init(identifier: String, kind: UInt8, requires: UInt8) {
                self.identifier = identifier
                self.kind = kind
                self.requires = requires
            }
        }

        package init(
            identifier: String, manifestDirectory: String, permitted: [String], tasks: [Task]
        ) {
            self.identifier = identifier
            self.manifestDirectory = manifestDirectory
            self.permitted = permitted
            self.tasks = tasks
        }
    }

    /// A host that may differ from this one, for `bgrun plugin check`. In a trial the worker sends
    /// a `remark` for each call that it refuses.
    package struct Trial: Equatable, Sendable {
        /// The ABI version that the plugin sees instead of this host's.
        package var abiVersion: UInt32
        /// False: every extension is unknown.
        package var hasExtensions: Bool
        /// Every struct ends in bytes unknown to this header, all of them nonzero.
        package var hasLongerStructs: Bool

        package init(abiVersion: UInt32, hasExtensions: Bool, hasLongerStructs: Bool) {
            self.abiVersion = abiVersion
            self.hasExtensions = hasExtensions
            self.hasLongerStructs = hasLongerStructs
        }
    }

    package struct Launch: Equatable, Sendable {
        package var attempt: Int64
        package var identifier: String
        package var kind: UInt8
        package var attemptNumber: UInt32
        package var action: Action
        package var parameters: String
        package var manifestDirectory: String
        package var deadlineBoottime: Int64
        /// How long it may continue after its report while it holds an assertion.
        package var assertionLimitNanoseconds: Int64
        package var device: Device
        package var checkpoint: Checkpoint?
        /// The names of its secrets, whose descriptors come with the message, before the socket.
        package var secrets: [String]

        package enum Action: Equatable, Sendable {
            case handler(String)
            case foreign(ForeignProgram)
        }

        package init(
            attempt: Int64, identifier: String, kind: UInt8, attemptNumber: UInt32, action: Action,
            parameters: String, manifestDirectory: String, deadlineBoottime: Int64,
            assertionLimitNanoseconds: Int64, device: Device, checkpoint: Checkpoint?,
            secrets: [String] = []
        ) {
            self.attempt = attempt
            self.identifier = identifier
            self.kind = kind
            self.attemptNumber = attemptNumber
            self.action = action
            self.parameters = parameters
            self.manifestDirectory = manifestDirectory
            self.deadlineBoottime = deadlineBoottime
            self.assertionLimitNanoseconds = assertionLimitNanoseconds
            self.device = device
            self.checkpoint = checkpoint
            self.secrets = secrets
        }
    }

    package struct Expiration: Equatable, Sendable {
        package var attempt: Int64
        /// A `BGRUN_REASON_...`.
        package var reason: UInt32
        package var reasonText: String
        package var graceNanoseconds: Int64
        package var deadlineBoottime: Int64

        package init(
            attempt: Int64, reason: UInt32, reasonText: String, graceNanoseconds: Int64,
            deadlineBoottime: Int64
        ) {
            self.attempt = attempt
            self.reason = reason
            self.reasonText = reasonText
            self.graceNanoseconds = graceNanoseconds
            self.deadlineBoottime = deadlineBoottime
        }
    }

    /// Readings of the device; -1 is unknown.
    package struct Device: Equatable, Sendable {
        /// All readings are unknown.
        package static let unknown = Device()

        package var externalPower: Int8
        package var batteryPercent: Int8
        package var lowPowerMode: Int8
        package var network: Int8
        package var networkMetered: Int8
        package var userIdle: Int8
        package var thermalState: Int8
        /// The background refresh setting of the app: 0 restricted, 1 denied, 2 available.
        package var backgroundRefresh: Int8

        package init(
            externalPower: Int8 = -1, batteryPercent: Int8 = -1, lowPowerMode: Int8 = -1,
            network: Int8 = -1, networkMetered: Int8 = -1, userIdle: Int8 = -1,
            thermalState: Int8 = -1, backgroundRefresh: Int8 = -1
        ) {
            self.externalPower = externalPower
            self.batteryPercent = batteryPercent
            self.lowPowerMode = lowPowerMode
            self.network = network
            self.networkMetered = networkMetered
            self.userIdle = userIdle
            self.thermalState = thermalState
            self.backgroundRefresh = backgroundRefresh
        }
    }

    package struct Checkpoint: Equatable, Sendable {
        package var version: UInt32
        package var data: [UInt8]

        package init(version: UInt32, data: [UInt8]) {
            self.version = version
            self.data = data
        }
    }

    package struct Answer: Equatable, Sendable {
        /// A `BGRUN_...` result.
        package var status: Int32
        /// For `pending`: the pending requests.
        package var pending: [Pending]
        /// For `transfer(.create)`: the transfer's id.
        package var id: Int64
        /// For `transfer(.cancelResumable)`: the data with which a later request resumes.
        package var data: [UInt8]
        /// For `transfer(.list)` and `transfer(.nextEnded)`.
        package var transfers: [Transfer]
        /// For `pushes(.messages)`.
        package var pushes: [Push]
        /// Whether another part of the same answer follows: a list may not fit in one frame.
        package var hasMore: Bool

        package init(
            status: Int32, pending: [Pending] = [], id: Int64 = 0, data: [UInt8] = [],
            transfers: [Transfer] = [], pushes: [Push] = [], hasMore: Bool = false
        ) {
            self.status = status
            self.pending = pending
            self.id = id
            self.data = data
            self.transfers = transfers
            self.pushes = pushes
            self.hasMore = hasMore
        }

        /// Adds the next part of the answer: joins the lists and takes the other fields from
        /// `next`.
        package mutating func append(_ next: Answer) {
            status = next.status
            id = next.id
            data = next.data
            hasMore = next.hasMore
            pending += next.pending
            transfers += next.transfers
            pushes += next.pushes
        }
    }

    package struct Pending: Equatable, Sendable {
        package var identifier: String
        package var kind: UInt8
        /// 0: none.
        package var earliestUnixNanoseconds: Int64
        /// As submitted: `BGRUN_REQUIRES_...` and a JSON object.
        package var requires: UInt8
        package var parameters: String?
        /// Whether it is refused unless it can start immediately.
        package var isOnlyImmediate: Bool
        /// `Annotations.text`, of its task and its own.
        package var annotations: String?

        package init(
            identifier: String, kind: UInt8, earliestUnixNanoseconds: Int64, requires: UInt8 = 0,
            parameters: String? = nil, isOnlyImmediate: Bool = false, annotations: String? = nil
        ) {
            self.identifier = identifier
            self.kind = kind
            self.earliestUnixNanoseconds = earliestUnixNanoseconds
            self.requires = requires
            self.parameters = parameters
            self.isOnlyImmediate = isOnlyImmediate
            self.annotations = annotations
        }
    }
}
