// SPDX-License-Identifier: Apache-2.0

import CBGRunPlugin
import Synchronization

extension PluginRuntime {
    /// Registers the handler of an identifier, or of every identifier of a pattern that ends in
    /// `.*`. The first handler of an identifier stays. Only tasks of kind `continued` can be
    /// registered after `main` has returned. Thread-safe.
    /// - Parameter kind: the kind of the tasks the handler is written for; nil: unspecified.
    public func register(
        _ identifier: String, kind: PluginTask.Kind? = nil, _ handler: PluginHandler
    ) -> PluginRegistration {
        let host = state.withLock { $0.host }
        let declaration = host?.declaration(of: identifier)
        guard declaration != .undeclared else { return .undeclared }
        let (registration, isLate) = state.withLock { state in
            let isLate = state.phase == .registered
            guard !isLate || declaration == .task(.continued) else {
                return (PluginRegistration.late, isLate)
            }
            guard state.handlers[identifier] == nil else { return (.alreadyRegistered, isLate) }
            state.handlers[identifier] = handler
            state.expectedKinds[identifier] = kind
            return (.registered, isLate)
        }
        // Handlers registered during the launch are reported at its end, with the requests
        // submitted by then.
        if isLate, registration == .registered { host?.tell(identifier, kind: .continued) }
        return registration
    }

    /// Registers the handler that runs after the user has used the app and left it. Its task has no
    /// kind, and has the app's identifier.
    package func registerForVisits(_ handler: PluginHandler) {
        state.withLock { $0.visitHandler = handler }
    }

    /// Whether the plugin is an app that receives visits.
    var followsApp: Bool { state.withLock { $0.visitHandler != nil } }

    /// Registers the handler of all tasks of a kind whose identifier has no handler, such as a push.
    public func register(_ kind: PluginTask.Kind, _ handler: PluginHandler) -> PluginRegistration {
        state.withLock { state in
            guard state.phase == .registering else { return .late }
            guard state.kindHandlers[kind] == nil else { return .alreadyRegistered }
            state.kindHandlers[kind] = handler
            return .registered
        }
    }

    /// The identifiers and patterns with a handler, sorted.
    public var registeredIdentifiers: [String] {
        state.withLock { $0.handlers.keys.sorted() }
    }

    /// The handler of a task: that of its identifier, else that of the longest pattern, else that of
    /// its kind.
    func handler(for task: PluginTask) -> PluginHandler? {
        state.withLock { state in
            if task.isVisit { return state.visitHandler }
            let identifier = task.identifier
            if let handler = state.handlers[identifier] { return handler }
            let pattern = state.handlers.keys
                .filter { $0.hasSuffix(".*") && identifier.hasPrefix($0.dropLast()) }
                .max { $0.utf8.count < $1.utf8.count }
            if let pattern { return state.handlers[pattern] }
            return task.kind.flatMap { state.kindHandlers[$0] }
        }
    }
}
