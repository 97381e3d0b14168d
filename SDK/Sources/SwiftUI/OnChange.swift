// SPDX-License-Identifier: Apache-2.0

extension Scene {
    /// Calls `action` with the previous value and the new one, after the body of the app was
    /// evaluated again and `value` has changed; with `initial`, also when the app is launched.
    public func onChange<Value: Equatable>(
        of value: Value, initial: Bool = false,
        _ action: @escaping (_ oldValue: Value, _ newValue: Value) -> Void
    ) -> some Scene {
        ChangeScene(content: self, value: value, initial: initial, action: action)
    }

    /// Calls `action` after `value` has changed; with `initial`, also when the app is launched.
    public func onChange<Value: Equatable>(
        of value: Value, initial: Bool = false, _ action: @escaping () -> Void
    ) -> some Scene {
        ChangeScene(content: self, value: value, initial: initial) { _, _ in action() }
    }

    /// Calls `action` with the new value after it has changed. The form of iOS 14 to 16.
    public func onChange<Value: Equatable>(
        of value: Value, perform action: @escaping (_ newValue: Value) -> Void
    ) -> some Scene {
        ChangeScene(content: self, value: value, initial: false) { _, new in action(new) }
    }
}

/// A value that is compared after each evaluation of the app's body, and its action.
@MainActor
struct WatchedValue {
    let value: Any
    /// Calls the action if the value differs from `before`, nil the first time.
    let compare: (_ before: Any?) -> Void
}

/// The values of an app's body at its last evaluation.
@MainActor
final class Changes {
    private var values: [Any] = []

    init(_ contents: SceneContents) {
        update(contents)
    }

    /// Compares each value with the previous one at the same position.
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
