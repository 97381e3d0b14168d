// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Dispatch
import Foundation

/// An object that is retained while it is observed, until it has ended: its owner may release it
/// before the end is noticed.
package protocol ObservedToEnd: AnyObject {
    var hasEnded: Bool { get }
}

extension Operation: ObservedToEnd {
    package var hasEnded: Bool { isFinished }
}

extension Progress: ObservedToEnd {
    package var hasEnded: Bool { isFinished || isCancelled }
}

/// Polls one property of an object, and reports its changes one after the other.
///
/// `@unchecked Sendable`: `state` is read and changed under `lock`, the weak reference is never set
/// again, and `read` and `tell` are called by one thread at a time, which has set `isLooking`.
final class KeyValueWatch: @unchecked Sendable {
    private struct State {
        var last: Any?
        /// Not nil until the object has ended.
        var held: (any ObservedToEnd)?
        var isOver = false
        /// A thread is comparing the values, or calls the observer.
        var isLooking = false
        /// The object may have changed since that thread compared the values.
        var looksAgain = false
    }

    private weak var object: AnyObject?
    private let read: (AnyObject) -> Any?
    private let tell: (AnyObject, Any?, Any?) -> Void
    private let runtime = PluginRuntime.current
    private let lock = NSLock()
    private var state: State

    init(
        _ object: AnyObject, read: @escaping (AnyObject) -> Any?,
        tell: @escaping (AnyObject, Any?, Any?) -> Void
    ) {
        self.object = object
        self.read = read
        self.tell = tell
        state = State(last: read(object), held: object as? any ObservedToEnd)
    }

    var isOver: Bool { object == nil || lock.withLock { state.isOver } }

    func begin() {
        KeyValueWatches.shared.add(self)
    }

    func end() {
        let held = lock.withLock {
            defer { state.held = nil }
            state.isOver = true
            return state.held
        }
        withExtendedLifetime(held) {}
        KeyValueWatches.shared.removeEnded()
    }

    func concerns(_ other: AnyObject) -> Bool { object === other }

    /// Notifies the observer if the value has changed.
    func look() {
        let isMine = lock.withLock {
            guard !state.isOver else { return false }
            defer { state.isLooking = true }
            state.looksAgain = state.isLooking
            return !state.isLooking
        }
        guard isMine else { return }
        while let object {
            let hasEnded = (object as? any ObservedToEnd)?.hasEnded ?? false
            let new = read(object)
            let (old, isOver) = lock.withLock {
                defer { state.last = new }
                return (state.last, state.isOver)
            }
            if isOver { return }
            if !Self.areEqual(old, new) { runtime.withCurrent { tell(object, old, new) } }
            let continues = lock.withLock {
                defer { state.looksAgain = false }
                state.isLooking = state.looksAgain
                if hasEnded { state.held = nil }
                return state.looksAgain
            }
            guard continues else { return }
        }
    }

    private static func areEqual(_ left: Any?, _ right: Any?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        if let left = left as? any Equatable { return isEqual(left, right) }
        return "\(left)" == "\(right)"
    }

    private static func isEqual<Value: Equatable>(_ left: Value, _ right: Any) -> Bool {
        left == right as? Value
    }
}

/// Every watch of the process.
///
/// `@unchecked Sendable`: mutable state is read and changed under `lock`.
final class KeyValueWatches: @unchecked Sendable {
    static let shared = KeyValueWatches()

    private static let pause = DispatchTimeInterval.milliseconds(50)

    private let lock = NSLock()
    private var watches: [KeyValueWatch] = []
    private var timer: (any DispatchSourceTimer)?

    func add(_ watch: KeyValueWatch) {
        lock.withLock {
            watches.append(watch)
            guard timer == nil else { return }
            let timer = DispatchSource.makeTimerSource(
                queue: DispatchQueue(label: "observed values"))
            timer.schedule(deadline: .now() + Self.pause, repeating: Self.pause)
            timer.setEventHandler { [self] in
                removeEnded()
                for watch in lock.withLock({ watches }) { watch.look() }
            }
            timer.activate()
            self.timer = timer
        }
    }

    /// The timer runs while something is observed.
    func removeEnded() {
        // Objects and observers are released outside the lock: they may own an observation.
        let ended = lock.withLock { watches }.filter(\.isOver)
        guard !ended.isEmpty else { return }
        lock.withLock {
            watches.removeAll { watch in ended.contains { $0 === watch } }
            if watches.isEmpty {
                timer?.cancel()
                timer = nil
            }
        }
    }

    func changed(_ object: AnyObject) {
        for watch in lock.withLock({ watches }) where watch.concerns(object) { watch.look() }
    }
}

/// A progress that notifies its observers of its own changes at once.
///
/// `@unchecked Sendable`, as Foundation's class, which locks; it adds no state.
package final class ObservedProgress: Progress, @unchecked Sendable {
    package override var completedUnitCount: Int64 {
        didSet { tellObservers() }
    }

    package override var totalUnitCount: Int64 {
        didSet { tellObservers() }
    }

    package override func cancel() {
        super.cancel()
        tellObservers()
    }

    package override func pause() {
        super.pause()
        tellObservers()
    }
}

extension Progress {
    /// For subclasses, which detect their changes.
    package func tellObservers() {
        KeyValueWatches.shared.changed(self)
    }
}
