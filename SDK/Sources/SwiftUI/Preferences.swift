// SPDX-License-Identifier: Apache-2.0

// Values for enclosing views. No view is drawn, and therefore no value is passed.

/// A value that views pass to enclosing views.
public protocol PreferenceKey {
    associatedtype Value
    static var defaultValue: Value { get }
    static func reduce(value: inout Value, nextValue: () -> Value)
}

extension PreferenceKey where Value: ExpressibleByNilLiteral {
    public static var defaultValue: Value { nil }
}

extension View {
    public func preference<Key: PreferenceKey>(
        key: Key.Type = Key.self, value: Key.Value
    ) -> some View { self }
    public func transformPreference<Key: PreferenceKey>(
        _ key: Key.Type = Key.self, _ callback: @escaping (inout Key.Value) -> Void
    ) -> some View { self }
    /// `action` is never called.
    public func onPreferenceChange<Key: PreferenceKey>(
        _ key: Key.Type = Key.self, perform action: @escaping @Sendable (Key.Value) -> Void
    ) -> some View where Key.Value: Equatable { self }
    public func previewDevice(_ value: PreviewDevice?) -> some View { self }
}

/// The device of a preview.
public struct PreviewDevice: RawRepresentable, ExpressibleByStringLiteral, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public init(stringLiteral: String) {
        rawValue = stringLiteral
    }
}
