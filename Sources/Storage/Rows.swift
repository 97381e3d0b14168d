// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

extension TaskRequest {
    /// Every column except the id, in the order of `TaskRequest.columns`.
    var values: [SQLValue] {
        [
            .text(identifier), .text(kind.name), .int(submitted.milliseconds),
            .int(earliest?.milliseconds), .text(parameters), .int(failures), .int(interruptions),
            .int(waitingSince?.milliseconds),
            .int(Int64(flags.byte) | (isSpaced ? Self.spaced : 0)), .int(occurrence?.milliseconds),
            .text(annotations.text),
        ]
    }

    /// In the column of the flags, above the byte of `RequestFlags`.
    private static let spaced: Int64 = 1 << 8

    /// Placeholders for an SQL statement with `values`.
    static let placeholders = columns.split(separator: ", ").map { _ in "?" }.joined(
        separator: ", ")

    /// For an SQL statement whose new row replaces that of its identifier.
    static let replacements = columns.split(separator: ", ").dropFirst()
        .map { "\($0) = excluded.\($0)" }.joined(separator: ", ")

    /// The columns of a request, at the start of its rows.
    static let columns = """
        identifier, kind, submitted, earliest, parameters, failures, interruptions, waiting_since, \
        requires, occurrence, annotations
        """

    init(id: Int64, _ row: borrowing Row, from column: Int) throws {
        let bits: Int64 = try row[column + 8]
        let flags = RequestFlags(byte: UInt8(truncatingIfNeeded: bits))
        let identifier: String = try row[column]
        // SQLite distinguishes texts that are equal as Swift strings.
        guard IdentifierRule.isWellFormed(identifier) else {
            throw InvalidRow(
                description: "its identifier \(String(reflecting: identifier)) is invalid")
        }
        self.init(
            id: id, identifier: identifier, kind: try TaskKind(stored: row[column + 1]),
            submitted: try row.date(column + 2), earliest: try row.optionalDate(column + 3),
            waitingSince: try row.optionalDate(column + 7), parameters: try row[column + 4],
            requires: flags.requires, occurrence: try row.optionalDate(column + 9),
            failures: try row.count(column + 5), interruptions: try row.count(column + 6),
            isOnlyImmediate: flags.isOnlyImmediate, isSpaced: bits & Self.spaced != 0,
            annotations: try Annotations(stored: row[column + 10]))
    }
}

extension Outcome {
    /// The columns outcome, reason, reported and code.
    var values: [SQLValue] {
        switch self {
        case .expired(let reason, let reported):
            [.text(name), .text(reason.name), .int(reported), .null]
        case .limited(let resource):
            [.text(name), .text(resource.rawValue), .null, .null]
        case .crashed(let signal):
            [.text(name), .null, .null, .int(signal)]
        case .exited(let code):
            [.text(name), .null, .null, .int(code)]
        case .completed, .failed, .refused, .interrupted:
            [.text(name), .null, .null, .null]
        }
    }

    init(stored name: String, reason: String?, reported: Bool?, code: Int32?) throws {
        switch (name, reason, code) {
        case ("completed", nil, nil): self = .completed
        case ("failed", nil, nil): self = .failed
        case ("refused", nil, nil): self = .refused
        case ("interrupted", nil, nil): self = .interrupted
        case ("crashed", nil, let signal?): self = .crashed(signal: signal)
        case ("exited", nil, let code?): self = .exited(code: code)
        case ("limited", let reason?, nil):
            self = .limited(try LimitedResource(stored: reason))
        case ("expired", let reason?, nil):
            self = .expired(try StopReason(stored: reason), reported: reported)
        default:
            self = try known(nil, "\(name) \(reason ?? "")")
        }
    }
}

extension Annotations {
    init(stored text: String?) throws { self = try known(Annotations(text: text), text ?? "") }
}

extension TaskKind {
    init(stored word: String) throws { self = try known(TaskKind(name: word), word) }
}

extension StopReason {
    init(stored word: String) throws { self = try known(StopReason(name: word), word) }
}

extension RawRepresentable<String> {
    init(stored word: String) throws { self = try known(Self(rawValue: word), word) }
}

private func known<Value>(_ value: Value?, _ word: String) throws -> Value {
    guard let value else { throw InvalidRow(description: "it holds the unknown word \"\(word)\"") }
    return value
}

/// A row contains a value that no version of bgrun writes.
private struct InvalidRow: Error, CustomStringConvertible {
    let description: String
}
