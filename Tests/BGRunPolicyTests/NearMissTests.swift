// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Suggestions for a misspelt identifier", .timeLimit(.minutes(5)))
struct NearMissTests {
    private static let identifiers = [
        "org.example.refresh", "org.example.photos.export", "org.example.clean", "clear",
    ]

    @Test(
        "the last parts of an identifier match it, unless a complete one is similar",
        arguments: [
            ("refresh", "org.example.refresh"), ("Refresh", "org.example.refresh"),
            ("refesh", "org.example.refresh"), ("export", "org.example.photos.export"),
            ("photos.export", "org.example.photos.export"),
            ("photo.exprt", "org.example.photos.export"), ("clean", "clear"),
            ("org.example.cleen", "org.example.clean"), ("example", nil), ("server.export", nil),
            ("backup", nil), ("", nil),
        ])
    func lastParts(_ word: String, _ nearest: String?) {
        #expect(NearMiss.nearest(to: word, among: Self.identifiers) == nearest)
    }

    @Test("an exact last part is preferred to a similar one, and the earlier of equal ones counts")
    func order() {
        let similar = ["com.app.refresh1", "com.app.refresh", "org.app.refresh"]
        #expect(NearMiss.nearest(to: "refresh", among: similar) == "com.app.refresh")
    }
}
