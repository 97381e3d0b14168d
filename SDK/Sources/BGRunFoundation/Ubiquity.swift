// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

// iCloud behaves as on a device that is not signed in.

extension FileManager {
    /// Always nil.
    public var ubiquityIdentityToken: (any NSCoding & NSCopying & NSObjectProtocol)? { nil }

    /// Always nil.
    public func url(forUbiquityContainerIdentifier containerIdentifier: String?) -> URL? { nil }

    /// Always false.
    public func isUbiquitousItem(at url: URL) -> Bool { false }
}

/// Keeps values until the process ends; they reach no other device and no other launch.
///
/// `@unchecked Sendable`: the values are read and changed under the lock; stored objects must not
/// be changed, as with Apple's class.
open class NSUbiquitousKeyValueStore: NSObject, @unchecked Sendable {
    /// Never posted.
    public static let didChangeExternallyNotification = Notification.Name(
        "NSUbiquitousKeyValueStoreDidChangeExternallyNotification")

    private static let shared = NSUbiquitousKeyValueStore()
    open class var `default`: NSUbiquitousKeyValueStore { shared }

    private let lock = NSLock()
    private var values: [String: Any] = [:]

    open func object(forKey key: String) -> Any? { lock.withLock { values[key] } }

    /// Numbers are stored as NSNumber, as by Apple: they can be read as a number of any type.
    open func set(_ object: Any?, forKey key: String) {
        let stored: Any? =
            switch object {
            case let value as Bool: NSNumber(value: value)
            case let value as Int: NSNumber(value: value)
            case let value as Double: NSNumber(value: value)
            default: object
            }
        lock.withLock { values[key] = stored }
    }
    open func set(_ value: Bool, forKey key: String) { set(NSNumber(value: value), forKey: key) }
    open func set(_ value: Int64, forKey key: String) { set(NSNumber(value: value), forKey: key) }
    open func set(_ value: Double, forKey key: String) { set(NSNumber(value: value), forKey: key) }

    open func removeObject(forKey key: String) { set(nil, forKey: key) }

    open func string(forKey key: String) -> String? { object(forKey: key) as? String }
    open func data(forKey key: String) -> Data? { object(forKey: key) as? Data }
    open func array(forKey key: String) -> [Any]? { object(forKey: key) as? [Any] }
    open func dictionary(forKey key: String) -> [String: Any]? {
        object(forKey: key) as? [String: Any]
    }
    open func bool(forKey key: String) -> Bool { number(key)?.boolValue ?? false }
    open func longLong(forKey key: String) -> Int64 { number(key)?.int64Value ?? 0 }
    open func double(forKey key: String) -> Double { number(key)?.doubleValue ?? 0 }

    private func number(_ key: String) -> NSNumber? { object(forKey: key) as? NSNumber }

    open var dictionaryRepresentation: [String: Any] { lock.withLock { values } }

    /// Always true: the values are in memory.
    @discardableResult
    open func synchronize() -> Bool { true }
}
