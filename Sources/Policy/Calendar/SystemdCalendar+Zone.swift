// SPDX-License-Identifier: Apache-2.0

extension SystemdCalendar {
    /// An expression and the zone it names.
    package struct Expression: Hashable, Sendable {
        package var calendar: SystemdCalendar
        /// The name of the zone that stands last in it; nil when none does.
        package var zone: String?
        /// Where the zone stands.
        package var zonePlace: Range<Int>?

        /// Reads a calendar event expression of systemd.time(7). Whether there is such a zone is left to the caller.
        package init(_ expression: String) throws(ScheduleProblem) {
            let whole = ExpressionPart(characters: Array(expression)[...])
            let parts = whole.words
            guard parts.count > 1, let last = parts.last, Self.isZone(last) else {
                calendar = try SystemdCalendar(whole)
                return
            }
            zone = last.text.uppercased() == "UTC" ? "UTC" : last.text
            zonePlace = last.place
            calendar = try SystemdCalendar(
                ExpressionPart(characters: whole.characters[..<last.characters.startIndex]))
        }

        /// A zone has a letter; so have weekdays, which stand first.
        private static func isZone(_ part: ExpressionPart) -> Bool {
            (part.first?.isLetter ?? false)
                && !part.characters.contains { $0 == ":" || $0 == "." || $0 == "," || $0 == "~" }
        }
    }
}
