// SPDX-License-Identifier: Apache-2.0

/// A task for which a plugin claims to have a handler; the claim is not trusted.
package struct Registration: Equatable, Sendable, WireRecord {
    /// An identifier, or a pattern that ends in `.*`; nil: every task of `kind` without another handler.
    package var identifier: String?
    /// The raw value of a task's kind; 0: unspecified.
    package var kind: UInt8
    /// The delay of the request that the plugin has submitted for it; nil without a request.
    package var delayNanoseconds: Int64?
    /// `BGRUN_REQUIRES_...` of that request.
    package var requires: UInt8

    package init(
        identifier: String?, kind: UInt8 = 0, delayNanoseconds: Int64? = nil, requires: UInt8 = 0
    ) {
        self.identifier = identifier
        self.kind = kind
        self.delayNanoseconds = delayNanoseconds
        self.requires = requires
    }

    /// Whether it is for a task, or for a pattern of tasks, as a manifest declares them.
    package func covers(_ task: String, kind: UInt8) -> Bool {
        guard let identifier else { return self.kind == kind }
        if identifier == task { return true }
        return identifier.hasSuffix(".*") && task.hasPrefix(identifier.dropLast())
    }

    package static let layout = Layout(Self.init) {
        ($0.identifier, $0.kind, $0.delayNanoseconds, $0.requires)
    }
}

extension WorkerMessage.Loaded {
    /// The handler for `handler: plugin` without a dot.
    package static let defaultHandler = "default"

    /// The maximum number of handlers of one plugin; further ones are ignored.
    package static let mostHandlers = 1_000
    /// The maximum number of registrations kept for one plugin.
    package static let mostRegistrations = 10_000

    /// Adds a registration made after the plugin's init; ignores those above the limit.
    package mutating func add(_ registration: Registration) {
        guard (registrations?.count ?? 0) < Self.mostRegistrations else { return }
        registrations = registrations ?? []
        registrations?.append(registration)
    }

    /// Whether the plugin has the handler of a task: the named handler, and for the default one a
    /// registration for the task, or for some of the tasks that a pattern matches.
    package func hasHandler(_ name: String, for task: String, kind: UInt8) -> Bool {
        !registered(name, for: task, kind: kind).isEmpty
    }

    /// The identifiers of a task for which the plugin has the handler: the task's own, or, for a
    /// pattern, those that were registered individually.
    package func registered(_ name: String, for task: String, kind: UInt8) -> [String] {
        guard handlers.contains(name) else { return [] }
        guard name == Self.defaultHandler, let registrations else { return [task] }
        if registrations.contains(where: { $0.covers(task, kind: kind) }) { return [task] }
        guard task.hasSuffix(".*") else { return [] }
        return registrations.compactMap(\.identifier).filter { $0.hasPrefix(task.dropLast()) }
    }
}
