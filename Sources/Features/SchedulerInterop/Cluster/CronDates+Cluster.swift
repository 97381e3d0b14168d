// SPDX-License-Identifier: Apache-2.0

extension CronDates {
    /// The expressions for cron readers written in Go: Sunday is 0, and a step after `*` is a restriction, so that with
    /// both kinds of days either counts.
    init(forCluster task: PortableTask, _ notes: inout Exported) throws(Failure) {
        try self.init(task, keepsRanges: false, &notes)
        for index in expressions.indices where !expressions[index].hasPrefix("@") {
            guard var fields = CronFields(expressions[index]) else { continue }
            let isStepped = fields.day.hasPrefix("*/") || fields.weekday.hasPrefix("*/")
            guard !isStepped || fields.day == "*" || fields.weekday == "*" else {
                throw Failure(
                    message:
                        "both kinds of days of \"\(expressions[index])\" would count, each alone")
            }
            if fields.weekday.contains("7") {
                fields.weekday = CronFields.numbers(fields.weekday, .weekday)
                    .map { String($0 % 7) }.joined(separator: ",")
            }
            expressions[index] = fields.text
        }
    }
}
