// SPDX-License-Identifier: Apache-2.0

extension SystemdCalendar {
    /// An expression and its time zone.
    package struct Expression: Hashable, Sendable {
        package var calendar: SystemdCalendar
        /// The name of the zone at its end; nil if missing.
        package var zone: String?
        /// The position of the zone.
        package var zonePlace: Range<Int>?

        /// Reads a calendar event expression of systemd.time(7). The caller checks that the zone exists.
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

        /// A zone contains a letter; so do weekdays, but they come first.
        private static func isZone(_ part: ExpressionPart) -> Bool {
            (part.first?.isLetter ?? false)
                && !part.characters.contains { $0 == ":" || $0 == "." || $0 == "," || $0 == "~" }
        }
    }
}
