// SPDX-License-Identifier: Apache-2.0

public import BGRunPluginRuntime
public import Foundation

/// The manifest's task of one identifier.
public struct SimulatedTask: Sendable {
    /// A requirement of a task.
    public enum Requirement: Sendable {
        case externalPower
        case network
        case unmeteredNetwork
        case idle
    }

    public var kind: PluginTask.Kind
    /// A JSON object.
    public var parameters: String
    public var requirements: Set<Requirement>
    /// The time limit of an attempt, on the scheduler's clock.
    public var timeLimit: Duration

    /// - Parameter timeLimit: by default 30 seconds, 10 minutes for processing, a day for continued
    ///   work.
    public init(
        _ kind: PluginTask.Kind, parameters: String = "{}", requires: Set<Requirement> = [],
        timeLimit: Duration? = nil
    ) {
        self.kind = kind
        self.parameters = parameters
        self.requirements = requires
        self.timeLimit = timeLimit ?? kind.timeLimit
    }

    public static let appRefresh = SimulatedTask(.appRefresh)
    public static let processing = SimulatedTask(.processing)
    public static let push = SimulatedTask(.push)
    public static let continued = SimulatedTask(.continued)
    public static let transfer = SimulatedTask(.transfer)
}

/// A background mode that an app declares.
public enum SimulatedMode: Sendable, CaseIterable {
    case fetch
    case processing
    case remoteNotification
}

/// A pending request.
public struct SimulatedRequest: Sendable {
    public let identifier: String
    public let kind: PluginTask.Kind
    /// On the scheduler's clock; nil for no delay.
    public let earliestBeginDate: Date?
    /// The manifest's parameters overridden by those of the request, a JSON object.
    public let parameters: String
    /// Its own requirements and those of its task.
    public let requirements: Set<SimulatedTask.Requirement>
    let submitted: Submitted
    let earliest: ManualClock.Instant

    /// As specified by the app.
    struct Submitted: Sendable {
        var parameters: String?
        /// `BGRUN_REQUIRES_...`
        var requires: UInt32 = 0
        var isOnlyImmediate = false
        /// Separated by spaces.
        var tags = ""

        /// Whether a host accepts the tags.
        var hasValidTags: Bool {
            let names = tags.split(separator: " ")
            return Set(names).count <= 8
                && names.allSatisfy { $0.wholeMatch(of: /[A-Za-z0-9._:\/-]{1,64}/) != nil }
        }
    }
}

/// A mistake of a test, or of the code under test.
public enum SimulationError: Error, CustomStringConvertible, Equatable {
    /// There is no pending request.
    case notScheduled(String)
    /// The previous attempt is not over.
    case busy(String)
    /// No attempt of the identifier is running.
    case notRunning(String)
    /// The handler has not completed in time, and was killed.
    case killed(String)
    /// The attempt ended before the expected event.
    case ended(String)
    /// No transfer of this URL is running.
    case noTransfer(String)
    /// The transfer of this URL is suspended.
    case suspendedTransfer(String)
    /// `launchApp` was not called.
    case notLaunched

    public var description: String {
        switch self {
        case .notScheduled(let identifier):
            "No task request with identifier \(identifier) has been scheduled. Submit one first."
        case .busy(let identifier):
            "\(identifier) is still running, and one attempt runs at a time. Wait for its end()."
        case .notRunning(let identifier):
            "No task with identifier \(identifier) is running. Simulate its launch first."
        case .killed(let identifier):
            "\(identifier) did not call setTaskCompleted within its grace, and was killed. "
                + "Complete on every path."
        case .ended(let identifier):
            "The attempt of \(identifier) ended before what the test waits for."
        case .noTransfer(let url):
            "No transfer of \(url) is running. Resume its task first."
        case .suspendedTransfer(let url):
            "The transfer of \(url) is suspended, so nothing comes of it. Resume its task first."
        case .notLaunched:
            "The app is not launched. Call launchApp first."
        }
    }
}

extension PluginTask.Kind {
    fileprivate var timeLimit: Duration {
        switch self {
        case .appRefresh, .push, .transfer: .seconds(30)
        case .processing: .seconds(10 * 60)
        case .continued: .seconds(24 * 60 * 60)
        }
    }

    /// Whether requests of this kind depend on the background refresh setting.
    var goesByRefreshSwitch: Bool { self != .continued }

    /// Whether a request for `kind` may be submitted for a task of this kind.
    func accepts(requestsOf kind: Self) -> Bool {
        self == kind || self == .push || self == .transfer
    }

    /// The maximum number of pending requests of the kind.
    var pendingLimit: Int { self == .appRefresh ? 1 : 10 }

    /// The mode that an app must declare for it; nil for none.
    var mode: SimulatedMode? {
        switch self {
        case .appRefresh: .fetch
        case .processing: .processing
        case .push: .remoteNotification
        case .continued, .transfer: nil
        }
    }
}
