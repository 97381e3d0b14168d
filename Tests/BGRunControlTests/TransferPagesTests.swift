// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunPolicy
import Testing

@Suite("Pages of transfers", .timeLimit(.minutes(5)))
struct TransferPagesTests {
    private static func page(_ ids: [Int64], next: Int?) -> ControlResponse {
        ControlResponse {
            $0.transfers = ids.map { id in
                let request = TransferRequest(
                    session: "s", direction: .download, url: "https://example.org/f")
                return TransferView(
                    Transfer(id: id, request: request, submitted: WallTime(milliseconds: 0)),
                    .neither)
            }
            $0.next = next
        }
    }

    private static func read(_ pages: [ControlResponse]) throws -> (ids: [Int64], starts: [Int?]) {
        var rest = pages[...]
        var starts: [Int?] = []
        let views = TransferPages.read(finished: 7) { request in
            #expect(request.command == .transfers && request.limit == 7)
            starts.append(request.from)
            return rest.popFirst()
        }
        return (try #require(views).map(\.id), starts)
    }

    @Test("are joined")
    func joined() throws {
        let found = try Self.read([Self.page([1, 2], next: 2), Self.page([5], next: nil)])
        #expect(found.ids == [1, 2, 5] && found.starts == [nil, 2])
    }

    @Test("end at a page whose next one does not come later")
    func backwards() throws {
        let found = try Self.read([
            Self.page([1, 2], next: 2), Self.page([5], next: 2), Self.page([6], next: nil),
        ])
        #expect(found.ids == [1, 2, 5])
    }

    @Test("do not exist without a host")
    func absent() { #expect(TransferPages.read(finished: 1) { _ in nil } == nil) }
}
