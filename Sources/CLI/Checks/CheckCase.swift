// SPDX-License-Identifier: Apache-2.0

import BGRunConformance
import BGRunInspection

/// A case of `plugin check`: of the file, or of the plugin loaded from it.
struct CheckCase: Encodable {
    var id: String
    var sentence: String
    var remedy: String

    static let all =
        PluginFileRefusal.Check.allCases.map {
            CheckCase(id: $0.caseID, sentence: $0.sentence, remedy: $0.remedy)
        }
        + ConformanceCase.all.map { CheckCase($0) }
}

extension CheckCase {
    init(_ item: ConformanceCase) {
        self.init(id: item.id, sentence: item.sentence, remedy: item.remedy)
    }
}

extension PluginFileRefusal.Check {
    /// `file.regular-file`
    var caseID: String {
        "file." + rawValue.lowercased().map { $0 == " " ? "-" : String($0) }.joined()
    }

    var sentence: String {
        switch self {
        case .exists: "exists"
        case .regularFile: "is a regular file"
        case .readable: "can be read"
        case .owner: "belongs to the user of bgrun, or to root"
        case .mode: "cannot be written to by others"
        case .directories: "lies in directories others cannot change"
        case .elfHeader: "is an ELF file"
        case .elfClass: "is a 64-bit file"
        case .byteOrder: "has the byte order of this machine"
        case .machine: "is built for this machine"
        case .type: "is a shared library"
        case .complete: "is complete"
        case .entrySymbol: "exports \(PluginFile.entrySymbol)"
        case .sha256: "has the digest it must have"
        }
    }

    var remedy: String { "do what the message says" }
}
