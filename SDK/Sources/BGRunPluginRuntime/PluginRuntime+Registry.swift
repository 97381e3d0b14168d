// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension PluginRuntime {
    /// Registers what runs for an identifier, or for every identifier of a pattern that ends in
    /// `.*`. The first handler of an identifier stays. Only tasks of kind `continued` can be
    /// registered after `main` has returned. Any thread.
    public func register(_ identifier: String, _ handler: PluginHandler) -> PluginRegistration {
        let declaration = state.withLock { $0.host }?.declaration(of: identifier)
        guard declaration != .undeclared else { return .undeclared }
        return state.withLock { state in
            guard state.phase == .registering || declaration == .task(.continued) else {
                return .late
            }
            guard state.handlers[identifier] == nil else { return .alreadyRegistered }
            state.handlers[identifier] = handler
            return .registered
        }
    }

    /// Registers what runs for every task of a kind whose identifier has no handler, such as a push.
    public func register(_ kind: PluginTask.Kind, _ handler: PluginHandler) -> PluginRegistration {
        state.withLock { state in
            guard state.phase == .registering else { return .late }
            guard state.kindHandlers[kind] == nil else { return .alreadyRegistered }
            state.kindHandlers[kind] = handler
            return .registered
        }
    }

    /// The identifiers and patterns that have a handler, sorted.
    public var registeredIdentifiers: [String] {
        state.withLock { $0.handlers.keys.sorted() }
    }

    /// What runs for a task: the handler of its identifier, else that of the longest pattern, else
    /// that of its kind.
    func handler(for task: PluginTask) -> PluginHandler? {
        state.withLock { state in
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
