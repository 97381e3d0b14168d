// SPDX-License-Identifier: Apache-2.0

/// Why a message is rejected. `reason` and `status` are those of Apple's push service (APNs).
package enum PushRefusal: Error, Equatable, Sendable {
    /// It has no identifier, and its source names no task.
    case noIdentifier
    /// It is not a valid message: not JSON, or a field has the wrong type.
    case malformed(String)
    case payloadEmpty
    case payloadTooLarge(bytes: Int)
    /// `aps.content-available` is not 1.
    case notSilent
    /// It contains keys of a visible notification.
    case shows([String])
    case badPriority(Int)
    /// A request to the webhook has no header `apns-priority`.
    case missingPriority
    case badCollapseID
    /// Its date has passed or is invalid.
    case badExpiration
    case badPushType(String)
    case badTopic(String, app: String)
    case notPush(identifier: String, kind: TaskKind)
    /// The request for the task is refused.
    case notAccepted(Refusal)
    case refreshSwitchedOff(RefreshSwitch)
    case badToken
    case badPath
    case badMethod
    /// Its sender is a process of a confined attempt.
    case fromHandler
    /// It could not be stored, or the host is ending.
    case unavailable

    /// The word that APNs uses.
    package var reason: String {
        switch self {
        case .noIdentifier: "MissingDeviceToken"
        case .malformed: "BadMessage"
        case .payloadEmpty: "PayloadEmpty"
        case .payloadTooLarge: "PayloadTooLarge"
        case .notSilent, .shows, .badPushType: "InvalidPushType"
        case .badPriority, .missingPriority: "BadPriority"
        case .badCollapseID: "BadCollapseId"
        case .badExpiration: "BadExpirationDate"
        case .badTopic: "BadTopic"
        case .notPush: "DeviceTokenNotForTopic"
        case .notAccepted(.noHandler): "BadDeviceToken"
        case .notAccepted(.notPermitted), .notAccepted(.modeMissing): "TopicDisallowed"
        case .notAccepted(.tooManyPending), .notAccepted(.alreadyRunning),
            .notAccepted(.notImmediately), .notAccepted(.postponed):
            "TooManyRequests"
        case .notAccepted(.unavailable), .notAccepted(.busy), .unavailable: "ServiceUnavailable"
        case .refreshSwitchedOff: "Unregistered"
        case .badToken: "InvalidProviderToken"
        case .badPath: "BadPath"
        case .badMethod: "MethodNotAllowed"
        case .fromHandler: "Forbidden"
        }
    }

    /// The HTTP status of APNs.
    package var status: Int {
        switch reason {
        case "InvalidProviderToken", "Forbidden": 403
        case "BadPath": 404
        case "MethodNotAllowed": 405
        case "Unregistered": 410
        case "PayloadTooLarge": 413
        case "TooManyRequests": 429
        case "ServiceUnavailable": 503
        default: 400
        }
    }

    /// Whether the same message may be accepted later.
    package var isPassing: Bool { status == 429 || status == 503 }

    /// The problem and the remedy.
    package var message: String {
        switch self {
        case .noIdentifier: "it names no task; add \"identifier\""
        case .malformed(let what): what
        case .payloadEmpty: "the payload is empty; send {\"aps\": {\"content-available\": 1}}"
        case .payloadTooLarge(let bytes):
            "the payload has \(bytes) bytes; at most \(PushRule.longestPayload) are taken: send "
                + "where to look, not the content"
        case .notSilent:
            "aps.content-available is not 1; only silent pushes are taken; "
                + "send {\"aps\": {\"content-available\": 1}}"
        case .shows(let keys):
            "aps has \(keys.joined(separator: ", ")), which a silent push has not; leave it out"
        case .badPriority(let priority):
            "priority \(priority) is not for silent pushes; send \(PushRule.silentPriority)"
        case .missingPriority:
            "the header apns-priority is missing, which means 10; send "
                + "\"apns-priority: \(PushRule.silentPriority)\""
        case .badCollapseID:
            "the collapse id must have 1 to \(PushRule.longestCollapseID) bytes"
        case .badExpiration: "its expiration is over, or no date; leave it out to keep the message"
        case .badPushType(let type): "the push type \"\(type)\" is not taken; send `background`"
        case .badTopic(let topic, let app):
            "the topic \"\(topic)\" is not this app; send \"\(app)\", or leave it out"
        case .notPush(let identifier, let kind):
            "\"\(identifier)\" is of kind \(kind.name); give it `kind: push`, or name another task"
        case .notAccepted(let refusal): refusal.message
        case .refreshSwitchedOff(let state):
            "background refresh is \(state.name), so that no push is delivered; switch it on with "
                + "`bgrun refresh on`"
        case .badToken: "the bearer token is not the one in the webhook's token file"
        case .badPath: "there is /3/device/IDENTIFIER and nothing else"
        case .badMethod: "use POST"
        case .fromHandler: "a confined handler cannot ask its host: use the plugin's functions"
        case .unavailable:
            "the host is ending, has too many connections, or could not store it; send it again "
                + "later"
        }
    }
}
