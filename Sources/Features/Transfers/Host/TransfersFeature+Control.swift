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
        response.transfers = coordinator.standings(finished: request.limit ?? 0).map { standing in
            TransferView(
                standing.transfer, .host(standing.wait, serviceRuns: standing.serviceRuns),
                rate: standing.rate)
        }
        answer(response)
        return true
    }
}
