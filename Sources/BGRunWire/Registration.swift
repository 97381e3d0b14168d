// SPDX-License-Identifier: Apache-2.0

/// What a plugin says that it has a handler for; the plugin is not trusted to say the truth.
public struct Registration: Hashable, Sendable {
    /// An identifier, or a pattern that ends in `.*`; nil: every task of `kind` without another handler.
    public var identifier: String?
    /// The raw value of a task's kind; 0: the plugin does not say.
    public var kind: UInt8
    /// The delay of the request the plugin has made for it; nil without a request.
    public var delayNanoseconds: Int64?
    /// `BGRUN_REQUIRES_...` of that request.
    public var requires: UInt8

    public init(
        identifier: String?, kind: UInt8 = 0, delayNanoseconds: Int64? = nil, requires: UInt8 = 0
    ) {
        self.identifier = identifier
        self.kind = kind
        self.delayNanoseconds = delayNanoseconds
        self.requires = requires
    }

    /// Whether it is for a task, or for a pattern of tasks, as a manifest declares them.
    public func covers(_ task: String, kind: UInt8) -> Bool {
        guard let identifier else { return self.kind == kind }
        if identifier == task { return true }
        return identifier.hasSuffix(".*") && task.hasPrefix(identifier.dropLast())
    }

    func write(to writer: inout WireWriter) {
        writer.writeText(identifier)
        writer.write(kind)
        writer.write(delayNanoseconds) { $0.write($1) }
        writer.write(requires)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            identifier: try reader.readText(), kind: try reader.read(),
            delayNanoseconds: try reader.readOptional { reader throws(WireError) in
                try reader.read()
            }, requires: try reader.read())
    }
}

extension WorkerMessage.Loaded {
    /// The handler that `handler: plugin` names, without a dot.
    public static let defaultHandler = "default"

    /// Remembers a registration that came after the plugin's init; of too many, none.
    public mutating func add(_ registration: Registration) {
        guard (registrations?.count ?? 0) < 10_000 else { return }
        registrations = (registrations ?? []) + [registration]
    }

    /// Whether the plugin has what a task names: the handler, and for the default one a registration
    /// for the task, or for some of those a pattern stands for.
    public func hasHandler(_ name: String, for task: String, kind: UInt8) -> Bool {
        !registered(name, for: task, kind: kind).isEmpty
    }

    /// The identifiers among those of a task that the plugin has the handler for: the task's own, or of
    /// a pattern those that were registered one by one.
    public func registered(_ name: String, for task: String, kind: UInt8) -> [String] {
        guard handlers.contains(name) else { return [] }
        guard name == Self.defaultHandler, let registrations else { return [task] }
        if registrations.contains(where: { $0.covers(task, kind: kind) }) { return [task] }
        guard task.hasSuffix(".*") else { return [] }
        return registrations.compactMap(\.identifier).filter { $0.hasPrefix(task.dropLast()) }
    }
}
