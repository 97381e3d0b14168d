// SPDX-License-Identifier: Apache-2.0

/// Why a line of a crontab or an anacrontab is not a valid entry: the invalid field, with its text.
struct CronFault: Error, Equatable {
    /// The problem, for example `month "13" is invalid`.
    var problem: String
    /// The valid form.
    var remedy: String

    /// A field whose text is invalid.
    static func field(_ name: String, _ text: some StringProtocol, _ remedy: String) -> Self {
        CronFault(problem: "\(name) \"\(text)\" is invalid", remedy: remedy)
    }

    /// An entry with too few fields.
    static func missing(_ names: [String], after count: Int) -> Self {
        let absent = names.dropFirst(count)
        let list = absent.joined(separator: ", ")
        return CronFault(
            problem: "\(list) \(absent.count == 1 ? "is" : "are") missing",
            remedy: "an entry must have \(names.joined(separator: ", "))")
    }
}

extension CronFields {
    /// Without the seconds, in the order of a crontab.
    static let names = ["minute", "hour", "day of the month", "month", "day of the week"]

    /// The fault of five fields that `init` rejects.
    static func fault(of fields: [String]) -> CronFault {
        let units = Unit.all.dropFirst()
        for ((name, field), unit) in zip(zip(names, fields), units) where !unit.accepts(field) {
            return .field(name, field, unit.remedy)
        }
        guard fields.count == names.count else { return .missing(names, after: fields.count) }
        return CronFault(
            problem: "day of the month \"\(fields[2])\" is not in month \"\(fields[3])\"",
            remedy: "write a day that the month has")
    }
}

extension CronFields.Unit {
    fileprivate var remedy: String {
        let ends = names.isEmpty ? "" : " or names from \(names[0]) to \(names[names.count - 1])"
        return "write numbers from \(low) to \(high)\(ends), ranges with `-`, "
            + "steps of a range with `/`, and `,` between them"
    }
}
