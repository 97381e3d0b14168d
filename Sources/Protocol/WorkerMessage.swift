// SPDX-License-Identifier: Apache-2.0

/// A message from a worker to the host, always on the control channel.
package enum WorkerMessage: Equatable, Sendable {
    /// The plugin is loaded and initialised; answers `load`.
    case loaded(Loaded)
    /// The plugin or the handler cannot be used: the failed check, and the actual value.
    case refused(String)
    /// The handler has reported its result; the first report of an attempt. Success nil: the attempt's time is revoked
    /// and it has no expiration handler, so that it ends without a report.
    case completed(attempt: Int64, success: Bool?, message: String?, enteredMonotonic: Int64)
    /// The handler has returned, reported and ended its assertions: the worker can run another attempt, or gives the
    /// reason why not.
    case idle(attempt: Int64, leftovers: Leftovers)
    case progress(attempt: Int64, completed: Int64, total: Int64)
    case title(attempt: Int64, title: String?, subtitle: String?)
    /// A line for the log; attempt 0: not of an attempt.
    case log(attempt: Int64, level: UInt8, text: String)
    /// The handler wants to continue after its report until it ends this assertion; `id` is never reused in this
    /// worker.
    case assertionBegan(attempt: Int64, id: Int64, name: String?)
    case assertionEnded(attempt: Int64, id: Int64)
    /// A call for which the plugin waits; answered by `HostMessage.answer`. Attempt 0: a call of its process, at any
    /// time.
    case call(attempt: Int64, call: UInt32, Call)
    /// The first message of a worker: 0, or the errno of a resource shortage that prevents all attempts; then the
    /// worker ends.
    case short(Int32)
    /// The attempt waits for the resource of this errno; attempt 0: the one for which the worker loads its plugin.
    case waiting(attempt: Int64, error: Int32)
    /// In a trial only: a function of the host was used incorrectly and returned `status`, a `BGRUN_E_...`. `attempt`
    /// is the attempt in the call, 0 for none.
    case remark(attempt: Int64, call: String, status: Int32)
    /// The plugin has registered a handler after its init, for tasks of kind `continued`, in this worker
    /// only.
    case registered(Registration)

    /// The message of an attempt that was ended because its handler cannot be told to expire.
    package static let cannotBeTold = "expired; the handler has no expire callback"

    /// The exit code of a worker that has lost the channel to its host.
    package static let lostChannelExitCode: Int32 = 113

    package struct Loaded: Equatable, Sendable {
        package var name: String
        package var version: String?
        package var abiVersion: UInt32
        package var flags: UInt32
        package var handlers: [String]
        /// The tasks of its handler `default`; nil if the plugin does not report them.
        package var registrations: [Registration]?

        package init(
            name: String, version: String?, abiVersion: UInt32, flags: UInt32, handlers: [String],
            registrations: [Registration]? = nil
        ) {
            self.name = name
            self.version = version
            self.abiVersion = abiVersion
            self.flags = flags
            self.handlers = handlers
            self.registrations = registrations
        }
    }

    /// The state that an attempt left behind in its worker. Anything but an empty set ends the worker.
    package struct Leftovers: OptionSet, Equatable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let children = Leftovers(rawValue: 1 << 0)
        package static let threads = Leftovers(rawValue: 1 << 1)
        package static let descriptors = Leftovers(rawValue: 1 << 2)
        /// The environment or the priority has changed.
        package static let process = Leftovers(rawValue: 1 << 3)
        /// Files in directories that only this worker sees, or IPC objects.
        package static let files = Leftovers(rawValue: 1 << 4)
    }

    package enum Call: Equatable, Sendable {
        case submit(Request)
        case cancel(identifier: String)
        case pending
        case putCheckpoint(version: UInt32, data: [UInt8])
        case transfer(TransferCall)
        case pushes(PushCall)
    }

    package struct Request: Equatable, Sendable {
        package var identifier: String
        package var parameters: String?
        package var delayNanoseconds: Int64
        /// The bits of `BGRUN_REQUIRES_...`.
        package var requires: UInt8
        /// The required kind of its task; 0: any.
        package var kind: UInt8
        /// Refused unless it can start immediately.
        package var isOnlyImmediate: Bool
        /// `Annotations.text`.
        package var annotations: String?

        package init(
            identifier: String, parameters: String? = nil, delayNanoseconds: Int64 = 0,
            requires: UInt8 = 0, kind: UInt8 = 0, isOnlyImmediate: Bool = false,
            annotations: String? = nil
        ) {
            self.identifier = identifier
            self.parameters = parameters
            self.delayNanoseconds = delayNanoseconds
            self.requires = requires
            self.kind = kind
            self.isOnlyImmediate = isOnlyImmediate
            self.annotations = annotations
        }
    }
}
