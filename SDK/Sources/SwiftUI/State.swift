// SPDX-License-Identifier: Apache-2.0

public import Combine
public import Foundation
public import Observation

/// A value that a view or an app owns. A change redraws nothing.
@propertyWrapper
public struct State<Value> {
    private final class Storage {
        var value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    private let storage: Storage

    public init(wrappedValue: Value) {
        storage = Storage(wrappedValue)
    }

    public init(initialValue: Value) {
        storage = Storage(initialValue)
    }

    public var wrappedValue: Value {
        get { storage.value }
        nonmutating set { storage.value = newValue }
    }

    public var projectedValue: Binding<Value> {
        let storage = storage
        return Binding(get: { storage.value }, set: { storage.value = $0 })
    }
}

// In an extension: in the type, the compiler would use it for every `@State` without a value, even
// for one that the initializer of the view or app sets.
extension State where Value: ExpressibleByNilLiteral {
    public init() {
        self.init(initialValue: nil)
    }
}

/// A binding to a value that another object owns.
@propertyWrapper @dynamicMemberLookup
public struct Binding<Value> {
    private let get: () -> Value
    private let set: (Value) -> Void

    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
        self.get = get
        self.set = set
    }

    /// For a closure with a parameter such as `$item`.
    public init(projectedValue: Binding<Value>) {
        self = projectedValue
    }

    public static func constant(_ value: Value) -> Binding<Value> {
        Binding(get: { value }, set: { _ in })
    }

    /// The binding of the value; nil without a value.
    public init?(_ base: Binding<Value?>) {
        guard let first = base.wrappedValue else { return nil }
        self.init(get: { base.wrappedValue ?? first }, set: { base.wrappedValue = $0 })
    }

    public var wrappedValue: Value {
        get { get() }
        nonmutating set { set(newValue) }
    }

    public var projectedValue: Binding<Value> { self }

    /// The binding itself: changes are not animated.
    public func animation(_ animation: Animation? = .default) -> Binding<Value> { self }
    public func transaction(_ transaction: Transaction) -> Binding<Value> { self }

    public subscript<Member>(
        dynamicMember keyPath: WritableKeyPath<Value, Member>
    ) -> Binding<Member> {
        Binding<Member>(
            get: { wrappedValue[keyPath: keyPath] },
            set: { new in
                var value = wrappedValue
                value[keyPath: keyPath] = new
                wrappedValue = value
            })
    }
}

/// An object that a view or an app owns; created at its first use.
@propertyWrapper
public struct StateObject<ObjectType: ObservableObject> {
    private final class Storage {
        let make: () -> ObjectType
        lazy var object = make()

        init(_ make: @escaping () -> ObjectType) {
            self.make = make
        }
    }

    private let storage: Storage

    public init(wrappedValue thunk: @autoclosure @escaping () -> ObjectType) {
        storage = Storage(thunk)
    }

    @MainActor @preconcurrency public var wrappedValue: ObjectType { storage.object }

    @MainActor @preconcurrency public var projectedValue: ObservedObject<ObjectType>.Wrapper {
        ObservedObject.Wrapper(object: wrappedValue)
    }
}

/// An object that is passed to a view.
@propertyWrapper
public struct ObservedObject<ObjectType: ObservableObject> {
    /// Bindings to the properties of an object.
    @dynamicMemberLookup
    public struct Wrapper {
        let object: ObjectType

        public subscript<Member>(
            dynamicMember keyPath: ReferenceWritableKeyPath<ObjectType, Member>
        ) -> Binding<Member> {
            Binding(get: { object[keyPath: keyPath] }, set: { object[keyPath: keyPath] = $0 })
        }
    }

    @MainActor @preconcurrency public var wrappedValue: ObjectType { object }
    private let object: ObjectType

    public init(wrappedValue: ObjectType) {
        object = wrappedValue
    }

    @MainActor @preconcurrency public var projectedValue: Wrapper { Wrapper(object: wrappedValue) }
}

/// An object from the environment. It is never set, because no view is drawn.
@propertyWrapper
public struct EnvironmentObject<ObjectType: ObservableObject> {
    public init() {}

    @MainActor @preconcurrency public var wrappedValue: ObjectType {
        fatalError("\(ObjectType.self) is missing in the environment: bgrun draws no views.")
    }

    @MainActor @preconcurrency public var projectedValue: ObservedObject<ObjectType>.Wrapper {
        ObservedObject.Wrapper(object: wrappedValue)
    }
}

/// Bindings to the properties of an observable object.
@propertyWrapper @dynamicMemberLookup
public struct Bindable<Value> {
    public let wrappedValue: Value

    public init(wrappedValue: Value) where Value: AnyObject & Observable {
        self.wrappedValue = wrappedValue
    }

    public init(_ wrappedValue: Value) where Value: AnyObject & Observable {
        self.wrappedValue = wrappedValue
    }

    public var projectedValue: Bindable<Value> { self }

    public subscript<Member>(
        dynamicMember keyPath: ReferenceWritableKeyPath<Value, Member>
    ) -> Binding<Member> {
        let object = wrappedValue
        return Binding(
            get: { object[keyPath: keyPath] }, set: { object[keyPath: keyPath] = $0 })
    }
}

/// The focused view: always none.
@propertyWrapper
public struct FocusState<Value: Hashable> {
    /// The focus state of a view.
    public struct Binding {
        public let wrappedValue: Value
    }

    private let none: Value

    public init() where Value == Bool {
        none = false
    }

    public init<T: Hashable>() where Value == T? {
        none = nil
    }

    public var wrappedValue: Value {
        get { none }
        nonmutating set { _ = newValue }
    }

    public var projectedValue: Binding { Binding(wrappedValue: none) }
}

extension View {
    public func focused(_ condition: FocusState<Bool>.Binding) -> some View { self }
    public func focused<Value: Hashable>(
        _ binding: FocusState<Value>.Binding, equals value: Value
    ) -> some View { self }
}

/// A value in the user's defaults.
@propertyWrapper
public struct AppStorage<Value> {
    private let read: () -> Value
    private let write: (Value) -> Void

    private init(_ key: String, _ store: UserDefaults?, _ initial: Value) {
        let store = store ?? .standard
        read = { store.object(forKey: key) as? Value ?? initial }
        write = { store.set($0, forKey: key) }
    }

    public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil)
    where Value == Bool { self.init(key, store, wrappedValue) }
    public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil)
    where Value == Int { self.init(key, store, wrappedValue) }
    public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil)
    where Value == Double { self.init(key, store, wrappedValue) }
    public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil)
    where Value == String { self.init(key, store, wrappedValue) }
    public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil)
    where Value == Data { self.init(key, store, wrappedValue) }
    public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil)
    where Value == URL { self.init(key, store, wrappedValue) }

    public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil)
    where Value: RawRepresentable, Value.RawValue == String {
        let store = store ?? .standard
        read = { store.string(forKey: key).flatMap(Value.init) ?? wrappedValue }
        write = { store.set($0.rawValue, forKey: key) }
    }

    public init(_ key: String, store: UserDefaults? = nil) where Value == String? {
        let store = store ?? .standard
        read = { store.string(forKey: key) }
        write = { store.set($0, forKey: key) }
    }

    public init(_ key: String, store: UserDefaults? = nil) where Value == Data? {
        let store = store ?? .standard
        read = { store.data(forKey: key) }
        write = { store.set($0, forKey: key) }
    }

    public var wrappedValue: Value {
        get { read() }
        nonmutating set { write(newValue) }
    }

    public var projectedValue: Binding<Value> { Binding(get: read, set: write) }
}
