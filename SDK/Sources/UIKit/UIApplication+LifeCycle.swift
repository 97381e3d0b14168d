// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation

extension UIApplication {
    /// Launches the app: observes attempts, takes pushes for the delegate, and tells it.
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

    /// Lets the blocks and tasks run that the app has begun on entering the background, up to their
    /// first suspension. What takes longer needs `beginBackgroundTask`, as on iOS.
    private func runBegunWork() async {
        await Task.detached(priority: .background) {}.value
        await Task.yield()
    }

    /// A person leaves the app.
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

    /// A person opens the app.
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

/// Where the app's life happens.
enum MainThread {
    /// Runs `body` on the main thread and returns when it has.
    static func run(_ body: @MainActor @Sendable () -> Void) {
        guard !Thread.isMainThread else { return MainActor.assumeIsolated(body) }
        let runtime = PluginRuntime.current
        DispatchQueue.main.sync {
            runtime.withCurrent { MainActor.assumeIsolated(body) }
        }
    }
}
