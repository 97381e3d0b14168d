// SPDX-License-Identifier: Apache-2.0

extension Scene {
    /// Calls `action` with the value before and the new one, after the body of the app was asked
    /// for again and `value` has changed; with `initial`, also when the app is launched.
    public func onChange<Value: Equatable>(
        of value: Value, initial: Bool = false,
        _ action: @escaping (_ oldValue: Value, _ newValue: Value) -> Void
    ) -> some Scene {
        ChangeScene(content: self, value: value, initial: initial, action: action)
    }

    /// Calls `action` when `value` has changed; with `initial`, also when the app is launched.
    public func onChange<Value: Equatable>(
        of value: Value, initial: Bool = false, _ action: @escaping () -> Void
    ) -> some Scene {
        ChangeScene(content: self, value: value, initial: initial) { _, _ in action() }
    }

    /// Calls `action` with the new value when it has changed. The form of iOS 14 to 16.
    public func onChange<Value: Equatable>(
        of value: Value, perform action: @escaping (_ newValue: Value) -> Void
    ) -> some Scene {
        ChangeScene(content: self, value: value, initial: false) { _, new in action(new) }
    }
}

/// A value that is compared whenever the body of the app is asked for, and what to do then.
@MainActor
struct WatchedValue {
    let value: Any
    /// Calls the action when the value differs from the one before, given unless this is the first
    /// time.
    let compare: (_ before: Any?) -> Void
}

/// The values of an app's body as they were when it was asked for last.
@MainActor
final class Changes {
    private var values: [Any] = []

    init(_ contents: SceneContents) {
        update(contents)
    }

    /// Compares each value with the one that stood in its place before.
    func update(_ contents: SceneContents) {
        let before = values
        values = contents.changes.map(\.value)
        for (place, change) in contents.changes.enumerated() {
            change.compare(place < before.count ? before[place] : nil)
        }
    }
}

private struct ChangeScene<Content: Scene, Value: Equatable>: PrimitiveScene {
    let content: Content
    let value: Value
    let initial: Bool
    let action: (Value, Value) -> Void

    func collect(into contents: inout SceneContents) {
        contents.add(content)
        contents.changes.append(
            WatchedValue(value: value) { before in
                guard let before = before as? Value else {
                    if initial { action(value, value) }
                    return
                }
                if before != value { action(before, value) }
            })
    }
}
