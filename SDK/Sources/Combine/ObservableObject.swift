// SPDX-License-Identifier: Apache-2.0

/// An object that notifies subscribers before it changes.
public protocol ObservableObject: AnyObject {
    associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
    where ObjectWillChangePublisher.Failure == Never

    /// Sends before a published property changes.
    var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
    public var objectWillChange: ObservableObjectPublisher {
        ObjectPublishers.publisher(of: self)
    }
}

/// Reports that an object is about to change.
public final class ObservableObjectPublisher: Publisher, Sendable {
    public typealias Output = Void
    public typealias Failure = Never

    private let subject = PassthroughSubject<Void, Never>()

    public init() {}

    public func send() {
        subject.send()
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
        subject.receive(subscriber: subscriber)
    }
}

/// The publishers of objects that do not define one.
enum ObjectPublishers {
    private struct Entry {
        weak var object: AnyObject?
        let publisher: ObservableObjectPublisher
    }

    private struct Table {
        var entries: [ObjectIdentifier: Entry] = [:]
        /// At this size, the entries of released objects are removed.
        var limit = 64
    }

    private static let table = Guarded(Table())

    static func publisher(of object: AnyObject) -> ObservableObjectPublisher {
        table.withLock { table in
            let key = ObjectIdentifier(object)
            if let known = table.entries[key], known.object === object { return known.publisher }
            if table.entries.count >= table.limit {
                table.entries = table.entries.filter { $0.value.object != nil }
                table.limit = 64 + 2 * table.entries.count
            }
            let publisher = ObservableObjectPublisher()
            table.entries[key] = Entry(object: object, publisher: publisher)
            return publisher
        }
    }
}

/// A property that publishes changes before they are made.
@propertyWrapper
public struct Published<Value> {
    fileprivate final class Storage: Sendable {
        let value: Guarded<Value>
        let changes = PassthroughSubject<Value, Never>()
        let assignments = Guarded(Set<AnyCancellable>())

        init(_ value: Value) {
            self.value = Guarded(value)
        }

        func set(_ value: Value) {
            changes.send(value)
            self.value.withLock { $0 = value }
        }
    }

    /// Sends the value to every new subscriber, and each change.
    public struct Publisher: Combine.Publisher {
        public typealias Output = Value
        public typealias Failure = Never

        fileprivate let storage: Storage

        public func receive<S: Subscriber>(
            subscriber: S
        ) where S.Input == Value, S.Failure == Never {
            AnyPublisher<Value, Never> { downstream in
                downstream.send(storage.value.withLock { $0 })
                storage.changes.attach(to: downstream, downstream.send) { _ in }
            }
            .receive(subscriber: subscriber)
        }

        func assign(from other: some Combine.Publisher<Value, Never>) {
            let assignment = other.sink { [weak storage] in storage?.set($0) }
            storage.assignments.withLock { _ = $0.insert(assignment) }
        }
    }

    private let storage: Storage

    public init(wrappedValue: Value) {
        storage = Storage(wrappedValue)
    }

    public init(initialValue: Value) {
        storage = Storage(initialValue)
    }

    /// The value; in an `ObservableObject` the form below is used.
    public var wrappedValue: Value {
        get { storage.value.withLock { $0 } }
        nonmutating set { storage.set(newValue) }
    }

    public var projectedValue: Publisher {
        get { Publisher(storage: storage) }
        set { _ = newValue }
    }

    /// The value in its object, which notifies subscribers before the value changes.
    public static subscript<Object: AnyObject>(
        _enclosingInstance object: Object,
        wrapped wrapped: ReferenceWritableKeyPath<Object, Value>,
        storage storage: ReferenceWritableKeyPath<Object, Published<Value>>
    ) -> Value {
        get { object[keyPath: storage].storage.value.withLock { $0 } }
        set {
            if let object = object as? any ObservableObject {
                (object.objectWillChange as? ObservableObjectPublisher)?.send()
            }
            object[keyPath: storage].storage.set(newValue)
        }
    }
}
