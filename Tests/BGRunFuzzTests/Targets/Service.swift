// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunTransferIPC

extension FuzzTarget {
    /// Lines between a host and the transfer service, in both directions.
    static let service = FuzzTarget(
        "service", longest: 1_024,
        made: {
            [
                ServiceOrder.conditions(.unknown, TransferPolicy()).line, ServiceOrder.look.line,
                ServiceNotice.changed([1, 2]).line,
                ServiceNotice.progress([ServiceNotice.Progress(id: 1, bytes: 2, total: 3)]).line,
            ]
        }
    ) { bytes in
        if let order = ServiceOrder(line: bytes[...]) {
            try hold(ServiceOrder(line: order.line[...]) == order, "another order than \(order)")
        }
        if let notice = ServiceNotice(line: bytes[...]) {
            try hold(ServiceNotice(line: notice.line[...]) == notice, "another notice")
        }
    }
}
