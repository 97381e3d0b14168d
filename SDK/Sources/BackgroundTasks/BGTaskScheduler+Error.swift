// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation

/// The domain of `BGTaskScheduler.Error`.
public let BGTaskSchedulerErrorDomain = "BGTaskSchedulerErrorDomain"

extension BGTaskScheduler {
    /// The domain of `BGTaskScheduler.Error`.
    public static let errorDomain = BGTaskSchedulerErrorDomain

    /// The reason why a request was not submitted.
    public struct Error: CustomNSError, LocalizedError, Hashable, Sendable {
        public enum Code: Int, Hashable, Sendable {
            /// The host cannot schedule: background refresh is off, or no host runs.
            case unavailable = 1
            /// The maximum number of requests of the kind is pending.
            case tooManyPendingTaskRequests = 2
            /// The manifest lacks the identifier or the mode.
            case notPermitted = 3
            /// It had to start at once, and could not.
            case immediateRunIneligible = 4
        }

        public static let unavailable = Code.unavailable
        public static let tooManyPendingTaskRequests = Code.tooManyPendingTaskRequests
        public static let notPermitted = Code.notPermitted
        public static let immediateRunIneligible = Code.immediateRunIneligible

        public static let errorDomain = BGTaskSchedulerErrorDomain

        public let code: Code
        private let cause: String

        public init(_ code: Code) {
            self.code = code
            cause = code.cause
        }

        init(_ code: Code, _ cause: String) {
            self.code = code
            self.cause = cause
        }

        init(_ error: PluginHostError) {
            code = Code(error.code)
            cause = error.description
        }

        public var errorCode: Int { code.rawValue }
        public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: cause] }
        public var userInfo: [String: Any] { errorUserInfo }
        /// The cause and the remedy.
        public var errorDescription: String? { cause }
        public var localizedDescription: String { cause }
    }
}

extension BGTaskScheduler.Error: CustomStringConvertible {
    public var description: String {
        "\(BGTaskSchedulerErrorDomain) Code=\(code.rawValue) (\(code)): \(cause)"
    }
}

extension BGTaskScheduler.Error.Code {
    /// Makes `catch BGTaskScheduler.Error.notPermitted` work.
    public static func ~= (code: Self, error: any Error) -> Bool {
        (error as? BGTaskScheduler.Error)?.code == code
    }

    fileprivate init(_ code: PluginHostError.Code) {
        switch code {
        case .tooManyPending: self = .tooManyPendingTaskRequests
        case .notPermitted, .notFound, .invalid, .tooLarge: self = .notPermitted
        case .notImmediately: self = .immediateRunIneligible
        case .state, .unavailable, .notStored, .other: self = .unavailable
        }
    }

    fileprivate var cause: String {
        switch self {
        case .unavailable:
            "the host cannot schedule now; is background refresh off (`bgrun refresh`)?"
        case .tooManyPendingTaskRequests:
            "too many requests of this kind are pending; cancel some and submit again"
        case .notPermitted:
            "the manifest does not permit it; see permitted_identifiers, modes and confine"
        case .immediateRunIneligible:
            "it cannot start at once; cancel other requests, or use the strategy queue"
        }
    }
}
