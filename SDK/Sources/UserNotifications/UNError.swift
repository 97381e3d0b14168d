// SPDX-License-Identifier: Apache-2.0

public import Foundation

public let UNErrorDomain = "UNErrorDomain"

/// Errors of Apple's center; that of bgrun causes none of them.
public struct UNError: CustomNSError, Hashable, Sendable {
    public enum Code: Int, Sendable {
        case notificationsNotAllowed = 1
        case attachmentInvalidURL = 100
        case attachmentUnrecognizedType
        case attachmentInvalidFileSize
        case attachmentNotInDataStore
        case attachmentMoveIntoDataStoreFailed
        case attachmentCorrupt
        case notificationInvalidNoDate = 1400
        case notificationInvalidNoContent
        case contentProvidingObjectNotAllowed = 1500
        case contentProvidingInvalid
        case badgeInputInvalid = 1600
    }

    public static var errorDomain: String { UNErrorDomain }
    public static var notificationsNotAllowed: Code { .notificationsNotAllowed }
    public static var attachmentInvalidURL: Code { .attachmentInvalidURL }
    public static var attachmentUnrecognizedType: Code { .attachmentUnrecognizedType }

    public let code: Code
    public var errorCode: Int { code.rawValue }

    public init(_ code: Code) {
        self.code = code
    }
}
