// SPDX-License-Identifier: Apache-2.0

/// The parts of SARIF 2.1.0 that bgrun writes, for code scanners and editors. bgrun-audit compiles this file as well.
///
/// All parts have one type: a type with an encoder for each part makes bgrun 40 kB larger.
enum SARIF: Encodable {
    case text(String)
    case number(Int)
    case list([SARIF])
    case object([String: SARIF])

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .list(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    static func log(_ run: SARIF) -> SARIF {
        part([
            "$schema": .text("https://json.schemastore.org/sarif-2.1.0.json"),
            "version": .text("2.1.0"), "runs": .list([run]),
        ])
    }

    static func run(driver: SARIF, columnKind: String? = nil, results: [SARIF]) -> SARIF {
        part([
            "tool": part(["driver": driver]), "columnKind": columnKind.map(SARIF.text),
            "results": .list(results),
        ])
    }

    static func driver(name: String, version: String, rules: [SARIF]) -> SARIF {
        part(["name": .text(name), "version": .text(version), "rules": .list(rules)])
    }

    /// - Parameter level: The default one.
    static func rule(
        id: String, shortDescription: String, fullDescription: String? = nil, help: String,
        level: String? = nil
    ) -> SARIF {
        part([
            "id": .text(id), "shortDescription": message(shortDescription),
            "fullDescription": fullDescription.map(message), "help": message(help),
            "defaultConfiguration": level.map { part(["level": .text($0)]) },
        ])
    }

    /// - Parameter level: "error", "warning" or "note".
    static func result(
        ruleId: String, ruleIndex: Int?, level: String, message text: String, locations: [SARIF],
        relatedLocations: [SARIF]? = nil, fixes: [SARIF]? = nil
    ) -> SARIF {
        part([
            "ruleId": .text(ruleId), "ruleIndex": ruleIndex.map(SARIF.number),
            "level": .text(level), "message": message(text), "locations": .list(locations),
            "relatedLocations": relatedLocations.map(SARIF.list), "fixes": fixes.map(SARIF.list),
        ])
    }

    static func location(
        path: String, region: SARIF? = nil, function: String? = nil, message text: String? = nil
    ) -> SARIF {
        let functions = function.map {
            SARIF.list([part(["name": .text($0), "kind": .text("function")])])
        }
        return part([
            "physicalLocation": part(["artifactLocation": artifact(path), "region": region]),
            "logicalLocations": functions, "message": text.map(message),
        ])
    }

    /// The line and the column count from 1.
    static func region(startLine: Int, startColumn: Int) -> SARIF {
        part(["startLine": .number(startLine), "startColumn": .number(startColumn)])
    }

    static func fix(description: String, path: String, replacements: [SARIF]) -> SARIF {
        let change = part([
            "artifactLocation": artifact(path), "replacements": .list(replacements),
        ])
        return part(["description": message(description), "artifactChanges": .list([change])])
    }

    static func replacement(byteOffset: Int, byteLength: Int, text: String) -> SARIF {
        let region = part(["byteOffset": .number(byteOffset), "byteLength": .number(byteLength)])
        return part(["deletedRegion": region, "insertedContent": message(text)])
    }

    private static func message(_ text: String) -> SARIF { part(["text": .text(text)]) }

    /// A relative path stays relative, an absolute one becomes a file URL.
    private static func artifact(_ path: String) -> SARIF {
        let plain = Set("-._~/0123456789!$&'()*+,;=@".utf8)
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let encoded = path.utf8.map { byte in
            if letters.contains(byte | 0x20) || plain.contains(byte) {
                return String(Unicode.Scalar(byte))
            }
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.utf8.count < 2 ? "%0\(digits)" : "%\(digits)"
        }.joined()
        return part(["uri": .text(path.hasPrefix("/") ? "file://" + encoded : encoded)])
    }

    /// An object without the members that are nil.
    private static func part(_ members: KeyValuePairs<String, SARIF?>) -> SARIF {
        var object: [String: SARIF] = [:]
        for (name, value) in members { object[name] = value }
        return .object(object)
    }
}
