// SPDX-License-Identifier: Apache-2.0

/// The fields of a record in the order of their bytes: each is named once, to write and to read it.
package struct Layout<Record>: Sendable {
    let write: @Sendable (Record, inout WireWriter) -> Void
    let read: @Sendable (inout WireReader) throws(WireError) -> Record

    /// - Parameters:
    ///   - make: Makes a record from its fields.
    ///   - fields: The fields of a record, in the order of their bytes.
    package init<each Field: WireValue>(
        _ make: @escaping @Sendable (repeat each Field) -> Record,
        _ fields: @escaping @Sendable (Record) -> (repeat each Field)
    ) {
        write = { record, writer in
            let values = fields(record)
            repeat (each values).write(to: &writer)
        }
        read = { reader throws(WireError) in
            make(repeat try (each Field)(from: &reader))
        }
    }
}

/// A record in messages or in the journal.
package protocol WireRecord: WireValue {
    static var layout: Layout<Self> { get }
}

extension WireRecord {
    package func write(to writer: inout WireWriter) { Self.layout.write(self, &writer) }
    package init(from reader: inout WireReader) throws(WireError) {
        self = try Self.layout.read(&reader)
    }
}
