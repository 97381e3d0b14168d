// SPDX-License-Identifier: Apache-2.0

/// The app that a store belongs to: the fact `owner:APP`. A store that has none, of an older version, takes the
/// first app that opens it for writing.
enum StoreOwner {
    /// Throws `ofAnotherApp` when the store belongs to another app; otherwise says whether it has an owner.
    /// Reads only.
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

    /// Makes `app` the owner unless there is one; whether it did.
    static func make(_ app: String, in database: Database, _ path: String) throws -> Bool {
        guard try !check(app, database, path) else { return false }
        try database.run("INSERT INTO fact VALUES ('owner:' || ?1, 1)", [.text(app)])
        return true
    }

    /// What a terminal shows as it is.
    private static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map {
                    $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? "?" : $0
                }))
    }
}
