// SPDX-License-Identifier: Apache-2.0

/// The app to which a store belongs: the fact `owner:APP`. A store of an older version without an owner is given to the
/// first app that opens it for writing.
enum StoreOwner {
    /// Throws `ofAnotherApp` if the store belongs to another app; otherwise returns whether it has an owner. Only
    /// reads.
    @discardableResult
    static func check(_ app: String, _ database: Database, _ path: String) throws -> Bool {
        // An identifier has at most 255 bytes; ";" is the character after ":".
        let owner: String? = try database.value(
            """
            SELECT substr(name, 7, 255) FROM fact WHERE name > 'owner:' AND name < 'owner;'
            ORDER BY name <> 'owner:' || ?1 LIMIT 1
            """, [.text(app)])
        guard let owner else { return false }
        guard owner == app else {
            throw StoreError.ofAnotherApp(path: path, owner: printable(owner), app: app)
        }
        return true
    }

    /// Makes `app` the owner unless there is one; returns whether it did.
    static func make(_ app: String, in database: Database, _ path: String) throws -> Bool {
        guard try !check(app, database, path) else { return false }
        try database.run("INSERT INTO fact VALUES ('owner:' || ?1, 1)", [.text(app)])
        return true
    }

    /// Only the characters that a terminal shows unchanged.
    private static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map {
                    $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? "?" : $0
                }))
    }
}
