//: task com.example.cache.trim processing
//: run
//: ends com.example.cache.trim completed
//: says Trimmed to 10 entries

import BackgroundTasks
import UIKit
import os
import os.lock

final class ThreadSafeCache: @unchecked Sendable {
    private var lock = os_unfair_lock()
    private var storage: [Int: String] = [:]

    func set(_ value: String, for key: Int) {
        os_unfair_lock_lock(&lock)
        defer { os_unfair_lock_unlock(&lock) }
        storage[key] = value
    }

    func trim(to count: Int) -> Int {
        os_unfair_lock_lock(&lock)
        for key in storage.keys.sorted().dropFirst(count) { storage[key] = nil }
        let result = storage.count
        os_unfair_lock_unlock(&lock)
        return result
    }
}

final class UnfairLock {
    private let pointer: UnsafeMutablePointer<os_unfair_lock_s>

    init() {
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: os_unfair_lock_s())
    }

    deinit {
        pointer.deinitialize(count: 1)
        pointer.deallocate()
    }

    func withLock<T>(_ body: () throws -> T) rethrows -> T {
        os_unfair_lock_lock(pointer)
        defer { os_unfair_lock_unlock(pointer) }
        return try body()
    }

    func tryLock() -> Bool { os_unfair_lock_trylock(pointer) }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    let cache = ThreadSafeCache()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let cache = self.cache
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.cache.trim",
            using: DispatchQueue.global(qos: .utility)
        ) { task in
            DispatchQueue.concurrentPerform(iterations: 50) { cache.set("value \($0)", for: $0) }
            let left = UnfairLock().withLock { cache.trim(to: 10) }
            print("Trimmed to \(left) entries")
            task.setTaskCompleted(success: true)
        }
        return true
    }
}
