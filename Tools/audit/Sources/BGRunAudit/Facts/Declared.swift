// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The declarations of a manifest, or of an app's Info.plist.
public struct Declared: Sendable {
    /// The file name for findings.
    public var source: String
    /// Identifiers, or prefixes that end in `.*`.
    public var identifiers: [String]
    public var modes: Set<String>
    /// The shortest time between launches of an app-refresh task, in seconds.
    public var refreshFloor: Double
    var kinds: [String: TaskKind] = [:]

    public init(
        source: String, identifiers: [String], modes: Set<String>, refreshFloor: Double = 900
    ) {
        self.source = source
        self.identifiers = identifiers
        self.modes = modes
        self.refreshFloor = refreshFloor
    }

    func lists(_ identifier: String) -> Bool {
        identifiers.contains { listed in
            listed.hasSuffix(".*")
                ? identifier.hasPrefix(listed.dropLast()) && identifier.count >= listed.count
                    || identifier == listed
                : listed == identifier
        }
    }

    /// The listed identifier that `identifier` probably means.
    func nearest(to identifier: String) -> String? {
        let near = identifiers.map { ($0, distance($0.lowercased(), identifier.lowercased())) }
            .filter { $0.1 <= 2 && !$0.0.hasSuffix(".*") }
        return near.min { $0.1 < $1.1 }?.0
    }
}

extension Declared {
    /// Reads the declarations of a manifest from the JSON of `bgrun audit`.
    public init(json: String) throws(DeclaredError) {
        struct Listing: Decodable {
            var source: String
            var identifiers: [String]
            var modes: [String]
            var refreshFloor: Double
            var kinds: [String: String]
        }
        let listing: Listing
        do {
            listing = try JSONDecoder().decode(Listing.self, from: Data(json.utf8))
        } catch {
            throw DeclaredError(message: "--declared is not what `bgrun audit` hands over")
        }
        self.init(
            source: listing.source, identifiers: listing.identifiers,
            modes: Set(listing.modes), refreshFloor: listing.refreshFloor)
        let names: [String: TaskKind] = [
            "app-refresh": .appRefresh, "processing": .processing, "continued": .continued,
        ]
        kinds = listing.kinds.compactMapValues { names[$0] }
    }

    /// Reads an Info.plist, XML or binary.
    public init(infoPlist path: String, bytes: [UInt8]) throws(DeclaredError) {
        struct InfoPlist: Decodable {
            var BGTaskSchedulerPermittedIdentifiers: [String]?
            var UIBackgroundModes: [String]?
        }
        let plist: InfoPlist
        do {
            plist = try PropertyListDecoder().decode(InfoPlist.self, from: Data(bytes))
        } catch {
            throw DeclaredError(
                message: "\(path): no property list with arrays of strings under "
                    + "BGTaskSchedulerPermittedIdentifiers and UIBackgroundModes")
        }
        self.init(
            source: path, identifiers: plist.BGTaskSchedulerPermittedIdentifiers ?? [],
            modes: Set(plist.UIBackgroundModes ?? []))
    }
}

/// The reason why the declarations of a program are unknown.
public struct DeclaredError: Error {
    public var message: String
    public var isMissingFile: Bool

    public init(message: String, isMissingFile: Bool = false) {
        self.message = message
        self.isMissingFile = isMissingFile
    }
}

/// The number of edits between two texts: insert, remove and replace; a swap of neighbours counts
/// as two.
private func distance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a.utf8), Array(b.utf8))
    var row = Array(0...b.count)
    for i in a.indices {
        var diagonal = row[0]
        row[0] = i + 1
        for j in b.indices {
            let above = row[j + 1]
            row[j + 1] = min(
                above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0 : 1))
            diagonal = above
        }
    }
    return row[b.count]
}
