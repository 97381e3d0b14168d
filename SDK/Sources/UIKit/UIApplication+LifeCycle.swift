// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation

extension UIApplication {
    /// Launches the app: observes attempts, directs pushes to the delegate, and notifies it.
    package func launch() {
        runtime.registerForVisits(
            PluginHandler { task in
                Task { @MainActor in
                    self.enterForeground()
                    self.enterBackground()
                    await self.runBegunWork()
                    task.complete(success: true)
                    task.handlerReturned.send()
                }
                return { _ in }
            })
        if let delegate {
            registerForPushes()
            _ = delegate.application(self, willFinishLaunchingWithOptions: nil)
            _ = delegate.application(self, didFinishLaunchingWithOptions: nil)
            registerForFetches()
            observeScene()
        }
        observeShutdown()
        registerForSessions()
        post(Self.didFinishLaunchingNotification)
    }

    /// Runs the blocks and tasks that the app has started on entering the background, up to their
    /// first suspension. Longer work needs `beginBackgroundTask`, as on iOS.
    private func runBegunWork() async {
        await Task.detached(priority: .background) {}.value
        await Task.yield()
    }

    /// The user leaves the app.
    package func enterBackground() {
        if applicationState == .active {
            applicationState = .inactive
            delegate?.applicationWillResignActive(self)
            post(Self.willResignActiveNotification)
            tellObservers()
        }
        applicationState = .background
        delegate?.applicationDidEnterBackground(self)
        post(Self.didEnterBackgroundNotification)
        tellObservers()
    }

    /// The user opens the app.
    package func enterForeground() {
        guard applicationState != .active else { return }
        applicationState = .inactive
        delegate?.applicationWillEnterForeground(self)
        post(Self.willEnterForegroundNotification)
        tellObservers()
        applicationState = .active
        delegate?.applicationDidBecomeActive(self)
        post(Self.didBecomeActiveNotification)
        tellObservers()
    }

    private func tellObservers() {
        for observer in stateObservers { observer(applicationState) }
    }

    func post(_ name: NSNotification.Name) {
        NotificationCenter.default.post(name: name, object: self)
    }
}

/// The thread of the app's life cycle.
enum MainThread {
    /// Runs `body` on the main thread and returns after that.
    static func run(_ body: @MainActor @Sendable () -> Void) {
        guard !Thread.isMainThread else { return MainActor.assumeIsolated(body) }
        let runtime = PluginRuntime.current
        DispatchQueue.main.sync {
            runtime.withCurrent { MainActor.assumeIsolated(body) }
        }
    }
}
