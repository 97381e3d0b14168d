// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The times at which an observer is called, and its arguments.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    public static let new = Self(rawValue: 1 << 0)
    public static let old = Self(rawValue: 1 << 1)
    /// The observer is also called immediately.
    public static let initial = Self(rawValue: 1 << 2)
    /// Ignored: a change is noticed afterwards.
    public static let prior = Self(rawValue: 1 << 3)
}

/// The kinds of changes; observers are only notified of `setting`.
public enum NSKeyValueChange: UInt, Sendable {
    case setting = 1
    case insertion, removal, replacement
}

/// A change of a property.
public struct NSKeyValueObservedChange<Value> {
    public typealias Kind = NSKeyValueChange

    public let kind: Kind
    /// nil without the option `new`.
    public let newValue: Value?
    /// nil without the option `old`.
    public let oldValue: Value?
    /// Always nil.
    public var indexes: IndexSet? { nil }
    /// Always false.
    public var isPrior: Bool { false }
}

extension NSKeyValueObservedChange: Sendable where Value: Sendable {}

/// Observes until it is invalidated or released.
public final class NSKeyValueObservation: NSObject, Sendable {
    private let watch: KeyValueWatch

    init(_ watch: KeyValueWatch) {
        self.watch = watch
    }

    deinit {
        watch.end()
    }

    /// Ends the observation; another thread may be calling the handler at this moment.
    public func invalidate() {
        watch.end()
    }
}

/// An object whose properties can be observed: progress, operations, operation queues, user
/// defaults, tasks of URL sessions.
///
/// The progress of a background task and of a task of a background session notifies observers at
/// once, on the thread that changes it. Everything else is polled 20 times a second, on a separate
/// queue: changes in between count as one, and a subclass needs a lock for the state it adds.
/// Operations, progress and tasks are retained until they have ended.
public protocol KeyValueObservable: AnyObject, SendableMetatype {}

extension KeyValueObservable {
    /// Calls `changeHandler` after the value has changed.
    @preconcurrency
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping @Sendable (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        let watch = KeyValueWatch(
            self,
            read: { object in (object as? Self)?[keyPath: keyPath] },
            tell: { object, old, new in
                guard let object = object as? Self else { return }
                changeHandler(
                    object,
                    NSKeyValueObservedChange(
                        kind: .setting, newValue: options.contains(.new) ? new as? Value : nil,
                        oldValue: options.contains(.old) ? old as? Value : nil))
            })
        if options.contains(.initial) {
            changeHandler(
                self,
                NSKeyValueObservedChange(
                    kind: .setting,
                    newValue: options.contains(.new) ? self[keyPath: keyPath] : nil, oldValue: nil))
        }
        watch.begin()
        return NSKeyValueObservation(watch)
    }
}

extension Progress: KeyValueObservable {}
extension Operation: KeyValueObservable {}
extension OperationQueue: KeyValueObservable {}
extension UserDefaults: KeyValueObservable {}
