// SPDX-License-Identifier: Apache-2.0

import CBGRunEntry
import CBGRunPlugin
import Synchronization

extension PluginRuntime {
    /// The name of the one handler registered with the host; the identifier selects the plugin's
    /// handler.
    static let handlerName = "default"

    /// Connects this runtime with a host, and makes `registration` register handlers. The
    /// implementation of `bgrun_plugin.init`; call it once.
    ///
    /// The host, and this runtime, must live as long as the host launches attempts.
    /// - Returns: a `BGRUN_...` status.
    public func attach(
        _ host: UnsafePointer<bgrun_host>, registration: () -> Void
    ) -> Int32 {
        let table = HostTable(host)
        let device = table.readDevice(in: nil)
        state.withLock { state in
            state.host = table
            state.device = device
        }
        _ = table.process?.pointee.observe_device?(
            host, Unmanaged.passUnretained(self).toOpaque()
        ) { context in
            guard let context else { return }
            Unmanaged<PluginRuntime>.fromOpaque(context).takeUnretainedValue().deviceChanged()
        }
        withCurrent(registration)
        tellRegistrations()
        state.withLock { $0.phase = .registered }
        return Self.handlerName.withCString { name in
            var handler = bgrun_handler()
            handler.struct_size = UInt32(MemoryLayout<bgrun_handler>.size)
            handler.name = name
            handler.user_data = Unmanaged.passUnretained(self).toOpaque()
            handler.launch = { context, task, launch in
                guard let context, let launch else { return }
                Unmanaged<PluginRuntime>.fromOpaque(context).takeUnretainedValue()
                    .launch(task, launch.pointee)
            }
            handler.expire = { context, task, expiration in
                guard let context, let expiration else { return }
                Unmanaged<PluginRuntime>.fromOpaque(context).takeUnretainedValue()
                    .expire(task, PluginExpiration(expiration.pointee))
            }
            return host.pointee.register_handler(host, &handler)
        }
    }

    /// Runs one attempt and returns when it is over. Serves the main queue meanwhile.
    private func launch(_ handle: OpaquePointer?, _ launch: bgrun_launch) {
        guard let host = state.withLock({ $0.host }) else { return }
        let task = PluginTask(host: host, handle: handle, launch: launch)
        state.withLock { state in
            state.task = task
            state.expire = nil
            state.device = task.readDevice()
        }
        submitHeldRequests(in: task)
        // Another process of the app may have changed the values.
        bgrun_synchronize_defaults()
        for observer in observers { withCurrent { observer.willLaunch(task) } }
        start(task)
        MainQueue.serve(until: task)
        state.withLock { $0.expire = nil }
        for observer in observers { withCurrent { observer.didEnd(task) } }
        bgrun_synchronize_defaults()
    }

    private func start(_ task: PluginTask) {
        guard let handler = handler(for: task) else {
            let known = registeredIdentifiers.joined(separator: ", ")
            return refuse(
                task,
                "No launch handler registered for task with identifier "
                    + "\(task.identifier); the plugin registers: \(known.isEmpty ? "none" : known)"
                    + (task.kind == .continued ? Self.dynamicRemedy : ""))
        }
        guard task.kind != nil || task.isVisit else {
            // Handlers cast to the class of the kind that they expect.
            return refuse(
                task, "its kind is one this plugin's SDK does not know; build it with a newer one")
        }
        guard takeEarlyExpiration(of: task) == nil else {
            return refuse(task, "its time was revoked before it could start")
        }
        let expire = withCurrent { handler.launch(task) }
        if let early = takeEarlyExpiration(of: task, orElse: expire) {
            withCurrent { expire(early) }
        }
    }

    private static let dynamicRemedy =
        "; one that is registered when a person acts runs in the process that registered it: register "
        + "at launch, or register and submit again"

    /// Called on a thread of the host when the device changes while an attempt runs.
    private func deviceChanged() {
        guard let task = currentTask else { return }
        let device = task.readDevice()
        guard device != PluginDevice() else { return }
        state.withLock { $0.device = device }
        for observer in observers { withCurrent { observer.deviceDidChange() } }
    }

    /// Ends an attempt without launching its handler.
    private func refuse(_ task: PluginTask, _ message: String) {
        task.complete(success: false, message: message)
        task.handlerReturned.send()
    }

    /// The expiration that has already arrived; without one, the next one calls `expire`.
    private func takeEarlyExpiration(
        of task: PluginTask, orElse expire: (@Sendable (PluginExpiration) -> Void)? = nil
    ) -> PluginExpiration? {
        state.withLock { state in
            defer { state.early = nil }
            if let early = state.early, OpaquePointer(bitPattern: early.handle) == task.handle {
                return early.expiration
            }
            state.expire = expire
            return nil
        }
    }

    /// Called on a thread of the host, at any moment of an attempt.
    private func expire(_ handle: OpaquePointer?, _ expiration: PluginExpiration) {
        for observer in observers { withCurrent { observer.willExpire(expiration) } }
        let expire = state.withLock { state -> (@Sendable (PluginExpiration) -> Void)? in
            guard state.task?.handle == handle, let expire = state.expire else {
                state.early = (UInt(bitPattern: handle), expiration)
                return nil
            }
            state.expire = nil
            return expire
        }
        if let expire { withCurrent { expire(expiration) } }
    }
}
