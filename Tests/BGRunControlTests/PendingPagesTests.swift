// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunPolicy
import Testing

@Suite("Pages of pending requests", .timeLimit(.minutes(5)))
struct PendingPagesTests {
    private static func page(_ id: Int64, next: Int?, numbering: UInt32) -> ControlResponse {
        var response = ControlResponse()
        let request = TaskRequest(
            id: id, identifier: "org.test.\(id)", kind: .processing,
            submitted: WallTime(milliseconds: 0))
        var row = PendingRow(request, reason: "queued")
        row.order = id
        response.pending = [row]
        response.count = 2
        response.next = next
        response.numbering = numbering
        return response
    }

    private static func read(
        _ pages: [ControlResponse]
    ) throws -> (rows: [Int64], starts: [Int?]) {
        var rest = pages[...]
        var starts: [Int?] = []
        let found = PendingPages.read(first: .max) { request in
            starts.append(request.from)
            let page = rest.popFirst()
            return page
        }
        return (try #require(found).rows.map(\.id), starts)
    }

    @Test("are joined in launch order")
    func order() throws {
        let found = try Self.read([
            Self.page(2, next: 1, numbering: 0), Self.page(1, next: nil, numbering: 0),
        ])
        #expect(found.rows == [1, 2] && found.starts == [0, 1])
    }

    @Test("are read again if the manifest is reloaded between two pages")
    func reloaded() throws {
        let found = try Self.read([
            Self.page(3, next: 1, numbering: 0), Self.page(2, next: nil, numbering: 1),
            Self.page(1, next: 1, numbering: 1), Self.page(2, next: nil, numbering: 1),
        ])
        #expect(found.rows == [1, 2] && found.starts == [0, 1, 0, 1])
    }

    @Test("are read a limited number of times if each page comes from another manifest")
    func endless() throws {
        var number: UInt32 = 0
        let found = PendingPages.read(first: .max) { request in
            number += 1
            return Self.page(
                Int64(number), next: request.from == 0 ? 1 : nil, numbering: number)
        }
        #expect(found?.count == 2 && number == 8)
    }
}
