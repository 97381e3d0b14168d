// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The content of a notification. Title, subtitle and body are shown, other properties are stored.
///
/// `@unchecked Sendable`: as Apple's, it belongs to one thread until it is added, and a request holds
/// an immutable copy.
open class UNNotificationContent: NSObject, NSCopying, @unchecked Sendable {
    fileprivate struct Values {
        var title = ""
        var subtitle = ""
        var body = ""
        var userInfo: [AnyHashable: Any] = [:]
        var sound: UNNotificationSound?
        var badge: NSNumber?
        var categoryIdentifier = ""
        var threadIdentifier = ""
        var targetContentIdentifier: String?
        var relevanceScore = 0.0
        var attachments: [UNNotificationAttachment] = []
        var summaryArgument = ""
        var launchImageName = ""
        var filterCriteria: String?
        var interruptionLevel = UNNotificationInterruptionLevel.active
    }

    fileprivate var values = Values()

    open var title: String { values.title }
    open var subtitle: String { values.subtitle }
    open var body: String { values.body }
    open var userInfo: [AnyHashable: Any] { values.userInfo }
    open var sound: UNNotificationSound? { values.sound }
    open var badge: NSNumber? { values.badge }
    open var categoryIdentifier: String { values.categoryIdentifier }
    open var threadIdentifier: String { values.threadIdentifier }
    open var targetContentIdentifier: String? { values.targetContentIdentifier }
    open var relevanceScore: Double { values.relevanceScore }
    open var attachments: [UNNotificationAttachment] { values.attachments }
    open var summaryArgument: String { values.summaryArgument }
    open var launchImageName: String { values.launchImageName }
    open var filterCriteria: String? { values.filterCriteria }
    open var interruptionLevel: UNNotificationInterruptionLevel { values.interruptionLevel }

    public override init() {
        super.init()
    }

    /// A copy that cannot be changed.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = UNNotificationContent()
        copy.values = values
        return copy
    }

    /// A copy that can be changed.
    open override func mutableCopy() -> Any {
        let copy = UNMutableNotificationContent()
        copy.values = values
        return copy
    }
}

/// The mutable content of a notification.
///
/// `@unchecked Sendable`: like its superclass, which holds all state.
open class UNMutableNotificationContent: UNNotificationContent, @unchecked Sendable {
    open override var title: String {
        get { values.title }
        set { values.title = newValue }
    }
    open override var subtitle: String {
        get { values.subtitle }
        set { values.subtitle = newValue }
    }
    open override var body: String {
        get { values.body }
        set { values.body = newValue }
    }
    open override var userInfo: [AnyHashable: Any] {
        get { values.userInfo }
        set { values.userInfo = newValue }
    }
    open override var sound: UNNotificationSound? {
        get { values.sound }
        set { values.sound = newValue }
    }
    open override var badge: NSNumber? {
        get { values.badge }
        set { values.badge = newValue }
    }
    open override var categoryIdentifier: String {
        get { values.categoryIdentifier }
        set { values.categoryIdentifier = newValue }
    }
    open override var threadIdentifier: String {
        get { values.threadIdentifier }
        set { values.threadIdentifier = newValue }
    }
    open override var targetContentIdentifier: String? {
        get { values.targetContentIdentifier }
        set { values.targetContentIdentifier = newValue }
    }
    open override var attachments: [UNNotificationAttachment] {
        get { values.attachments }
        set { values.attachments = newValue }
    }
    open override var launchImageName: String {
        get { values.launchImageName }
        set { values.launchImageName = newValue }
    }
    open override var summaryArgument: String {
        get { values.summaryArgument }
        set { values.summaryArgument = newValue }
    }
    open override var filterCriteria: String? {
        get { values.filterCriteria }
        set { values.filterCriteria = newValue }
    }
    open override var relevanceScore: Double {
        get { values.relevanceScore }
        set { values.relevanceScore = newValue }
    }
    open override var interruptionLevel: UNNotificationInterruptionLevel {
        get { values.interruptionLevel }
        set { values.interruptionLevel = newValue }
    }
}

/// The urgency of a notification.
public enum UNNotificationInterruptionLevel: UInt, Sendable {
    case passive, active, timeSensitive, critical

    /// Its name in notify-send(1).
    var urgency: String {
        switch self {
        case .passive: "low"
        case .active, .timeSensitive: "normal"
        case .critical: "critical"
        }
    }
}

/// Not played.
public final class UNNotificationSound: NSObject, Sendable {
    public static let `default` = UNNotificationSound()
    public static let defaultCritical = UNNotificationSound()
    public static let defaultRingtone = UNNotificationSound()

    public override init() {
        super.init()
    }

    public init(named name: UNNotificationSoundName) {
        super.init()
    }

    public class func ringtoneSoundNamed(_ name: UNNotificationSoundName) -> UNNotificationSound {
        UNNotificationSound(named: name)
    }

    public class func defaultCriticalSound(withAudioVolume volume: Float) -> UNNotificationSound {
        .defaultCritical
    }

    public class func criticalSoundNamed(_ name: UNNotificationSoundName) -> UNNotificationSound {
        UNNotificationSound(named: name)
    }

    public class func criticalSoundNamed(
        _ name: UNNotificationSoundName, withAudioVolume volume: Float
    ) -> UNNotificationSound {
        UNNotificationSound(named: name)
    }
}

/// The file of a sound.
public struct UNNotificationSoundName: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }
}
