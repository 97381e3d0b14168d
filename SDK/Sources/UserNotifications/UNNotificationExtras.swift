// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Stored, but not shown: notify-send(1) supports neither images nor text fields.

/// A file attached to a notification.
public final class UNNotificationAttachment: NSObject, Sendable {
    public let identifier: String
    public let url: URL

    /// - Throws: an error if the file does not exist.
    public init(identifier: String, url: URL, options: [AnyHashable: Any]? = nil) throws {
        guard url.isFileURL, try url.checkResourceIsReachable() else {
            throw CocoaError(.fileNoSuchFile)
        }
        self.identifier = identifier
        self.url = url
        super.init()
    }
}

// Options of attachments, which have no effect.

public let UNNotificationAttachmentOptionsTypeHintKey = "UNNotificationAttachmentOptionsTypeHintKey"
public let UNNotificationAttachmentOptionsThumbnailHiddenKey =
    "UNNotificationAttachmentOptionsThumbnailHiddenKey"
public let UNNotificationAttachmentOptionsThumbnailClippingRectKey =
    "UNNotificationAttachmentOptionsThumbnailClippingRectKey"
public let UNNotificationAttachmentOptionsThumbnailTimeKey =
    "UNNotificationAttachmentOptionsThumbnailTimeKey"

/// The icon of a button.
public final class UNNotificationActionIcon: NSObject, Sendable {
    public override init() {
        super.init()
    }

    public init(systemImageName: String) {
        super.init()
    }

    public init(templateImageName: String) {
        super.init()
    }
}

/// A button with a text field. Not shown.
///
/// `@unchecked Sendable`: it holds constants.
public final class UNTextInputNotificationAction: UNNotificationAction, @unchecked Sendable {
    public let textInputButtonTitle: String
    public let textInputPlaceholder: String

    public init(
        identifier: String, title: String, options: UNNotificationActionOptions = [],
        icon: UNNotificationActionIcon? = nil, textInputButtonTitle: String,
        textInputPlaceholder: String
    ) {
        self.textInputButtonTitle = textInputButtonTitle
        self.textInputPlaceholder = textInputPlaceholder
        super.init(identifier: identifier, title: title, options: options, icon: icon)
    }
}

/// The text input of the user. Never created.
///
/// `@unchecked Sendable`: it holds constants.
public final class UNTextInputNotificationResponse: UNNotificationResponse, @unchecked Sendable {
    public let userText: String

    init(_ notification: UNNotification, action: String, text: String) {
        userText = text
        super.init(notification, action: action)
    }
}

/// The visibility of a notification's text.
public enum UNShowPreviewsSetting: Int, Sendable {
    case always, whenAuthenticated, never
}

/// The presentation of a notification.
public enum UNAlertStyle: Int, Sendable {
    case none, banner, alert
}

extension UNNotificationSettings {
    public var alertStyle: UNAlertStyle { .banner }
    public var showPreviewsSetting: UNShowPreviewsSetting { .always }
    public var criticalAlertSetting: UNNotificationSetting { .notSupported }
    public var scheduledDeliverySetting: UNNotificationSetting { .notSupported }
    public var carPlaySetting: UNNotificationSetting { .notSupported }
    public var announcementSetting: UNNotificationSetting { .notSupported }
    public var providesAppNotificationSettings: Bool { false }
}

extension UNNotificationCategory {
    public convenience init(
        identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String],
        hiddenPreviewsBodyPlaceholder: String, options: UNNotificationCategoryOptions = []
    ) {
        self.init(
            identifier: identifier, actions: actions, intentIdentifiers: intentIdentifiers,
            hiddenPreviewsBodyPlaceholder: hiddenPreviewsBodyPlaceholder,
            categorySummaryFormat: nil, options: options)
    }
}

extension UNNotificationCategoryOptions {
    public static let hiddenPreviewsShowTitle = Self(rawValue: 1 << 2)
    public static let hiddenPreviewsShowSubtitle = Self(rawValue: 1 << 3)
}

extension NSString {
    /// The text of a key in the app's tables, with the arguments inserted; the key itself without
    /// one.
    public static func localizedUserNotificationString(
        forKey key: String, arguments: [Any]?
    ) -> String {
        let format = Bundle.main.localizedString(forKey: key, value: nil, table: nil)
        guard let arguments, !arguments.isEmpty else { return format }
        return String(format: format, arguments: arguments.map { "\($0)" as NSString })
    }
}
