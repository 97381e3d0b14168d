// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The time at which a notification is shown.
///
/// `@unchecked Sendable`: it holds constants.
open class UNNotificationTrigger: NSObject, @unchecked Sendable {
    public let repeats: Bool

    fileprivate init(repeats: Bool) {
        self.repeats = repeats
        super.init()
    }

    /// The next time after `date`; nil without one.
    func next(after date: Date) -> Date? { nil }
}

/// Shown after some seconds.
///
/// `@unchecked Sendable`: it holds constants.
public final class UNTimeIntervalNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
    public let timeInterval: TimeInterval

    /// A repeating trigger needs at least 60 seconds; Apple terminates the app otherwise, here 60
    /// is used.
    public init(timeInterval: TimeInterval, repeats: Bool) {
        let least: TimeInterval = repeats ? 60 : 0
        self.timeInterval =
            timeInterval.isFinite ? min(max(least, timeInterval), 1e9) : 1e9
        super.init(repeats: repeats)
    }

    public func nextTriggerDate() -> Date? {
        next(after: Date())
    }

    override func next(after date: Date) -> Date? {
        date.addingTimeInterval(timeInterval)
    }
}

/// Shown when the calendar matches.
///
/// `@unchecked Sendable`: it holds constants.
public final class UNCalendarNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
    public let dateComponents: DateComponents

    public init(dateMatching dateComponents: DateComponents, repeats: Bool) {
        self.dateComponents = dateComponents
        super.init(repeats: repeats)
    }

    public func nextTriggerDate() -> Date? {
        next(after: Date())
    }

    override func next(after date: Date) -> Date? {
        (dateComponents.calendar ?? .current)
            .nextDate(after: date, matching: dateComponents, matchingPolicy: .nextTime)
    }
}

/// A remote notification. Never created: pushes go to the app delegate.
///
/// `@unchecked Sendable`: it holds constants.
public final class UNPushNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {}

/// A notification to show. Copies the content.
public final class UNNotificationRequest: NSObject, Sendable {
    public let identifier: String
    public let content: UNNotificationContent
    /// nil: immediately.
    public let trigger: UNNotificationTrigger?

    public init(
        identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?
    ) {
        self.identifier = identifier
        self.content = (content.copy() as? UNNotificationContent) ?? content
        self.trigger = trigger
        super.init()
    }
}

/// A notification that was shown.
public final class UNNotification: NSObject, Sendable {
    public let date: Date
    public let request: UNNotificationRequest

    init(_ request: UNNotificationRequest, date: Date) {
        self.request = request
        self.date = date
        super.init()
    }
}

/// A user's response to a notification. bgrun does not receive responses, and creates none.
///
/// `@unchecked Sendable`: it holds constants.
open class UNNotificationResponse: NSObject, @unchecked Sendable {
    public let actionIdentifier: String
    public let notification: UNNotification

    init(_ notification: UNNotification, action: String) {
        self.notification = notification
        actionIdentifier = action
        super.init()
    }
}

public let UNNotificationDefaultActionIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"
public let UNNotificationDismissActionIdentifier = "com.apple.UNNotificationDismissActionIdentifier"

/// The presentation of a notification while its app is in the foreground.
public struct UNNotificationPresentationOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    public static let badge = Self(rawValue: 1 << 0)
    public static let sound = Self(rawValue: 1 << 1)
    public static let alert = Self(rawValue: 1 << 2)
    public static let list = Self(rawValue: 1 << 3)
    public static let banner = Self(rawValue: 1 << 4)
}

/// The options of a button.
public struct UNNotificationActionOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    public static let authenticationRequired = Self(rawValue: 1 << 0)
    public static let destructive = Self(rawValue: 1 << 1)
    public static let foreground = Self(rawValue: 1 << 2)
}

/// A button of a notification. Not shown.
///
/// `@unchecked Sendable`: it holds constants.
open class UNNotificationAction: NSObject, @unchecked Sendable {
    public let identifier: String
    public let title: String
    public let options: UNNotificationActionOptions
    public let icon: UNNotificationActionIcon?

    public init(
        identifier: String, title: String, options: UNNotificationActionOptions = [],
        icon: UNNotificationActionIcon? = nil
    ) {
        self.identifier = identifier
        self.title = title
        self.options = options
        self.icon = icon
        super.init()
    }
}

/// The options of a category.
public struct UNNotificationCategoryOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    public static let customDismissAction = Self(rawValue: 1 << 0)
    public static let allowInCarPlay = Self(rawValue: 1 << 1)
}

/// The buttons of some notifications. Not shown.
public final class UNNotificationCategory: NSObject, Sendable {
    public let identifier: String
    public let actions: [UNNotificationAction]
    public let intentIdentifiers: [String]
    /// Empty without one.
    public let hiddenPreviewsBodyPlaceholder: String
    /// Empty without one.
    public let categorySummaryFormat: String
    public let options: UNNotificationCategoryOptions

    public init(
        identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String],
        hiddenPreviewsBodyPlaceholder: String?, categorySummaryFormat: String?,
        options: UNNotificationCategoryOptions = []
    ) {
        self.identifier = identifier
        self.actions = actions
        self.intentIdentifiers = intentIdentifiers
        self.hiddenPreviewsBodyPlaceholder = hiddenPreviewsBodyPlaceholder ?? ""
        self.categorySummaryFormat = categorySummaryFormat ?? ""
        self.options = options
        super.init()
    }

    public convenience init(
        identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String],
        options: UNNotificationCategoryOptions = []
    ) {
        self.init(
            identifier: identifier, actions: actions, intentIdentifiers: intentIdentifiers,
            hiddenPreviewsBodyPlaceholder: nil, categorySummaryFormat: nil, options: options)
    }
}
