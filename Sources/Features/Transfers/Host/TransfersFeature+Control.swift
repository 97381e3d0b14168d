// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunHost

extension TransfersFeature {
    func answer(
        _ request: ControlRequest, _ answer: @escaping (ControlResponse) -> Void
    ) -> Bool {
        guard request.command == .transfers else { return false }
        coordinator.lookAgain()
        var response = ControlResponse()
        response.transfers = coordinator.statuses(finished: request.limit ?? 0).map { status in
            TransferView(
                status.transfer, .host(status.wait, serviceRuns: status.serviceRuns),
                rate: status.rate)
        }
        answer(response)
        return true
    }
}
